"""New keys and values on their way into the cache: bytes, and no flops."""

from __future__ import annotations

from .kind import OperatorKind, Sizes, Widths
from .work import ACTIVATIONS, CARRIED, COLUMNS, ROWS, OperatorWork, Tensor


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    tokens, heads, head_dim = shape["tokens"], shape["kv_heads"], shape["head_dim"]
    elements = 2 * tokens * heads * head_dim
    tensors = (
        Tensor(ACTIVATIONS, elements * widths.element, (ROWS, COLUMNS)),
        Tensor(CARRIED, elements * widths.state, (ROWS, COLUMNS)),
    )
    return OperatorWork((tokens, heads, 1), ("tokens", "kv_heads", None), tensors, 0)


KV_APPEND = OperatorKind(4, "kv_append", required=("tokens", "kv_heads", "head_dim"), tile=("tokens", "kv_heads"), work=_work)
