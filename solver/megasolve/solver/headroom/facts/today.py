"""Today: what a region takes on conventional kernels by itself, and what of it is kernels, launch gaps and waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from megasolve.contracts import Contract
from megasolve.simulate.plan.candidate import Candidate, Choice
from megasolve.simulate.plan.cover import Backend, Cover, Region
from megasolve.simulate.plan.launches import Graphed, dearest
from megasolve.simulate.plan.sharing import Phase
from megasolve.simulate.plan.works import Section, Work
from megasolve.simulate.predict.maxplus import advance
from megasolve.simulate.predict.occurrences import Run, run_matrix

from ...evidence.lookup import RecordUse
from ...optimize.space.costing import SERIAL
from ...search.predicates import Judge, Variant
from ...select.compose import compose


@dataclass(frozen=True, slots=True)
class Today:
    """One occurrence of every member on the conventional kernels of each, with nothing beside it.

    *waits_ps* is what neither kernels nor the gaps and launches before them take: the device waits for the host. *call_ps* is what
    one call of each group takes of *kernels_ps*, *each_ps* the same of each contract, and *accuracy* what its records state of them.
    """

    choice: Choice
    kernels: int
    launches: int
    kernels_ps: int
    gaps_ps: int
    waits_ps: int
    call_ps: tuple[int, ...]
    each_ps: tuple[int, ...] = ()
    accuracy: Fraction | None = None

    @property
    def total_ps(self) -> int:
        """The standalone serial time."""
        return self.kernels_ps + self.gaps_ps + self.waits_ps

    @property
    def contracts(self) -> tuple[Contract, ...]:
        """The kernels in order."""
        return tuple(one.value for one in self.choice.contracts)


class Todays:
    """What regions of one question take today, each group's implementation chosen once.

    It is that of the best design of today, whose kernels are those of *variant*: beside others, or repeated, kernels that take longer by
    themselves can be quicker, as one graph over many repeats is. A group that the best design has on a megakernel has its quickest kernels.
    """

    def __init__(self, judge: Judge, variant: Variant) -> None:
        self.judge = judge
        self._chosen: dict[str, Choice | None] = {group: self._choice(group, variant) for group in judge.graph.groups}

    def of(self, groups: Sequence[str]) -> Today | None:
        """Return what *groups* take; None where there is no conventional evidence for one of them."""
        chosen = [self._chosen[group] for group in groups]
        known = [one for one in chosen if one is not None]
        if len(known) < len(chosen):
            return None
        kernels = tuple(kernel for one in known for kernel in one.contracts)
        return _today(self.judge, Choice(Region(Backend.CONVENTIONAL, tuple(groups)), kernels))

    def _choice(self, group: str, variant: Variant) -> Choice | None:
        """Return the implementation of *group* in *variant*, else the one that takes least by itself; of equals the first by name."""
        every = self.judge.choices(Region(Backend.CONVENTIONAL, (group,)))
        known = [choice for choice in every if not self.judge.causes_alone(choice, SERIAL)]
        in_use = [one.contracts_of(group) for one in variant if not one.region.is_megakernel]
        used = [choice for choice in known if choice.contracts in in_use]
        return min(used or known, key=lambda choice: _today(self.judge, choice).total_ps, default=None)


def _today(judge: Judge, choice: Choice) -> Today:
    composed = compose(judge, Candidate(Cover((choice.region,)), SERIAL), (choice,))
    composition, (region,) = composed.composition, composed.composition.regions
    works = tuple(composition.works[group, Phase.WHOLE] for group in choice.region.groups)
    run = Run(region, (Section(works),))
    total_ps = advance((0, 0), run_matrix(run, lambda _label, ps: ps))[1]
    kernels_ps = sum(work.service_ps for work in works)
    is_graph = isinstance(region.launching, Graphed)
    gaps_ps = sum(work.gaps_ps for work in works) + _launches_ps(works, is_graph=is_graph)
    kernels = sum(work.calls * sum(service.launches for service in work.services) for work in works)
    calls = tuple(sum(service.duration_ps for service in work.services) for work in works)
    each = tuple(service.duration_ps for work in works for service in work.services)
    waits_ps, launches = total_ps - kernels_ps - gaps_ps, 1 if is_graph else kernels
    return Today(choice, kernels, launches, kernels_ps, gaps_ps, waits_ps, calls, each, _accuracy(judge, choice))


def _accuracy(judge: Judge, choice: Choice) -> Fraction | None:
    """Return how accurate the times are by what their records state, each weighted by its time; None where none states it."""
    uses = ((need.group.calls, use) for need in judge.needs(choice, SERIAL) for use in judge.records(choice, need))
    found = [(calls, use.record) for calls, use in uses if isinstance(use, RecordUse)]
    stated = [(calls * record.time_ps, record.accuracy) for calls, record in found if record.accuracy is not None]
    whole = sum(calls * record.time_ps for calls, record in found)
    return sum((spent * Fraction(accuracy) for spent, accuracy in stated), Fraction(0)) / whole if stated else None


def _launches_ps(works: Sequence[Work], *, is_graph: bool) -> int:
    """Return the exposed parts of all launches, for which the device waits whatever the host does."""
    if is_graph:
        return dearest(service.dispatch for work in works for service in work.services).exposed_ps
    return sum(work.calls * service.launches * service.dispatch.exposed_ps for work in works for service in work.services)
