"""Idle times that no launch costs: the device waited for the host, for a copy or for other work, and no kernel could save that.

An idle time before a launch is its launch cost, unless it stands far outside of what launches cost here. Where it spans the start of a
step, a copy or a call in which the host waited for the device, ten times the usual idle time and a hundredth of the step's kernels are far
enough; elsewhere twenty times and a hundredth, where it lasts a millisecond, else a tenth of the step's kernels, and twenty times what
stands before the same kernel, too. What a graph's launch call fills is its cost.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ...model.base import PS_PER_MS, PS_PER_US
from ...profiles.execution import Execution
from ..observation import Outside
from ..timelines.occurrence import Occurrence
from ..timelines.timeline import Timeline
from .group_occurrences import StepsOf

# Even a slow host launches a kernel in less; what takes longer than the second is hardly a launch, and than the third none at all.
_LEAST_PS = 100 * PS_PER_US
_HARDLY_A_LAUNCH_PS = PS_PER_MS
_NO_LAUNCH_PS = 10**10


@dataclass(frozen=True, slots=True)
class Wait:
    """The idle time before *launch* in occurrence number *place*, and why it is none that a launch costs."""

    launch: int
    place: int
    idle_ps: int
    because: str


def waits(steps: StepsOf, occurrences: Sequence[Occurrence], gaps_ps: Sequence[int], starts: Iterable[int]) -> tuple[Wait, ...]:
    """Return the waits among *gaps_ps* in *occurrences*, in their order; at the launches *starts* a step begins."""
    usual = _Usual(steps.ran, [launch for one in occurrences for launch in one.launches], gaps_ps)
    spanned = _Spanned(steps.execution, steps.ran, {one.launches[0] for one in occurrences} | set(starts))
    return tuple(wait for place, one in enumerate(occurrences) for wait in _of_one(place, one, gaps_ps, usual, spanned))


def _of_one(place: int, occurrence: Occurrence, gaps_ps: Sequence[int], usual: _Usual, spanned: _Spanned) -> Iterator[Wait]:
    busy_ps = sum(spanned.ran.shares[launch].service_ps for launch in occurrence.launches)
    for launch in occurrence.launches:
        if gaps_ps[launch] >= _LEAST_PS and (because := _because(launch, gaps_ps[launch], busy_ps, usual, spanned)):
            yield Wait(launch, place, gaps_ps[launch], because)


def _because(launch: int, idle_ps: int, busy_ps: int, usual: _Usual, spanned: _Spanned) -> str:
    if spanned.is_of_a_graphs_launch(launch, idle_ps):
        return ""
    usual_ps = usual.ps(launch)
    if 100 * idle_ps < busy_ps:
        return ""
    if (what := spanned.what(launch, idle_ps)) and idle_ps >= 10 * usual_ps:
        return f"it spans {what}"
    is_material = 10 * idle_ps >= busy_ps
    if (idle_ps >= _HARDLY_A_LAUNCH_PS and idle_ps >= 20 * usual_ps) or (idle_ps >= _NO_LAUNCH_PS and is_material):
        return "longer than any launch takes"
    if not is_material:
        return ""
    return "far longer than before other launches" if idle_ps >= 20 * max(usual_ps, usual.of_its_kernel_ps(launch)) else ""


class _Usual:
    """The lower median of the idle times before the other launches, all of them or those of the same kernel; most may be 0."""

    def __init__(self, ran: Timeline, launches: Sequence[int], gaps_ps: Sequence[int]) -> None:
        self._ran, self._gaps_ps = ran, gaps_ps
        self._every = sorted(gaps_ps[launch] for launch in launches)
        self._by_kernel: dict[str, list[int]] = {}
        for launch in sorted(launches, key=lambda launch: gaps_ps[launch]):
            self._by_kernel.setdefault(ran.kernels[launch].shape.name, []).append(gaps_ps[launch])

    def ps(self, launch: int) -> int:
        """Return the usual idle time before any other launch; 0 where there is none."""
        return _median_without(self._every, self._gaps_ps[launch])

    def of_its_kernel_ps(self, launch: int) -> int:
        """Return the usual idle time before the other launches of the same kernel; 0 where there is none."""
        return _median_without(self._by_kernel[self._ran.kernels[launch].shape.name], self._gaps_ps[launch])


def _median_without(ascending: Sequence[int], one: int) -> int:
    """Return the lower median of *ascending* without *one* of its values, 0 where nothing else is there."""
    if len(ascending) < 2:
        return 0
    middle = (len(ascending) - 2) // 2
    return ascending[middle + (bisect_left(ascending, one) <= middle)]


class _Spanned:
    """What lies within the idle time before a launch."""

    def __init__(self, execution: Execution, ran: Timeline, starts: set[int]) -> None:
        self.ran, self._starts = ran, starts
        copies = [one for one in execution.copies if one.device in (None, ran.device)]
        self._copy_starts_ps = [one.start_ps for one in copies]
        self._copied_until_ps = list(accumulate((one.end_ps for one in copies), max))
        self._released_ps = sorted(one.end_ps for one in execution.synchronizations)

    def what(self, launch: int, idle_ps: int) -> str:
        """Return what the idle time of *idle_ps* before *launch* spans, or nothing."""
        end_ps = self.ran.start_ps(launch)
        start_ps = end_ps - idle_ps
        if launch in self._starts:
            return "the start of a step"
        if bisect_right(self._released_ps, start_ps) < bisect_right(self._released_ps, end_ps):
            return "a synchronization"
        begun = bisect_left(self._copy_starts_ps, end_ps)
        return "a copy" if begun and self._copied_until_ps[begun - 1] > start_ps else ""

    def is_of_a_graphs_launch(self, launch: int, idle_ps: int) -> bool:
        """Whether the call that launched the graph of *launch* fills half of the idle time before it."""
        kernel = self.ran.kernels[launch]
        if kernel.graph is None or kernel.call is None:
            return False
        end_ps = self.ran.start_ps(launch)
        within_ps = min(kernel.call.end_ps, end_ps) - max(kernel.call.start_ps, end_ps - idle_ps)
        return 2 * within_ps >= idle_ps


def outside(ran: Timeline, found: Iterable[Wait]) -> tuple[Outside, ...]:
    """Return the waits *found* by kernel and cause, those of most time first."""
    times: dict[tuple[str, str], list[int]] = {}
    for wait in found:
        times.setdefault((ran.kernels[wait.launch].shape.name, wait.because), []).append(wait.idle_ps)
    every = (Outside(name, because, tuple(each)) for (name, because), each in times.items())
    return tuple(sorted(every, key=lambda one: -one.total_ps))


def outside_samples_ps(found: Iterable[Wait], steps: int) -> tuple[int, ...]:
    """Return the time of the waits *found* in each of the first *steps* occurrences."""
    sums = [0] * steps
    for wait in found:
        if wait.place < steps:
            sums[wait.place] += wait.idle_ps
    return tuple(sums)
