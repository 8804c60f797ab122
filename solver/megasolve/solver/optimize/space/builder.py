"""Building arcs: what each choice of entries that breaks no rule by itself costs under one policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import networkx as nx

from megasolve.contracts import Spec
from megasolve.simulate import Ablation, Sharing
from megasolve.simulate.plan.candidate import Candidate, Choice
from megasolve.simulate.plan.cover import Backend, Cover, Region
from megasolve.simulate.plan.policy import Policy
from megasolve.simulate.plan.region_graph import Groups, RegionGraph
from megasolve.simulate.predict.composition import Composition, RepeatPlan, awaited
from megasolve.simulate.predict.maxplus import Matrix
from megasolve.simulate.predict.occurrences import additive_ps
from megasolve.simulate.predict.pieces import Order, Ps3, piece, region_blocks

from ...search.predicates import Judge
from ...select.compose import compose
from .arcs import IDENTITY, Arc, ArcPlace
from .conventional import GRAPH, Implementation, graph_choices, implementations

SERIAL = Policy(Sharing.SERIAL)


@dataclass(frozen=True)
class Builder:
    """Builds the arcs of one policy: those that break no rule by themselves, with what they cost under one ablation."""

    judge: Judge
    policy: Policy
    ablation: Ablation

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
    def repeated(self) -> frozenset[str]:
        """The groups that a step repeats."""
        return frozenset(group for block in self.blocks for group in block.groups)

    @cached_property
    def open_cuts(self) -> frozenset[int]:
        """The cuts that conventional regions may also go over: two groups that can be a region, neither of them repeated."""
        if self.judge.constraints:
            return frozenset()
        pairs = [region for region in self.judge.graph.regions if len(region) == 2 and self.repeated.isdisjoint(region)]
        return frozenset(self.last(region) - 1 for region in pairs)

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

    @cached_property
    def blocks(self) -> tuple[RepeatPlan, ...]:
        """The blocks of groups that a step repeats."""
        return tuple(RepeatPlan(block.groups, block.times) for block in self.spec.repeats)

    @cached_property
    def order(self) -> Order:
        """What runs one after the other under the policy: everything, or what precedes a split."""
        question, admission, producers = self.judge.question, self.of("admission"), self._producers()
        skipped, blocks = question.unawaited, self.blocks
        if self.policy.is_split:
            steps = question.ready_step if self.policy.sharing is Sharing.DYNAMIC else 0
            last = skipped if question.ready_step == question.horizon_step else frozenset()
            return Order(() if question.is_steady else admission, producers, (), steps, unawaited=last, repeats=blocks)
        chunk = self.of("consumer")
        if question.is_steady:
            return Order((), producers, chunk, question.cycle_steps, repeats=blocks)
        waits_for = self.spec.publication.group if self.spec.publication else None
        admission, chunk = (awaited(groups, waits_for, skipped, blocks) for groups in (admission, chunk))
        return Order(admission, producers, chunk, question.horizon_step, waits_for, skipped, blocks)

    def _producers(self) -> Groups:
        """The producers; whatever the order of a cover is, those before the one that is waited for come before it, and no others need."""
        waits_for, producers = self.spec.publication.group if self.spec.publication else None, self.of("producer")
        if self.is_chain or waits_for not in producers:
            return producers
        before = nx.ancestors(self.judge.graph.order, waits_for)
        return tuple(sorted(producers, key=lambda group: (group not in before) + (group not in before and group != waits_for)))

    @property
    def running(self) -> frozenset[str]:
        """The groups that run until the objective is reached."""
        if not self.policy.is_split:
            return self.order.groups
        return frozenset(self.of("producer", "consumer") if self.judge.question.is_steady else self.groups)

    def matrices(self, composition: Composition) -> Ps3:
        """Return the matrices of the only region of *composition*; under an ablation its sum, in the opening."""
        (region,) = composition.regions
        if self.judge.question.is_steady and region.loops and {*self.of("producer", "consumer")} <= {*region.groups}:
            # The launch goes on for ever, and nothing is dispatched.
            blocks = region_blocks(region, composition.works, self.order)
            runs = [run for block in blocks for run in block.each_run()]
            total = sum(count * work.service_ps for run in runs for one in run.sections for work, count in one.counted())
            return summed(total), IDENTITY, IDENTITY
        if self.ablation is not Ablation.FULL:
            total = additive_ps(region_blocks(region, composition.works, self.order))
            return (summed(total) if total else IDENTITY), IDENTITY, IDENTITY
        return piece(region, composition.works, self.order)

    def arc(self, choice: Choice, kind: str) -> Arc:
        """Return the arc of one choice outside of a split."""
        composition = compose(self.judge, Candidate(Cover((choice.region,)), SERIAL), (choice,)).composition
        groups, (region,) = choice.region.groups, composition.regions
        inside = next((place for place, block in enumerate(self.blocks) if region.is_inside(block)), None)
        phases = self.matrices(composition)
        return Arc(ArcPlace((groups,), kind), (choice,), self.first(groups), self.last(groups), phases, block=inside)

    def megakernels(self, regions: Sequence[Groups]) -> Iterator[Arc]:
        """Yield the arcs of all entries that break no rule by themselves."""
        for groups in regions:
            for choice in self.judge.choices(Region(Backend.MEGAKERNEL, groups)):
                if not self.judge.causes_alone(choice, self.policy):
                    yield self.arc(choice, "m")

    def conventional(self, regions: Sequence[Groups]) -> Iterator[Arc]:
        """Yield the arcs of conventional kernels: short ones in a chain, else one for each choice of each region."""
        # A user may ask for groups in one region, or not in one: then it matters how the kernels are cut.
        is_cut = not self.is_chain or bool(self.judge.constraints)
        whole = [groups for groups in regions if is_cut or not self.repeated.isdisjoint(groups)]
        for groups in whole:
            for choice in self.judge.choices(Region(Backend.CONVENTIONAL, groups)):
                if not self.judge.causes_alone(choice, self.policy):
                    yield self.arc(choice, f"c:{choice.contracts[0].value.dispatch.kind}")
        parts = [groups for groups in regions if not is_cut and self.repeated.isdisjoint(groups)]
        members = dict.fromkeys(group for groups in parts for group in groups)
        known = {group: implementations(self.judge, self.policy, group) for group in members}
        for groups in parts:
            if len({(self.roles[group], group in self.running) for group in groups}) == 1:
                for one in known[groups[0]] if len(groups) == 1 else ():
                    if one.kind != GRAPH:
                        yield self.arc(Choice(Region(Backend.CONVENTIONAL, groups), one.kernels), f"c:{one.kind}")
                for choice in self._graphs(groups, known):
                    yield self.arc(choice, f"c:{GRAPH}")

    def _graphs(self, groups: Groups, known: dict[str, tuple[Implementation, ...]]) -> Iterator[Choice]:
        # Where something ends inside the region the dearest launch of what is left is another one.
        last = {*self.order.admission, *self.order.last_step, *self.order.chunk}
        if last.issuperset(groups) or last.isdisjoint(groups):
            yield from graph_choices(groups, known)
            return
        for choice in self.judge.choices(Region(Backend.CONVENTIONAL, groups)):
            if {one.value.dispatch.kind for one in choice.contracts} == {GRAPH} and not self.judge.causes_alone(choice, self.policy):
                yield choice


def summed(total_ps: int) -> Matrix[int]:
    """Return the effect of running for so long with nothing beside it."""
    return (0, None, None, total_ps)
