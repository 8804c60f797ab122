"""Spaces: all arcs of a question under one policy."""

from __future__ import annotations

from megasolve.simulate import Ablation
from megasolve.simulate.plan.policy import Policy

from ...search.predicates import Judge
from .arcs import Arc, Space
from .beside import beside_arcs, simulated_space
from .builder import Builder
from .inside import inside_arcs
from .silent import folded
from .splits import split_arcs


def space_of(judge: Judge, policy: Policy, ablation: Ablation = Ablation.FULL, timed: tuple[Judge, ...] = ()) -> Space:
    """Return all arcs of *judge*'s question under *policy*: those of choices that break no rule, with a cost for each of *timed*."""
    builder, regions = Builder(judge, policy, ablation, timed), judge.graph.regions
    if policy.is_beside or policy.is_inside:
        return simulated_space(builder, inside_arcs(builder) if policy.is_inside else beside_arcs(builder))
    arcs = split_arcs(builder) if policy.is_split else (*builder.conventional(regions), *builder.megakernels(regions))
    return space_with(builder, tuple(folded(builder, arcs)))


def space_with(builder: Builder, arcs: tuple[Arc, ...]) -> Space:
    """Return a space of these *arcs*."""
    return Space(
        policy=builder.policy,
        groups=builder.groups,
        arcs=arcs,
        clocks=tuple(costing.clock for costing in builder.costings),
        repeats=tuple(block.times for block in builder.spec.repeats),
        spans=builder.spans,
        open_cuts=builder.open_cuts,
        graph=builder.unordered,
        skipped=builder.judge.question.unawaited,
    )
