"""Break-even: the largest time at which the best design with a region still wins or ties against the best one without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from ...crossings.crossings import crossings, first_crossing
from ...crossings.sounding import Ask, Crossing, Sounding
from ...optimize.space.arcs import Ps

Score = Callable[[int], Ps | None]
"""What the best design scores where one occurrence of the members of a region takes so long; None where there is none."""

_STRIDES = 64
_PROBES = 8


class HowItEnds(Enum):
    """How the search for a break-even ended."""

    EXACT = "exact"
    ANY_TIME = "any time"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class BreakEven:
    """The largest *time_ps* that wins or ties, a picosecond more loses; None where it never loses, or loses at no time at all.

    *others* are further changes that were seen where there may be several; *is_only* says that there can be no other one.
    """

    ending: HowItEnds
    time_ps: int | None = None
    others: tuple[Crossing[bool], ...] = ()
    is_only: bool = True


def break_even(score: Score, baseline_ps: Ps, *, floor_ps: int, kernels_ps: int, cycle_ps: int, is_serial: bool = True) -> BreakEven:
    """Return the break-even of a region with this *score*.

    Parameters
    ----------
    floor_ps
        Where the search begins to gallop upwards.
    kernels_ps
        What its kernels take today: the scale of the steps.
    cycle_ps
        What the baseline takes for all that a score is the mean of: a region that runs at all loses at twice as much.
    is_serial
        Whether only serial designs are tried: then the score never falls as the time grows, and there is one break-even.
    """

    def ask(b_ps: int) -> Sounding[bool]:
        found = score(b_ps)
        return Sounding(found is not None and found <= baseline_ps, None if found is None else found - baseline_ps)

    stop, wins_at_nothing = 2 * max(cycle_ps, kernels_ps, floor_ps) + 1, ask(0).state
    if is_serial and not wins_at_nothing:
        return BreakEven(HowItEnds.NEVER)
    if is_serial:
        return _only_one(ask, min(_guess(ask, kernels_ps), stop), stop)
    start = floor_ps if ask(floor_ps).state else 0
    found = first_crossing(ask, start, stop, stride=max(kernels_ps // _STRIDES, 1))
    others = tuple(one for one in crossings(ask, 0, stop, probes=_PROBES) if one != found)
    if not ask(start).state:
        return BreakEven(HowItEnds.NEVER, None, others, is_only=False)
    if found is None:
        return BreakEven(HowItEnds.ANY_TIME, None, others, is_only=False)
    return BreakEven(HowItEnds.EXACT, found.last, others, is_only=False)


def _guess(ask: Ask[bool], kernels_ps: int) -> int:
    """Return about where the score meets the baseline if it goes on as straight as it is at *kernels_ps*."""
    step_ps = max(kernels_ps // _STRIDES, 1)
    here, there = ask(kernels_ps).score, ask(kernels_ps + step_ps).score
    if here is None or there is None or here == there:
        return kernels_ps
    return max(kernels_ps - int(here * step_ps // (there - here)), 0)


def _only_one(ask: Ask[bool], guess_ps: int, stop: int) -> BreakEven:
    """Return the only break-even there is, looked for from *guess_ps* on: the score never falls as the time grows, and wins at nothing."""
    if ask(guess_ps).state:
        found = first_crossing(ask, guess_ps, stop)
        return BreakEven(HowItEnds.ANY_TIME) if found is None else BreakEven(HowItEnds.EXACT, found.last)
    found = first_crossing(ask, guess_ps, 0)
    return BreakEven(HowItEnds.NEVER) if found is None else BreakEven(HowItEnds.EXACT, found.first)
