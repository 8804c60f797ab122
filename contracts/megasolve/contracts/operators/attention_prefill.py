"""Attention over a prompt: the queries of a tile see the keys up to themselves."""

from __future__ import annotations

from .families.attention import SIZES, flops_per_score, heads_in_groups
from .kind import Contradictions, OperatorKind, Sizes, Widths
from .work import ACTIVATIONS, COLUMNS, OUTPUT, ROWS, STATE, Causal, OperatorWork, Tensor


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    queries, keys, sequences = shape["q_tokens"], shape["kv_tokens"], shape["sequences"]
    q_heads, kv_heads, head_dim = shape["q_heads"], shape["kv_heads"], shape["head_dim"]
    rows, causal = sequences * queries, Causal(queries, keys)
    heads_bytes = rows * q_heads * head_dim * widths.element
    tensors = (
        Tensor(ACTIVATIONS, heads_bytes, (ROWS, COLUMNS)),
        Tensor(STATE, 2 * sequences * keys * kv_heads * head_dim * widths.state, (COLUMNS,)),
        Tensor(OUTPUT, heads_bytes, (ROWS, COLUMNS)),
    )
    flops = causal.scores_before(rows) * q_heads * flops_per_score(head_dim)
    return OperatorWork((rows, kv_heads, 1), ("q_tokens", "kv_heads", None), tensors, flops, causal=causal)


def _contradictions(sizes: Sizes) -> Contradictions:
    yield from heads_in_groups(sizes)
    if sizes["q_tokens"] > sizes["kv_tokens"]:
        yield "q_tokens", f"{sizes['q_tokens']} queries over {sizes['kv_tokens']} keys; kv_tokens counts the queries' own keys, too"


ATTENTION_PREFILL = OperatorKind(
    2,
    "attention_prefill",
    required=SIZES,
    optional={"sequences": 1},
    tile=("q_tokens", "kv_heads"),
    work=_work,
    contradictions=_contradictions,
)
