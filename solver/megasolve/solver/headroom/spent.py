"""What the time of today is spent on, where all of it is conventional kernels one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from megasolve.simulate.plan.cover import Backend, Region

from ..optimize.space.arcs import Ps
from ..optimize.space.costing import SERIAL
from ..search.predicates import Judge
from .baseline import Baseline
from .facts.today import Todays


@dataclass(frozen=True, slots=True)
class SpentToday:
    """Of *total_ps* the device is busy with kernels for *busy_ps*; *kernels* ran."""

    total_ps: Ps
    busy_ps: Ps
    kernels: int

    @property
    def idle_ps(self) -> Ps:
        """The time in which no kernel ran: launches, gaps, and waits for the host."""
        return self.total_ps - self.busy_ps


def spent_today(judge: Judge, todays: Todays, best: Baseline) -> SpentToday | None:
    """Return what the *best* design of today spends its time on; None where it has a megakernel, or a group has no evidence."""
    if "m:" in best.id:
        return None
    busy_ps, kernels = 0, 0
    for group in judge.graph.groups:
        today = todays.of((group,))
        if today is None:
            return None
        (choice,) = judge.choices(Region(Backend.CONVENTIONAL, (group,)))[:1]
        runs = sum(need.runs for need in judge.needs(choice, SERIAL))
        busy_ps += runs * today.kernels_ps
        kernels += runs * today.kernels
    cycle = judge.question.scores_per_cycle
    return SpentToday(best.score_ps, _shared(busy_ps, cycle), kernels // cycle)


def _shared(time_ps: int, cycle: int) -> Ps:
    return time_ps if cycle == 1 else Fraction(time_ps, cycle)
