"""Attention under its common names: queries, keys and values in the order of their sides, of a prompt or of the newest tokens."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...profiles.execution import OperatorCall
from .operands import Operand, concrete, tensors
from .shaped import Shaped, sizes

# Where the sides are batch, heads, tokens and not batch, tokens, heads; and where each says whether it is causal.
_HEADS_FIRST: Mapping[str, int] = MappingProxyType(
    {
        "scaled_dot_product_flash_attention": 4,
        "scaled_dot_product_fused_attention_overrideable": 5,
        "scaled_dot_product_efficient_attention": 6,
        "scaled_dot_product_cudnn_attention": 6,
        "scaled_dot_product_attention": 5,
        "scaled_dot_product_attention_math": 5,
    }
)
_TOKENS_FIRST: Mapping[str, int] = MappingProxyType({"flash_attention_forward": 8, "cudnn_attention_forward": 9})
_MASKED_BY_KIND: Mapping[str, int] = MappingProxyType({"efficient_attention_forward": 9})


def attention(name: str, call: OperatorCall) -> Shaped | None:
    """Return the attention of *call*, None where its keys are not told: a cache is as large as it may become."""
    operands = [one for one in tensors(call) if one.is_float][:3]
    if len(operands) < 3 or len({one.rank for one in operands[:2]}) > 1:
        return None
    query, key, _ = operands
    if query.rank == 4:
        return _dense(name, call, query, key)
    return _packed(call, query, key) if query.rank == 3 else None


def _dense(name: str, call: OperatorCall, query: Operand, key: Operand) -> Shaped | None:
    batch, first, second, head_dim = query.sides
    keys = key.sides[1:3]
    heads_first = name in _HEADS_FIRST
    q_heads, q_tokens = (first, second) if heads_first else (second, first)
    kv_heads, kv_tokens = keys if heads_first else keys[::-1]
    if not kv_heads or q_heads % kv_heads or key.sides[0] != batch:
        return None
    is_causal = _is_causal(name, call) and 1 < q_tokens <= kv_tokens
    return _shaped(batch, q_tokens, kv_tokens, (q_heads, kv_heads, head_dim), query.element_bytes, is_causal=is_causal)


def _packed(call: OperatorCall, query: Operand, key: Operand) -> Shaped | None:
    """Return the attention of sequences that stand in one row, cut by a vector with the beginning of each.

    Their own tokens are the least that they see, and sequences of one length the least work: keys may be those of a cache, of any length.
    """
    (q_tokens, q_heads, head_dim), (kv_tokens, kv_heads, _) = query.sides, key.sides
    bounds = [one.numel - 1 for one in tensors(call) if not one.is_float and one.rank == 1]
    sequences = bounds[0] if bounds else 0
    if sequences < 1 or q_tokens <= sequences or kv_tokens < q_tokens or not kv_heads or q_heads % kv_heads:
        return None
    each = q_tokens // sequences
    return _shaped(sequences, each, each, (q_heads, kv_heads, head_dim), query.element_bytes, is_causal=True)


def _is_causal(name: str, call: OperatorCall) -> bool:
    """Whether a query sees no later keys; where nothing says it, it does not, which is the least work."""
    position = _HEADS_FIRST.get(name, _TOKENS_FIRST.get(name))
    if position is not None:
        return concrete(call, position) != "False"
    mask = _MASKED_BY_KIND.get(name)
    return mask is None or concrete(call, mask) != "0"


def _shaped(batch: int, queries: int, keys: int, heads: tuple[int, int, int], element_bytes: int, *, is_causal: bool) -> Shaped:
    q_heads, kv_heads, head_dim = heads
    shape = sizes(q_tokens=queries, kv_tokens=keys, q_heads=q_heads, kv_heads=kv_heads, head_dim=head_dim, sequences=batch)
    return Shaped("attention", "attention_prefill" if is_causal else "attention_decode", shape, element_bytes)
