"""Splits: the two sides of a split are one arc, whose end is simulated once for each way in which what precedes it can end.

All that precedes a split is known to it by two times, those at which host and device are free, and only their difference matters. Once
the device is later by all host parts of the split, it matters no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from megasolve.simulate import Ablation, Composition, Deadlock, Sharing, score
from megasolve.simulate.plan.candidate import Candidate, Choice
from megasolve.simulate.plan.cover import Backend, Cover, Region
from megasolve.simulate.predict.bound import longest_path_ps
from megasolve.simulate.predict.maxplus import Matrix, advance
from megasolve.simulate.predict.occurrences import additive_ps
from megasolve.simulate.predict.pieces import assembled, piece, region_blocks
from megasolve.simulate.predict.scoring import event_graph

from ...search.predicates import Judge
from ...select.compose import compose
from .arcs import IDENTITY, Arc, ArcCost, ArcPlace, Ps
from .builder import Builder
from .costing import Costing, summed


@dataclass
class Ends:
    """When the publication of a split comes, exactly, for the times at which host and device are free before it.

    *lead* is what the maker runs on the whole device first. The device is always behind the host by *least_ps* or more, and, where
    *is_known*, by just that much.
    """

    judge: Judge
    ablation: Ablation
    composition: Composition
    lead: Matrix[int]
    divisor: int
    settled_ps: int
    least_ps: int
    is_known: bool
    simulated: dict[int, Ps] = field(default_factory=dict)

    def __call__(self, host_ps: int, device_ps: int) -> Ps:
        """Return the time of the publication."""
        host_ps, device_ps = advance((host_ps, device_ps), self.lead)
        behind = min(device_ps - host_ps, self.settled_ps)
        return device_ps - behind + self.behind(behind)

    def behind(self, ps: int) -> Ps:
        """Return the time of the publication where the host is free at once and the device after *ps*."""
        if ps not in self.simulated:
            found = score(self.composition, self.judge.question.objective, ablation=self.ablation, ahead=(0, ps))
            if isinstance(found, Deadlock):
                raise ArithmeticError(str(found))
            self.simulated[ps] = found.value_ps * self.divisor
        return self.simulated[ps]

    def matrix(self) -> Matrix[int]:
        """Return, in whole picoseconds, how long the publication takes at least from the times at which host and device are free."""
        host, to_host, to_device, device = self.lead
        after_host, after_device = self._least
        from_host = [one + more for one, more in ((host, after_host), (to_device, after_device)) if one is not None]
        from_device = [one + more for one, more in ((to_host, after_host), (device, after_device)) if one is not None]
        return (None, None, max(from_host, default=None), max(from_device, default=None))

    @cached_property
    def _least(self) -> tuple[int, int]:
        """The least time from the host, and from the device, to the publication; exact where the host does not matter."""
        if self.is_known or self.least_ps >= self.settled_ps or self.ablation is not Ablation.FULL:
            ps = min(self.least_ps, self.settled_ps)
            exact = int(self.behind(ps)) - ps
            return self._path(0), exact
        return self._path(0), self._path(self.settled_ps) - self.settled_ps

    def _path(self, behind_ps: int) -> int:
        graph, _ = event_graph(self.composition, self.judge.question.objective, ahead=(0, behind_ps))
        return longest_path_ps(graph)


def least_behind(matrix: Matrix[int]) -> int:
    """Return by how much the device is behind the host, at least, after what *matrix* stands for."""
    host, to_host, to_device, device = matrix
    known = [(to_device, host), (device, to_host)]
    return min((late - early for late, early in known if late is not None and early is not None), default=0)


def split_arcs(builder: Builder) -> Iterator[Arc]:
    """Yield the arcs of what may precede a split, and one for every two choices of its sides that can stand together."""
    admission = {*builder.of("admission")}
    apart = [region for region in builder.judge.graph.regions if admission.issuperset(region)]
    before = [*builder.conventional(apart), *builder.megakernels(apart)]
    yield from before
    for chosen in _sides(builder):
        yield both(builder, chosen, before)


def _sides(builder: Builder) -> Iterator[tuple[Choice, ...]]:
    makers, takers = {*builder.of("producer")}, {*builder.of("consumer")}
    judge, policy = builder.judge, builder.policy
    regions = [Region(Backend.MEGAKERNEL, groups) for groups in judge.graph.regions]
    standing = [region for region in regions if {*region.groups} & (makers | takers) and policy.may_have(region, builder.spec)]
    fit = {region: list(builder.allowed(region)) for region in standing}
    shared = [region for region in standing if makers | takers <= {*region.groups}]
    for region in shared:
        yield from ((one,) for one in fit[region] if not judge.causes_together((one,), policy))
    for maker in (region for region in standing if makers <= {*region.groups} and region not in shared):
        for taker in (region for region in standing if takers <= {*region.groups} and region not in shared):
            if {*maker.groups}.isdisjoint(taker.groups):
                pairs = ((one, other) for one in fit[maker] for other in fit[taker])
                yield from (pair for pair in pairs if not judge.causes_together(pair, policy))


def both(builder: Builder, chosen: tuple[Choice, ...], before: Sequence[Arc]) -> Arc:
    """Return the arc of the two sides of a split, which one of the arcs *before* precedes."""
    first = builder.first(chosen[0].region.groups)
    ahead = [arc for arc in before if arc.last == first or not builder.is_chain]
    slot = ArcPlace(tuple(one.region.groups for one in chosen), "m")
    costs = [_cost(costing, chosen, [arc.costs[time] for arc in ahead]) for time, costing in enumerate(builder.costings)]
    return Arc(slot, chosen, first, len(builder.groups), tuple(costs))


def _cost(costing: Costing, chosen: tuple[Choice, ...], before: Sequence[ArcCost]) -> ArcCost:
    """Return what the two sides of a split cost in one time, where one of *before* precedes them."""
    question = costing.judge.question
    candidate = Candidate(Cover(tuple(one.region for one in chosen)), costing.policy)
    composition = compose(costing.judge, candidate, chosen).composition
    lead = _lead(costing, composition)
    ahead = [least_behind(cost.phases[0]) for cost in before if not cost.is_silent]
    # Without a lead, what precedes says how far the device is behind; nothing precedes, or nothing matters, in the other two cases.
    is_whole = sum(len(one.region.groups) for one in chosen) == len(costing.spec.groups)
    is_known = lead is IDENTITY and (is_whole or question.is_steady)
    least = 0 if is_known else least_behind(lead) if lead is not IDENTITY else min(ahead, default=0)
    hosts = [region.entry.cost.host_ps for region in composition.regions]
    settled = hosts[-1] + hosts[0] * max(1, question.horizon_step - question.ready_step)
    ends = Ends(costing.judge, costing.ablation, composition, lead, question.scores_per_cycle, settled, least, is_known)
    return ArcCost((ends.matrix(), IDENTITY, IDENTITY), ends)


def _lead(costing: Costing, composition: Composition) -> Matrix[int]:
    """Return what the maker runs on the whole device before a dynamic split."""
    if costing.policy.sharing is not Sharing.DYNAMIC or costing.judge.question.is_steady:
        return IDENTITY
    if costing.ablation is not Ablation.FULL:
        return summed(additive_ps(region_blocks(composition.regions[0], composition.works, costing.order)))
    return assembled([piece(composition.regions[0], composition.works, costing.order)], costing.order.middle_steps)
