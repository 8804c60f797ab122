"""Attention of the newest tokens over a cache: a tile takes a slice of the keys, and slices are summed."""

from __future__ import annotations

from .families.attention import SIZES, flops_per_score, heads_in_groups
from .kind import OperatorKind, Sizes, Widths
from .work import ACTIVATIONS, COLUMNS, DEPTH, OUTPUT, ROWS, STATE, OperatorWork, Tensor


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    queries, keys, sequences = shape["q_tokens"], shape["kv_tokens"], shape["sequences"]
    q_heads, kv_heads, head_dim = shape["q_heads"], shape["kv_heads"], shape["head_dim"]
    heads_bytes = sequences * queries * q_heads * head_dim * widths.element
    tensors = (
        Tensor(ACTIVATIONS, heads_bytes, (ROWS, COLUMNS)),
        Tensor(STATE, 2 * sequences * keys * kv_heads * head_dim * widths.state, (ROWS, COLUMNS, DEPTH)),
        Tensor(OUTPUT, heads_bytes, (ROWS, COLUMNS)),
    )
    flops = sequences * queries * keys * q_heads * flops_per_score(head_dim)
    return OperatorWork((sequences, kv_heads, keys), ("sequences", "kv_heads", "kv_tokens"), tensors, flops)


ATTENTION_DECODE = OperatorKind(
    3,
    "attention_decode",
    required=SIZES,
    optional={"sequences": 1},
    tile=("sequences", "kv_heads", "kv_tokens"),
    work=_work,
    contradictions=heads_in_groups,
)
