"""A normalization of rows: 4 flops per element, 6 with a bias."""

from __future__ import annotations

from .kind import OperatorKind, Sizes, Widths
from .work import ACTIVATIONS, OUTPUT, ROWS, WEIGHTS, OperatorWork, Tensor


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    rows, dim = shape["rows"], shape["dim"]
    tensors = (
        Tensor(WEIGHTS, dim * widths.weight * (1 + widths.bias)),
        Tensor(ACTIVATIONS, rows * dim * widths.element, (ROWS,)),
        Tensor(OUTPUT, rows * dim * widths.element, (ROWS,)),
    )
    return OperatorWork((rows, dim, 1), ("rows", None, None), tensors, rows * dim * (6 if widths.bias else 4))


NORM = OperatorKind(5, "norm", required=("rows", "dim"), tile=("rows",), work=_work)
