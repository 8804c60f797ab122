"""Rows of a table, gathered by token."""

from __future__ import annotations

from .kind import OperatorKind, Sizes, Widths
from .work import ACTIVATIONS, COLUMNS, OUTPUT, ROWS, OperatorWork, Tensor


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    tokens, dim = shape["tokens"], shape["dim"]
    # The gathered rows count as activations: unlike weights they grow with the batch.
    tensors = tuple(Tensor(role, tokens * dim * widths.element, (ROWS, COLUMNS)) for role in (ACTIVATIONS, OUTPUT))
    return OperatorWork((tokens, dim, 1), ("tokens", "dim", None), tensors, 0)


EMBEDDING = OperatorKind(8, "embedding", required=("tokens", "dim"), tile=("tokens", "dim"), work=_work)
