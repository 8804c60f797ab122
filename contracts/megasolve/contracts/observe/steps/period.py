"""The period of a sequence of kernels: how many launches make a step, where steps start, and how many launches differ.

A step is found by repetition alone, so nothing but the order of the kernels matters. A sequence repeats with period p where kernel
n + p equals kernel n. The longest such stretch counts, with one differing kernel for every `_EQUAL_PER_DIFFERING` equal ones
allowed: what is before and after (set-up, sampling, a partial step) may be anything. Layers repeat within a step, too, but the
kernels around them break their repetition once per step and outweigh it. Where nothing stands around the layers, they are the
shortest period, and what is found then is a layer: the caller says so.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

_EQUAL_PER_DIFFERING = 20

# A finer view of the kernels, or a shorter period, is preferred as long as it explains this many tenths of what another explains.
_ENOUGH_TENTHS = 9

# Of the distances at each width, the true period is among the commonest few: others belong to the layers within.
_COMMONEST = 8


@dataclass(frozen=True, slots=True)
class Repetition:
    """Steps of *period* kernels at *starts*, in order; *differing* of their kernels are not those of the first step."""

    period: int
    starts: tuple[int, ...]
    differing: int

    @property
    def covered(self) -> int:
        """The kernels in whole steps."""
        return self.period * len(self.starts)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Kernels ``first`` to ``end`` repeat with *period*; *worth* is their number less the fine for those that differ."""

    period: int
    first: int
    end: int
    worth: int

    @property
    def repeats(self) -> bool:
        return self.end - self.first >= 2 * self.period


def find_repetition(kernels: Sequence[Hashable], period: int | None = None, idle_ps: Sequence[int] = ()) -> Repetition | None:
    """Return how *kernels* repeat, with the given period or the one that explains most; None where nothing runs twice in a row.

    Repetition tells how long a step is, not where it starts. It starts where the device is idle longest before a kernel, if *idle_ps* (for
    each kernel) makes that clear and no step is lost by it, else where the repetition does.
    """
    codes = _codes(kernels)
    periods = _candidates(codes) if period is None else [period]
    stretches = [stretch for candidate in periods if (stretch := _longest_stretch(codes, candidate)).repeats]
    best = max((stretch.worth for stretch in stretches), default=0)
    good = [stretch for stretch in stretches if stretch.worth * 10 >= best * _ENOUGH_TENTHS]
    return _aligned(codes, min(good, key=lambda stretch: stretch.period), idle_ps) if good else None


def worth_more(finer: Repetition | None, coarser: Repetition | None) -> bool:
    """Whether *coarser*, which tells fewer kernels apart, explains so much more that it is to be preferred."""
    if finer is None or coarser is None:
        return finer is None
    return finer.covered * 10 < coarser.covered * _ENOUGH_TENTHS


def _codes(kernels: Sequence[Hashable]) -> Any:
    import numpy as np

    numbers: dict[Hashable, int] = {}
    return np.fromiter((numbers.setdefault(kernel, len(numbers)) for kernel in kernels), dtype=np.int64, count=len(kernels))


def _candidates(codes: Any) -> list[int]:
    """Return the distances at which stretches of 1, 2, 4, ... kernels come again, the commonest few of each width.

    A long stretch crosses the edge of a step, so that only whole steps bring it again.
    """
    import numpy as np

    found: set[int] = set()
    ranks, width = codes, 1
    while len(ranks) > 1:
        order = np.argsort(ranks, kind="stable")
        distances, times = np.unique(np.diff(order)[ranks[order][1:] == ranks[order][:-1]], return_counts=True)
        if not len(distances):
            break
        found.update(int(distances[n]) for n in np.argsort(-times, kind="stable")[:_COMMONEST])
        # Two neighbours of one width make one of twice the width: equal pairs of ranks are equal stretches.
        pairs = ranks[:-width] * (len(codes) + 1) + ranks[width:]
        ranks, width = np.unique(pairs, return_inverse=True)[1], 2 * width
    return sorted(found)


def _longest_stretch(codes: Any, period: int) -> _Stretch:
    """Return the stretch where equal kernels most outweigh the fine for those that differ (a maximum subarray, in whole numbers)."""
    import numpy as np

    equal = codes[period:] == codes[:-period]
    if not len(equal):
        return _Stretch(period, 0, 0, 0)
    reached = np.concatenate(([0], np.cumsum(np.where(equal, 1, -_EQUAL_PER_DIFFERING))))
    gain = reached - np.minimum.accumulate(reached)
    end = int(np.argmax(gain))
    first = end - int(np.argmin(reached[end::-1]))
    return _Stretch(period, first, end + period, int(gain[end]) + period)


def _aligned(codes: Any, stretch: _Stretch, idle_ps: Sequence[int]) -> Repetition:
    plain, after_the_wait = (_repetition(codes, stretch, stretch.first + phase) for phase in (0, _phase(stretch, idle_ps)))
    return plain if len(after_the_wait.starts) < len(plain.starts) else after_the_wait


def _repetition(codes: Any, stretch: _Stretch, first: int) -> Repetition:
    """Cut the stretch into steps from *first* on, and find further ones before and after it, where an extra kernel had shifted the rest."""
    period = stretch.period
    last = first + (stretch.end - first) // period * period
    template = codes[first : first + period]
    starts = (*_elsewhere(codes, template, 0, first), *range(first, last, period), *_elsewhere(codes, template, last, len(codes)))
    return Repetition(period, starts, sum(int((codes[start : start + period] != template).sum()) for start in starts))


def _phase(stretch: _Stretch, idle_ps: Sequence[int]) -> int:
    """Return how many kernels into the stretch the device waits longest, if more than twice as long as where the stretch starts."""
    import numpy as np

    steps = (stretch.end - stretch.first) // stretch.period
    idle = np.array(idle_ps[stretch.first : stretch.first + steps * stretch.period], dtype=np.int64)
    if not len(idle):
        return 0
    usual = np.sort(idle.reshape(steps, stretch.period), axis=0)[(steps - 1) // 2]
    longest = int(np.argmax(usual))
    return longest if usual[longest] > 2 * usual[0] else 0


def _elsewhere(codes: Any, template: Any, first: int, end: int) -> list[int]:
    """Return where steps like *template* start between *first* and *end*, by the kernel that is rarest in it."""
    import numpy as np

    period = len(template)
    numbers, times = np.unique(template, return_counts=True)
    anchor = int(np.argmax(template == numbers[np.argmin(times)]))
    starts: list[int] = []
    for place in np.flatnonzero(codes[first:end] == template[anchor]):
        start = first + int(place) - anchor
        earliest = starts[-1] + period if starts else first
        if earliest <= start <= end - period and (codes[start : start + period] != template).sum() * _EQUAL_PER_DIFFERING <= period:
            starts.append(start)
    return starts
