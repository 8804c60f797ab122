"""Costing: what a choice of entries costs under one policy until one objective is reached."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from megasolve.contracts import Spec
from megasolve.simulate import Ablation, Sharing
from megasolve.simulate.plan.candidate import Candidate, Choice
from megasolve.simulate.plan.cover import Cover
from megasolve.simulate.plan.policy import Policy
from megasolve.simulate.plan.region_graph import Groups
from megasolve.simulate.predict.composition import Composition, RepeatPlan, awaited
from megasolve.simulate.predict.maxplus import Matrix
from megasolve.simulate.predict.occurrences import additive_ps
from megasolve.simulate.predict.pieces import Order, Ps3, piece, region_blocks

from ...search.predicates import Judge
from ...select.compose import compose
from .arcs import IDENTITY, Clock

SERIAL = Policy(Sharing.SERIAL)


@dataclass(frozen=True)
class Costing:
    """What choices cost under one policy and ablation, for the question of *judge*; in a chain all covers run in the spec's order."""

    judge: Judge
    policy: Policy
    ablation: Ablation
    is_chain: bool

    @property
    def spec(self) -> Spec:
        """The spec that is asked about."""
        return self.judge.question.spec

    def of(self, *roles: str) -> Groups:
        """The groups of *roles*."""
        return tuple(group.name for group in self.spec.groups if group.role in roles)

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

    @cached_property
    def clock(self) -> Clock:
        """How the costs of a way make the time."""
        question, is_split = self.judge.question, self.policy.is_split
        is_cycle = question.is_steady and not is_split
        return Clock(
            middle_steps=self.order.middle_steps if self.ablation is Ablation.FULL and not is_split else 0,
            divisor=(2 if is_cycle else 1) * question.scores_per_cycle,
            is_cycle=is_cycle,
        )

    @property
    def running(self) -> frozenset[str]:
        """The groups that run until the objective is reached."""
        if not self.policy.is_split:
            return self.order.groups
        return frozenset(self.of("producer", "consumer") if self.judge.question.is_steady else self.of("admission", "producer", "consumer"))

    def ends_inside(self, groups: Groups) -> bool:
        """Whether something ends inside *groups*, so that the dearest launch of what is left is another one."""
        last = {*self.order.admission, *self.order.last_step, *self.order.chunk}
        return not (last.issuperset(groups) or last.isdisjoint(groups))

    def alone(self, choice: Choice) -> Composition:
        """Return the composition of a choice outside of a split."""
        return compose(self.judge, Candidate(Cover((choice.region,)), SERIAL), (choice,)).composition

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


def summed(total_ps: int) -> Matrix[int]:
    """Return the effect of running for so long with nothing beside it."""
    return (0, None, None, total_ps)
