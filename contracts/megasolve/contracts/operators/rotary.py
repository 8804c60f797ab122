"""A rotation of each head by the position of its token: 3 flops per element."""

from __future__ import annotations

from .kind import OperatorKind, Sizes, Widths
from .work import ACTIVATIONS, COLUMNS, OUTPUT, ROWS, OperatorWork, Tensor


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    tokens, heads, head_dim = shape["tokens"], shape["heads"], shape["head_dim"]
    elements = tokens * heads * head_dim
    tensors = tuple(Tensor(role, elements * widths.element, (ROWS, COLUMNS)) for role in (ACTIVATIONS, OUTPUT))
    return OperatorWork((tokens, heads, 1), ("tokens", "heads", None), tensors, 3 * elements)


ROTARY = OperatorKind(7, "rotary", required=("tokens", "heads", "head_dim"), tile=("tokens", "heads"), work=_work)
