"""Sides beside each other: each region of a side is an arc, what a cover takes is simulated, and the longer side alone bounds it.

An arc has three parts: what it adds until step h, until step r, and to the chunk. A path to step h is a sum over the first, one to the
first chunk a sum over the other two, and the publication waits for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from megasolve.simulate import Ablation, Deadlock, Objective, Phase, score
from megasolve.simulate.plan.candidate import Candidate, Choice
from megasolve.simulate.plan.cover import Backend, Cover, Region
from megasolve.simulate.plan.policy import has_own_host
from megasolve.simulate.predict.composition import Composition
from megasolve.simulate.predict.maxplus import Matrix, sequence
from megasolve.simulate.predict.occurrences import additive_ps
from megasolve.simulate.predict.pieces import Order, Ps3, piece, region_blocks

from ...search.predicates import Judge
from ...select.compose import compose
from .arcs import IDENTITY, Arc, ArcCost, ArcPlace, Clock, Ps, Space
from .builder import Builder
from .costing import Costing, summed


def beside_arcs(builder: Builder) -> tuple[Arc, ...]:
    """Return all arcs of a policy under which producers and consumers run beside each other on partitions or streams."""
    regions = [Region(backend, groups) for groups in builder.judge.graph.regions for backend in Backend]
    standing = [region for region in regions if builder.policy.may_have(region, builder.spec)]
    return tuple(_arc(builder, choice) for region in standing for choice in builder.allowed(region))


def simulated_space(builder: Builder, arcs: tuple[Arc, ...]) -> Space:
    """Return the space of these *arcs*, whose covers are simulated."""
    return Space(
        policy=builder.policy,
        groups=builder.groups,
        arcs=arcs,
        clocks=tuple(Clock(divisor=costing.judge.question.scores_per_cycle) for costing in builder.costings),
        repeats=tuple(block.times for block in builder.spec.repeats),
        graph=builder.judge.graph,
        skipped=builder.judge.question.unawaited,
        own_hosts=builder.policy.is_streams and has_own_host(builder.spec),
        valued=SimulatedWays(tuple(costing.judge for costing in builder.costings), builder.ablation),
    )


@dataclass
class SimulatedWays:
    """The exact times of covers, each simulated once."""

    judges: tuple[Judge, ...]
    ablation: Ablation
    _known: dict[tuple[object, ...], Ps] = field(default_factory=dict)

    def __call__(self, space: Space, way: Sequence[Arc], time: int) -> Ps:
        """Return the *time* of the cover of *way*, in units of its clock."""
        asked = (time, *(one.entries for one in way), *(one.slot for one in way))
        if asked not in self._known:
            judge, by_groups = self.judges[time], {choice.region.groups: choice for arc in way for choice in arc.choices}
            chosen = tuple(by_groups[groups] for groups in judge.graph.in_order(by_groups) or ())
            candidate = Candidate(Cover(tuple(choice.region for choice in chosen)), space.policy)
            found = score(compose(judge, candidate, chosen).composition, judge.question.objective, ablation=self.ablation)
            if isinstance(found, Deadlock):
                raise ArithmeticError(str(found))
            self._known[asked] = found.value_ps * space.clocks[time].divisor
        return self._known[asked]


def _arc(builder: Builder, choice: Choice) -> Arc:
    groups, is_megakernel = choice.region.groups, choice.region.is_megakernel
    alone = [choice_composition(costing, choice) for costing in builder.costings]
    (region,) = alone[0].regions
    inside = next((place for place, block in enumerate(alone[0].repeats) if region.is_inside(block)), None)
    costs = tuple(ArcCost(_phases(costing, one)) for costing, one in zip(builder.costings, alone, strict=True))
    kind = "m" if is_megakernel else f"c:{choice.contracts[0].value.dispatch.kind}"
    return Arc(ArcPlace((groups,), kind), (choice,), builder.first(groups), builder.last(groups), costs, block=inside)


def choice_composition(costing: Costing, choice: Choice) -> Composition:
    """Return the composition of one choice by itself."""
    return compose(costing.judge, Candidate(Cover((choice.region,)), costing.policy), (choice,)).composition


def _phases(costing: Costing, composition: Composition) -> Ps3:
    """Return what the only region of *composition* adds until step h, until step r, and to the chunk."""
    (region,) = composition.regions
    until_h, until_r, chunk = orders(costing)
    if costing.policy.is_streams and not costing.judge.question.is_steady and costing.ablation is Ablation.FULL:
        return _on_streams(costing, composition, until_r, chunk)
    works = {(group, Phase.WHOLE): work for (group, _), work in composition.works.items()}
    if costing.ablation is not Ablation.FULL:
        total = sum(additive_ps(region_blocks(region, works, order)) for order in (until_h, chunk))
        return summed(total), IDENTITY, IDENTITY
    if costing.judge.question.is_steady and region.loops and {*costing.of("producer")} <= {*region.groups}:
        # The launch goes on for ever, and nothing is dispatched.
        runs = [run for block in region_blocks(region, works, until_h) for run in block.each_run()]
        total = sum(count * work.service_ps for run in runs for one in run.sections for work, count in one.counted())
        return summed(total), IDENTITY, IDENTITY
    before_h, before_r = (chained(piece(region, works, order), order.middle_steps) for order in (until_h, until_r))
    return before_h, before_r, piece(region, works, chunk)[0]


def _on_streams(costing: Costing, composition: Composition, until_r: Order, chunk: Order) -> Ps3:
    """Return the same on two streams, where the side of the producers has the whole device until step r."""
    (region,), question = composition.regions, costing.judge.question
    left = question.horizon_step - question.ready_step
    tail = replace(until_r, admission=(), steps=left, unawaited=question.unawaited)
    beside = composition.beside.works
    before = chained(piece(region, composition.works, until_r), until_r.middle_steps)
    behind = chained(piece(region, beside, tail), tail.middle_steps) if left else IDENTITY
    return sequence([before, behind], 0), before, piece(region, beside, chunk)[0]


def chained(pieces: Ps3, middle_steps: int) -> Matrix[int]:
    """Return the sums of all steps on the host and on the device: between steps of a region others run, so no path changes over inside."""
    times = (1, middle_steps, 1)
    host, device = (sum(count * (matrix[place] or 0) for count, matrix in zip(times, pieces, strict=True)) for place in (0, 3))
    return (host, None, None, device)


def orders(costing: Costing) -> tuple[Order, Order, Order]:
    """Return the orders of what runs until step h, until step r, and in the chunk; of a cycle the first is its steps, the second empty."""
    question, blocks = costing.judge.question, costing.blocks
    producers, consumers = costing.of("producer"), costing.of("consumer")
    if question.is_steady:
        cycle = Order((), producers, (), question.cycle_steps, repeats=blocks)
        chunk = consumers if question.objective is Objective.CHUNK_INTERVAL or costing.ablation is not Ablation.FULL else ()
        return cycle, Order((), (), (), 0), Order((), (), chunk, 0, repeats=blocks)
    admission, skipped = costing.of("admission"), question.unawaited
    at_r = skipped if question.ready_step == question.horizon_step else frozenset[str]()
    return (
        Order(admission, producers, (), question.horizon_step, unawaited=skipped, repeats=blocks),
        Order(admission, producers, (), question.ready_step, unawaited=at_r, repeats=blocks),
        Order((), (), tuple(group for group in consumers if group not in skipped), 0, repeats=blocks),
    )
