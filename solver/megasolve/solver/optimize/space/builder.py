"""Building arcs: what each choice of entries that breaks no rule by itself costs under one policy, in every time that is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from megasolve.contracts import Spec
from megasolve.simulate import Ablation
from megasolve.simulate.plan.candidate import Choice
from megasolve.simulate.plan.cover import Backend, Region
from megasolve.simulate.plan.policy import Policy
from megasolve.simulate.plan.region_graph import Groups, RegionGraph

from ...goals.constraint import JOINT, OF_CUTS
from ...search.predicates import Judge
from .arcs import Arc, ArcCost, ArcPlace
from .conventional import GRAPH, Implementation, graph_choices, implementations
from .costing import Costing


@dataclass(frozen=True)
class Builder:
    """Builds the arcs of one policy: those of choices that *judge* finds to break no rule by themselves.

    They have a cost for the question of each of *timed*, which judge one time each, and by default for that of *judge*.
    """

    judge: Judge
    policy: Policy
    ablation: Ablation
    timed: tuple[Judge, ...] = ()

    @property
    def spec(self) -> Spec:
        """The spec that is asked about."""
        return self.judge.question.spec

    @cached_property
    def groups(self) -> Groups:
        """The groups in the order of the spec."""
        return tuple(group.name for group in self.spec.groups)

    @cached_property
    def roles(self) -> dict[str, str]:
        """The role of each group."""
        return {group.name: group.role for group in self.spec.groups}

    @cached_property
    def is_chain(self) -> bool:
        """Whether regions are runs of groups alone, which run in the order of the spec in every cover."""
        graph = self.judge.graph
        # What no publication waits for runs last in its role, unless what follows waits for it.
        is_ordered = not self.judge.question.unawaited or all(graph.flow.has_edge(*pair) for pair in pairwise(self.groups))
        return is_ordered and all(self.last(region) - self.first(region) == len(region) for region in graph.regions)

    @cached_property
    def costings(self) -> tuple[Costing, ...]:
        """What costs each of the times."""
        return tuple(Costing(judge, self.policy, self.ablation, self.is_chain) for judge in self.timed or (self.judge,))

    @property
    def is_cut(self) -> bool:
        """Whether it matters how conventional kernels are cut: no chain, or somebody asks for groups in one region, or not in one."""
        return not self.is_chain or any(isinstance(one, OF_CUTS) for one in self.judge.constraints)

    @property
    def is_joint(self) -> bool:
        """Whether constraints bear on several choices together, so that the best entries for each may not be allowed."""
        return any(isinstance(one, JOINT) for one in self.judge.constraints)

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The cuts around each block of the step, where it is a run of groups."""
        return tuple((self.first(block.groups), self.last(block.groups)) for block in self.spec.repeats)

    @cached_property
    def running(self) -> frozenset[str]:
        """The groups that run until one of the objectives is reached."""
        return frozenset[str]().union(*(costing.running for costing in self.costings))

    @cached_property
    def open_cuts(self) -> frozenset[int]:
        """The cuts that conventional regions may also go over: some region has both groups, and no more than it must of what repeats."""
        if self.is_cut:
            return frozenset()
        known = frozenset(self.judge.graph.regions)
        return frozenset(cut for cut in range(1, len(self.groups)) if self._around(cut) in known)

    def _around(self, cut: int) -> Groups:
        """Return the groups on both sides of *cut*, with the whole of each block that ends there."""
        first = next((first for first, last in self.spans if last == cut), cut - 1)
        last = next((last for first, last in self.spans if first == cut), cut + 1)
        return self.groups[first:last]

    @property
    def unordered(self) -> RegionGraph | None:
        """The region graph where it takes more than the order of the spec to order regions."""
        return None if self.is_chain else self.judge.graph

    def first(self, region: Sequence[str]) -> int:
        """The cut before the first group."""
        return self.groups.index(region[0])

    def last(self, region: Sequence[str]) -> int:
        """The cut behind the last group."""
        return self.groups.index(region[-1]) + 1

    def of(self, *roles: str) -> Groups:
        """The groups of *roles*."""
        return tuple(group for group in self.groups if self.roles[group] in roles)

    def arc(self, choice: Choice, kind: str) -> Arc:
        """Return the arc of one choice outside of a split."""
        groups, alone = choice.region.groups, [costing.alone(choice) for costing in self.costings]
        (region,) = alone[0].regions
        inside = next((place for place, block in enumerate(alone[0].repeats) if region.is_inside(block)), None)
        costs = tuple(ArcCost(costing.matrices(one)) for costing, one in zip(self.costings, alone, strict=True))
        return Arc(ArcPlace((groups,), kind), (choice,), self.first(groups), self.last(groups), costs, block=inside)

    def allowed(self, region: Region) -> Iterator[Choice]:
        """Yield the choices for a region that break no rule by themselves."""
        yield from (choice for choice in self.judge.choices(region) if not self.judge.causes_alone(choice, self.policy))

    def megakernels(self, regions: Sequence[Groups]) -> Iterator[Arc]:
        """Yield the arcs of all entries that break no rule by themselves."""
        for groups in regions:
            yield from (self.arc(choice, "m") for choice in self.allowed(Region(Backend.MEGAKERNEL, groups)))

    def conventional(self, regions: Sequence[Groups]) -> Iterator[Arc]:
        """Yield the arcs of conventional kernels: short ones in a chain, else one for each choice of each region."""
        if self.is_cut:
            for choice in (choice for groups in regions for choice in self.allowed(Region(Backend.CONVENTIONAL, groups))):
                yield self.arc(choice, f"c:{choice.contracts[0].value.dispatch.kind}")
            return
        members = dict.fromkeys(group for groups in regions for group in groups)
        known = {group: implementations(self.judge, self.policy, group, self.timed) for group in members}
        for groups in regions:
            if self._is_alike(groups):
                for one in known[groups[0]] if len(groups) == 1 else ():
                    if one.kind != GRAPH:
                        yield self.arc(Choice(Region(Backend.CONVENTIONAL, groups), one.kernels), f"c:{one.kind}")
                for choice in self._graphs(groups, known):
                    yield self.arc(choice, f"c:{GRAPH}")

    def _is_alike(self, groups: Groups) -> bool:
        """Whether no cut between *groups* is one that makes no difference: where roles meet, or where nothing runs on one side."""
        return len({(self.roles[group], group in self.running) for group in groups}) == 1

    def _graphs(self, groups: Groups, known: dict[str, tuple[Implementation, ...]]) -> Iterator[Choice]:
        if not self.is_joint and not any(costing.ends_inside(groups) for costing in self.costings):
            yield from graph_choices(groups, known)
            return
        for choice in self.allowed(Region(Backend.CONVENTIONAL, groups)):
            if {one.value.dispatch.kind for one in choice.contracts} == {GRAPH}:
                yield choice
