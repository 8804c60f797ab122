"""The programs of streamlet: what one call of each group executes, as the values that its contracts hold.

Each operator has one geometry, which the kernels support: a tile of a product has at most 64 rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypeAlias, TypedDict

from megasolve.contracts import Json, JsonObject

WrittenOperator: TypeAlias = JsonObject


class WrittenBlock(TypedDict):
    """Operators in program order, and how often they run where that is more than once."""

    operators: Sequence[WrittenOperator]
    repeat: NotRequired[str]


# Of the dense rate of tensor cores: small tiles of mma.sync, and what runs on the other cores. Assumed until measured.
_TENSOR_CORES, _OTHER_CORES = 0.25, 0.02
# A prefill has rows enough for every CTA, so a tile takes several of them.
_PREFILL_ROWS = 4
_ACTIVATIONS: Mapping[str, int] = {"element_bytes": 4, "weight_element_bytes": 2}
_CACHES: Mapping[str, int] = {"element_bytes": 4, "state_element_bytes": 4}


def _operator(
    name: str, kind: str, shape: Mapping[str, int | str], tile: Mapping[str, int], after: Sequence[str], **more: Json
) -> WrittenOperator:
    declared: JsonObject = {"name": name, "kind": kind, "shape": dict(shape), "tile": [dict(tile)], **more}
    return {**declared, "after": [_by_rows(operator) for operator in after]} if after else declared


def _by_rows(operator: str) -> Mapping[str, str | bool]:
    """Wait for the rows that a tile reads; a leading `<` names the operator of the repeat before."""
    name = operator.removeprefix("<")
    return {"operator": name, "pattern": "rows", **({"previous": True} if name != operator else {})}


def _embedding(name: str, tokens: str, dim: str, tile: Mapping[str, int], *after: str) -> WrittenOperator:
    return _operator(name, "embedding", {"tokens": tokens, "dim": dim}, tile, after, element_bytes=4)


def _norm(name: str, rows: str, *after: str, at_once: int = 1) -> WrittenOperator:
    return _operator(name, "norm", {"rows": rows, "dim": "dim"}, {"rows": at_once}, after, efficiency=_OTHER_CORES, **_ACTIVATIONS)


def _product(name: str, m: str, n: int | str, k: int | str, *after: str) -> WrittenOperator:
    return _operator(name, "matmul", {"m": m, "n": n, "k": k}, {"m": 64, "n": 32}, after, efficiency=_TENSOR_CORES, **_ACTIVATIONS)


def _elementwise(name: str, rows: str, dim: int | str, inputs: int, flops: int, *after: str) -> WrittenOperator:
    shape = {"rows": rows, "dim": dim, "inputs": inputs, "flops_per_element": flops}
    return _operator(name, "elementwise", shape, {"rows": 16, "dim": 256}, after, efficiency=_OTHER_CORES, element_bytes=4)


def _sampling(*after: str) -> WrittenOperator:
    return _operator("sample", "sampling", {"rows": "batch", "dim": "vocab"}, {"rows": 1}, after, efficiency=_OTHER_CORES, element_bytes=4)


def _upsampling(name: str, c_in: str, c_out: int | str, stride: str, t_out: str, *after: str) -> WrittenOperator:
    shape = {"c_in": c_in, "c_out": c_out, "kernel": f"2 * {stride}", "stride": stride, "t_out": t_out}
    tile = {"t_out": 64, "c_out": 32}
    return _operator(name, "conv_transpose1d", shape, tile, after, bias=True, efficiency=_OTHER_CORES, **_ACTIVATIONS)


def _rotation(rows: str) -> list[WrittenOperator]:
    """The products of attention, turned by their position and appended to the caches."""
    cached = {"tokens": rows, "kv_heads": "kv_heads", "head_dim": "head_dim"}
    turned = {"tokens": rows, "heads": "heads + kv_heads", "head_dim": "head_dim"}
    return [
        _product("qkv", rows, "(heads + 2 * kv_heads) * head_dim", "dim", "norm_1"),
        _operator("rotary", "rotary", turned, {"tokens": 16, "heads": 2}, ["qkv"], efficiency=_OTHER_CORES, element_bytes=4),
        _operator("append", "kv_append", cached, {"tokens": 16, "kv_heads": 1}, ["rotary"], **_CACHES),
    ]


def _attention(kind: str, queries: str, keys: str, tile: Mapping[str, int]) -> WrittenOperator:
    heads = {"q_heads": "heads", "kv_heads": "kv_heads", "head_dim": "head_dim"}
    shape = {"q_tokens": queries, "kv_tokens": keys, **heads, "sequences": "batch"}
    return _operator("attention", kind, shape, tile, ["append"], efficiency=_OTHER_CORES, **_CACHES)


def _feed_forward(rows: str, after: str, *, norms_at_once: int = 1) -> list[WrittenOperator]:
    return [
        _norm("norm_3", rows, after, at_once=norms_at_once),
        _product("up", rows, "2 * ffn", "dim", "norm_3"),
        _elementwise("gate", rows, "ffn", 2, 6, "up"),
        _product("down", rows, "dim", "ffn", "gate"),
    ]


def _head(*after: str) -> list[WrittenOperator]:
    return [_norm("norm_f", "batch", *after), _product("logits", "batch", "vocab", "dim", "norm_f"), _sampling("logits")]


def _block(operators: Sequence[WrittenOperator], repeat: str | None = None) -> WrittenBlock:
    return {"operators": list(operators)} if repeat is None else {"repeat": repeat, "operators": list(operators)}


def _prefill() -> list[WrittenBlock]:
    rows = "batch * prompt"
    layer = [
        # In the first layer the embedding is waited for, in the others the end of the layer before.
        _norm("norm_1", rows, "embed", "<down", at_once=_PREFILL_ROWS),
        *_rotation(rows),
        _attention("attention_prefill", "prompt", "prompt", {"q_tokens": 16, "kv_heads": 1}),
        _product("o", rows, "dim", "heads * head_dim", "attention"),
        *_feed_forward(rows, "o", norms_at_once=_PREFILL_ROWS),
    ]
    return [_block([_embedding("embed", rows, "dim", {"tokens": 16})]), _block(layer, "layers"), _block(_head("down"))]


def _decode() -> list[WrittenBlock]:
    step: dict[str, int | str] = {"tokens": "batch", "heads": "state_heads", "head_dim": "state_head_dim", "state": "states", "groups": 1}
    layer = [
        _norm("norm_1", "batch", "embed", "<down"),
        *_rotation("batch"),
        _attention("attention_decode", "1", "prompt + steps", {"sequences": 1, "kv_heads": 1}),
        _product("o", "batch", "dim", "heads * head_dim", "attention"),
        _norm("norm_2", "batch", "o"),
        _product("state_in", "batch", "state_heads * state_head_dim + 2 * states + state_heads", "dim", "norm_2"),
        _operator(
            "step", "step", step, {"tokens": 1, "heads": 2}, ["state_in"], efficiency=_OTHER_CORES, **_ACTIVATIONS, state_element_bytes=4
        ),
        _product("state_out", "batch", "dim", "state_heads * state_head_dim", "step"),
        *_feed_forward("batch", "state_out"),
    ]
    return [_block([_embedding("embed", "batch", "dim", {"tokens": 16})]), _block(layer, "layers")]


def _codec() -> list[WrittenBlock]:
    frames = "batch * frames"
    middle, samples = f"{frames} * upsample_1", f"{frames} * upsample_1 * upsample_2"
    return [
        _block(
            [
                _embedding("codes", frames, "channels", {"tokens": 16}),
                _product("project", frames, "channels", "channels", "codes"),
                _upsampling("upsample_1", "channels", "channels // 2", "upsample_1", middle, "project"),
                _elementwise("snake", middle, "channels // 2", 1, 4, "upsample_1"),
                _upsampling("upsample_2", "channels // 2", 1, "upsample_2", samples, "snake"),
                _elementwise("tanh", frames, "upsample_1 * upsample_2", 1, 5, "upsample_2"),
            ]
        )
    ]


def streamlet_programs() -> Mapping[str, Sequence[WrittenBlock]]:
    """Return the program of each group of streamlet, as a contract holds it: plain values, by group in the order of the spec."""
    return {"P": _prefill(), "B": _decode(), "L": [_block(_head())], "C": _codec()}
