"""One step of a state space: the newest token of each sequence, every one with a state of its own."""

from __future__ import annotations

from .families.state_space import NAME, PARAMETER_BYTES, SIZES, heads_in_groups, state_space
from .kind import OperatorKind, Sizes, Widths
from .work import OperatorWork


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    return state_space(shape, widths, shape["tokens"], shape["tokens"])


STEP = OperatorKind(
    12,
    "step",
    required=SIZES,
    tile=("tokens", "heads"),
    work=_work,
    contradictions=heads_in_groups,
    relatives=NAME,
    parameter_bytes=PARAMETER_BYTES,
)
