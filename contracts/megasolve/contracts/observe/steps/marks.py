"""The marks that profilers and servers write for steps by themselves: they say where steps begin, where nobody else does."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from statistics import median_low

from ...model.wording import counted
from ...profiles.wording import listed
from ..globs import Globs
from ..observation import StepsBy
from ..timelines.occurrence import Occurrence
from ..timelines.timeline import Timeline
from .steps import begun_before, gathered, instances

# PyTorch's profiler, SGLang, vLLM: of marks that begin alike, the first one here.
STEP_MARKS = ("ProfilerStep#*", "step[[]*", "execute_*")


@dataclass(frozen=True, slots=True)
class UsualSteps:
    """How steps are found where nobody said it, and what there is to say about that."""

    by: StepsBy
    notes: tuple[str, ...] = ()


def usual_steps(ran: Timeline, asked: StepsBy) -> UsualSteps:
    """Return *asked* where it says how, else by the marks with the least idle time before a step's first kernel, else by the whole."""
    if not asked.is_usual:
        return UsualSteps(asked)
    found = _marked(ran)
    if not found:
        # Said in so many words, the whole profile also holds what was called for before the recording began.
        return UsualSteps(replace(asked, is_usual=begun_before(ran) > 0))
    idle = _IdleTime(ran)
    chosen = min(found, key=lambda glob: median_low([idle.before_first(step) for step in found[glob]]))
    return UsualSteps(replace(asked, marks=chosen, is_usual=False), tuple(_chosen(chosen, found)))


def step_starts(ran: Timeline) -> frozenset[int]:
    """Return the launches at which a step begins by the marks of any profiler."""
    return frozenset(step.launches[0] for steps in _marked(ran).values() for step in steps)


def _marked(ran: Timeline) -> dict[str, tuple[Occurrence, ...]]:
    return {glob: steps for glob in STEP_MARKS if (steps := gathered(instances(ran.kernels, Globs([glob]))))}


def _chosen(chosen: str, found: dict[str, tuple[Occurrence, ...]]) -> Sequence[str]:
    others = [f"'{glob}' ({counted(len(steps), 'instance')})" for glob, steps in found.items() if glob != chosen]
    also = f"; {listed(others)} would be, too, with more idle time before the first kernel, or as much" if others else ""
    return [f"marks of steps are in the profile, so '{chosen}' are its steps{also}: --steps says otherwise"]


class _IdleTime:
    """Sums of idle times, asked for by the moment that they begin at and the launch that they end with."""

    def __init__(self, ran: Timeline) -> None:
        self._ran = ran
        self._starts_ps = [ran.start_ps(launch) for launch in range(len(ran.kernels))]
        self._until_ps = list(accumulate(share.gap_ps for share in ran.shares))

    def before_first(self, step: Occurrence) -> int:
        """Return how long the device was idle from the mark of *step* on, before the first launch of it."""
        first = step.launches[0]
        begun_ps = self._starts_ps[first] if step.host is None else step.host.start_ps
        within = bisect_right(self._starts_ps, begun_ps)
        if within > first:
            return 0
        since_ps = self._starts_ps[within] - begun_ps
        idle_ps = min(since_ps, self._ran.shares[within].gap_ps) if within else since_ps
        return idle_ps + self._until_ps[first] - self._until_ps[within]
