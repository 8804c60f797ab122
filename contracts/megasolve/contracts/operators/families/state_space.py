"""State spaces: a recurrent state per head, updated token by token at 7 flops per element."""

from __future__ import annotations

from ..kind import Contradictions, Sizes, Widths, not_divided
from ..work import ACTIVATIONS, CARRIED, COLUMNS, OUTPUT, ROWS, STATE, WEIGHTS, OperatorWork, Tensor

NAME = "state_space"
SIZES = ("tokens", "heads", "head_dim", "state", "groups")
PARAMETER_BYTES = 4
"""Recurrent states and their parameters are kept in full precision unless an operator says otherwise."""


def state_space(shape: Sizes, widths: Widths, rows: int, sequences: int) -> OperatorWork:
    """Return the work of *rows* rows: the tokens of one row follow each other, so only rows and heads can be cut."""
    tokens, heads, head_dim, state, groups = (shape[key] for key in SIZES)
    inner, state_bytes = tokens * heads * head_dim, sequences * heads * head_dim * state * widths.state
    tensors = (
        Tensor(WEIGHTS, 3 * heads * widths.weight, (COLUMNS,)),
        Tensor(ACTIVATIONS, (inner + tokens * heads) * widths.element, (ROWS, COLUMNS)),
        Tensor(ACTIVATIONS, 2 * tokens * groups * state * widths.element, (ROWS,)),
        Tensor(STATE, state_bytes, (ROWS, COLUMNS)),
        Tensor(CARRIED, state_bytes, (ROWS, COLUMNS)),
        Tensor(OUTPUT, inner * widths.element, (ROWS, COLUMNS)),
    )
    return OperatorWork((rows, heads, 1), ("tokens" if rows == tokens else None, "heads", None), tensors, 7 * inner * state)


def heads_in_groups(sizes: Sizes) -> Contradictions:
    """Yield the groups where heads do not come in whole ones."""
    return not_divided(sizes, "heads", "groups")
