"""Repeats: what is timed again at the end of a block, and which of its times that judges."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...harness.request import Experiment
from ...harness.results import Repeat
from ...harness.statistics import lower_median

# Experiments of the beginning that are timed again, the second only where the first came out otherwise; each up to so many times.
REFERENCES, MOST_TIMES = 2, 3


def repeated(experiment: Experiment, first_us: float, again: Callable[[], float], settled: float) -> Repeat:
    """Return what taking a time *again* came to: once where it is *settled*, otherwise so often that one noisy time decides nothing."""
    once = Repeat(experiment, first_us, again())
    # One more time costs a block little; three are taken only where the first says that something moved.
    if once.drift <= settled:
        return once
    return Repeat(experiment, first_us, lower_median(sorted([once.again_us, *(again() for _ in range(MOST_TIMES - 1))])))


def is_settled(repeats: Iterable[Repeat], settled: float) -> bool:
    """Return whether one of *repeats* came out as it had, so that the block did not drift."""
    return any(repeat.drift <= settled for repeat in repeats)


def judged(repeats: Iterable[Repeat], settled: float) -> tuple[Repeat | None, tuple[Repeat, ...]]:
    """Return the repeat that judges a whole block, the nearest, and those that did not come out as they had although it did."""
    known = list(repeats)
    nearest = min(known, key=lambda repeat: repeat.drift, default=None)
    if not is_settled(known, settled):
        return nearest, ()
    return nearest, tuple(repeat for repeat in known if repeat.drift > settled)
