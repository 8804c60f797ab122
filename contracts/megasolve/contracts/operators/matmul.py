"""A product of matrices: two flops per multiply-add, with a bias if there is one."""

from __future__ import annotations

from .kind import OperatorKind, Sizes, Widths
from .work import ACTIVATIONS, COLUMNS, DEPTH, OUTPUT, ROWS, WEIGHTS, OperatorWork, Tensor


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    m, n, k = shape["m"], shape["n"], shape["k"]
    tensors = (
        Tensor(WEIGHTS, k * n * widths.weight, (COLUMNS, DEPTH)),
        Tensor(WEIGHTS, n * widths.weight * widths.bias, (COLUMNS,)),
        Tensor(ACTIVATIONS, m * k * widths.element, (ROWS, DEPTH)),
        Tensor(OUTPUT, m * n * widths.element, (ROWS, COLUMNS)),
    )
    # A tile reads the columns of its input that it sums over, not those that it writes.
    return OperatorWork((m, n, k), ("m", "n", "k"), tensors, 2 * m * n * k, DEPTH)


MATMUL = OperatorKind(1, "matmul", required=("m", "n", "k"), tile=("m", "n", "k"), work=_work)
