"""What the time of today is spent on, where all of it is conventional kernels one after the other, and what it would be as a graph."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from megasolve.contracts.limits.graph_gaps import dependent_gap, graph_gap
from megasolve.simulate.plan.cover import Backend, Region

from ..optimize.space.arcs import Ps
from ..optimize.space.costing import SERIAL
from ..search.predicates import Judge
from .baseline import Baseline
from .facts.floor import kernel_floors
from .facts.today import Today, Todays


@dataclass(frozen=True, slots=True)
class SpentToday:
    """Of *total_ps* the device is busy with kernels for *busy_ps*; *kernels* ran.

    *gap_ps* is what lies between two of them as nodes of a CUDA graph, and *is_gap_stated* whether the device says so; *is_graph* whether
    most are nodes of one today. *floor_ps* is what they take one by one at the peaks of the device;
    in it *opaque* kernels count as today.
    """

    total_ps: Ps
    busy_ps: Ps
    kernels: int
    gap_ps: int
    is_gap_stated: bool
    is_graph: bool
    floor_ps: Ps
    opaque: int

    @property
    def idle_ps(self) -> Ps:
        """The time in which no kernel ran: launches, gaps, and waits for the host."""
        return self.total_ps - self.busy_ps

    @property
    def as_graph_ps(self) -> Ps:
        """The kernels as nodes of one CUDA graph, a gap before each."""
        return self.busy_ps + self.kernels * self.gap_ps

    @property
    def dependent_gap_ps(self) -> int:
        """What lies between two nodes with dependent launch."""
        return dependent_gap(self.gap_ps)

    @property
    def as_dependent_graph_ps(self) -> Ps:
        """The same with dependent launch."""
        return self.busy_ps + self.kernels * self.dependent_gap_ps


def spent_today(judge: Judge, todays: Todays, best: Baseline) -> SpentToday | None:
    """Return what the *best* design of today spends its time on.

    None where it has a megakernel, where its kernels run beside each other, so that their times do not add up to its own, or where a
    group has no evidence.
    """
    if "m:" in best.id or not best.is_serial:
        return None
    device, question = judge.study.device.value, judge.question
    busy_ps = kernels = graphed = floor_ps = opaque = 0
    for group in judge.graph.groups:
        today = todays.of((group,))
        if today is None:
            return None
        runs, floors = _runs(judge, group), kernel_floors(question, device, today)
        busy_ps, kernels = busy_ps + runs * today.kernels_ps, kernels + runs * today.kernels
        floor_ps, opaque = floor_ps + runs * floors.time_ps, opaque + runs * floors.opaque
        graphed += runs * today.kernels * _is_graph(today)
    cycle = question.scores_per_cycle
    gap_ps, is_stated = graph_gap(device)
    return SpentToday(
        best.score_ps,
        _shared(busy_ps, cycle),
        kernels // cycle,
        gap_ps,
        is_stated,
        2 * graphed > kernels,
        _shared(floor_ps, cycle),
        opaque // cycle,
    )


def _runs(judge: Judge, group: str) -> int:
    """Return how often *group* occurs until the objective is reached."""
    (choice,) = judge.choices(Region(Backend.CONVENTIONAL, (group,)))[:1]
    return sum(need.runs for need in judge.needs(choice, SERIAL))


def _is_graph(today: Today) -> bool:
    return all(contract.dispatch.kind == "graph" for contract in today.contracts)


def _shared(time_ps: int, cycle: int) -> Ps:
    return time_ps if cycle == 1 else Fraction(time_ps, cycle)
