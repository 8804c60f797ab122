"""Timed designs: a pool by one statistic, fastest first, each beside the fastest. All planners are judged by the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from .pool import Contender
from .ratio import Ratio, ratio_of
from .statistic import Statistic


@dataclass(frozen=True, slots=True)
class TimedDesign:
    """A design with its time, and that time over the one of the fastest; None where no block has both."""

    contender: Contender
    measured_ps: Fraction
    ratio: Ratio | None


def timed_pool(pool: Sequence[Contender], statistic: Statistic, seed: int = 0) -> tuple[TimedDesign, ...]:
    """Return the designs of *pool* by their times, fastest first, and equal ones in their order."""
    times = {one.name: statistic.of(one.blocks) for one in pool}
    ordered = sorted(pool, key=lambda one: times[one.name])
    return tuple(TimedDesign(one, times[one.name], _ratio(one, ordered[0], statistic, seed)) for one in ordered)


def _ratio(one: Contender, best: Contender, statistic: Statistic, seed: int) -> Ratio | None:
    if one is best:
        return Ratio(Fraction(1), 1.0, 1.0, len(one.blocks))
    return ratio_of(one.blocks, best.blocks, statistic, seed)
