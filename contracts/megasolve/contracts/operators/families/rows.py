"""Operators that make one result of each row."""

from __future__ import annotations

from ..kind import Sizes, Widths
from ..work import ACTIVATIONS, OUTPUT, ROWS, OperatorWork, Tensor

NAME = "row"
SIZES = ("rows", "dim")
TILE = ("rows",)
OWN_FLOPS = "flops_per_element"


def per_row(shape: Sizes, widths: Widths, result_bytes: int, per_element: int) -> OperatorWork:
    """Return the work of results of *result_bytes* each, at *per_element* flops unless the shape has its own."""
    rows, dim = shape["rows"], shape["dim"]
    tensors = (Tensor(ACTIVATIONS, rows * dim * widths.element, (ROWS,)), Tensor(OUTPUT, rows * result_bytes, (ROWS,)))
    return OperatorWork((rows, 1, 1), ("rows", None, None), tensors, rows * dim * shape.get(OWN_FLOPS, per_element))
