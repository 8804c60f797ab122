"""A scan of a state space over the tokens of a prompt: one row, because each token waits for the one before."""

from __future__ import annotations

from .families.state_space import NAME, PARAMETER_BYTES, SIZES, heads_in_groups, state_space
from .kind import OperatorKind, Sizes, Widths
from .work import OperatorWork


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    return state_space(shape, widths, 1, shape["sequences"])


SCAN = OperatorKind(
    11,
    "scan",
    required=SIZES,
    optional={"sequences": 1},
    tile=("heads",),
    work=_work,
    contradictions=heads_in_groups,
    relatives=NAME,
    parameter_bytes=PARAMETER_BYTES,
)
