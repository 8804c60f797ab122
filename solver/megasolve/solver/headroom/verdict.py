"""Verdicts: whether a region can pay, in a word and the figure that goes with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from .break_even import BreakEven, HowItEnds


class Payoff(Enum):
    """What the break-even of a region means beside its floor and its kernels of today."""

    CANNOT_PAY = "cannot pay"
    BY_LAUNCHES = "pays by launches alone"
    IF_FASTER = "pays only if faster"
    ANY_TIME = "pays at any time"


@dataclass(frozen=True, slots=True)
class Judged:
    """A *verdict*; *factor* is the break-even over today's kernel time, where there is one."""

    verdict: Payoff
    factor: Fraction | None = None


def judged(found: BreakEven, *, floor_ps: int, kernels_ps: int) -> Judged:
    """Return what *found* means for a region whose kernels take *kernels_ps* today and that takes *floor_ps* at least."""
    if found.ending is HowItEnds.ANY_TIME:
        return Judged(Payoff.ANY_TIME)
    if found.time_ps is None:
        return Judged(Payoff.CANNOT_PAY)
    factor = Fraction(found.time_ps, kernels_ps) if kernels_ps else None
    if found.time_ps < floor_ps:
        return Judged(Payoff.CANNOT_PAY, factor)
    return Judged(Payoff.BY_LAUNCHES if found.time_ps >= kernels_ps else Payoff.IF_FASTER, factor)
