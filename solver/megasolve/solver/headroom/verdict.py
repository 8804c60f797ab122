"""Verdicts: whether a region can pay, in a word and the figure that goes with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from ..optimize.space.arcs import Ps
from .trying.break_even import BreakEven, HowItEnds


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


def judged(found: BreakEven, *, floor_ps: int, kernels_ps: int, saves_ps: Ps) -> Judged:
    """Return what *found* means for a region that takes *floor_ps* at least and saves *saves_ps* at the *kernels_ps* of today."""
    if found.ending is HowItEnds.ANY_TIME:
        return Judged(Payoff.ANY_TIME)
    if found.time_ps is None:
        return Judged(Payoff.CANNOT_PAY)
    factor = Fraction(found.time_ps, kernels_ps) if kernels_ps else None
    if found.time_ps < floor_ps:
        return Judged(Payoff.CANNOT_PAY, factor)
    # A tie at the times of today is no gain: then its kernels have to be faster, however little.
    return Judged(Payoff.BY_LAUNCHES if saves_ps else Payoff.IF_FASTER, factor)
