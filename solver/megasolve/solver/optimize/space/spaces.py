"""Spaces: all arcs of a question under one policy."""

from __future__ import annotations

from megasolve.simulate import Ablation
from megasolve.simulate.plan.policy import Policy

from ...search.predicates import Judge
from .arcs import Arc, Space
from .builder import Builder
from .silent import folded
from .splits import split_arcs


def space_of(judge: Judge, policy: Policy, ablation: Ablation = Ablation.FULL) -> Space:
    """Return all arcs of *judge*'s question under *policy*: those of choices that break no rule."""
    builder, regions = Builder(judge, policy, ablation), judge.graph.regions
    arcs = split_arcs(builder) if policy.is_split else (*builder.conventional(regions), *builder.megakernels(regions))
    return space_with(builder, tuple(folded(builder, arcs)))


def space_with(builder: Builder, arcs: tuple[Arc, ...]) -> Space:
    """Return a space of these *arcs*."""
    question, is_split = builder.judge.question, builder.policy.is_split
    is_cycle = question.is_steady and not is_split
    return Space(
        policy=builder.policy,
        groups=builder.groups,
        arcs=arcs,
        middle_steps=builder.order.middle_steps if builder.ablation is Ablation.FULL and not is_split else 0,
        divisor=(2 if is_cycle else 1) * question.scores_per_cycle,
        is_cycle=is_cycle,
        repeats=tuple(block.times for block in builder.blocks),
        open_cuts=builder.open_cuts,
        graph=builder.unordered,
        skipped=question.unawaited,
    )
