"""A function of the elements at one place in several inputs, and of vectors as wide as a row."""

from __future__ import annotations

from .kind import OperatorKind, Sizes, Widths
from .work import ACTIVATIONS, COLUMNS, OUTPUT, ROWS, WEIGHTS, OperatorWork, Tensor


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    rows, dim, inputs, vectors = shape["rows"], shape["dim"], shape["inputs"], shape["weights"]
    per_element = shape.get("flops_per_element", inputs - 1 + vectors)
    tensors = (
        Tensor(WEIGHTS, vectors * dim * widths.weight, (COLUMNS,)),
        *(Tensor(ACTIVATIONS, rows * dim * widths.element, (ROWS, COLUMNS)) for _ in range(inputs)),
        Tensor(OUTPUT, rows * dim * widths.element, (ROWS, COLUMNS)),
    )
    return OperatorWork((rows, dim, 1), ("rows", "dim", None), tensors, rows * dim * per_element)


ELEMENTWISE = OperatorKind(
    6,
    "elementwise",
    required=("rows", "dim", "inputs"),
    optional={"weights": 0, "flops_per_element": None},
    may_be_zero=frozenset({"weights", "flops_per_element"}),
    tile=("rows", "dim"),
    work=_work,
)
