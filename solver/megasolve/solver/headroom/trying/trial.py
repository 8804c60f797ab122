"""Trials: the exact score of the best design with a region, as a function of what one occurrence of its members takes there.

Group g takes ⌊b·t_g/Σt⌋ of b, where t_g is what it takes on today's kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from megasolve.simulate.plan.launches import Persistent
from megasolve.simulate.plan.sharing import Phase, Sharing
from megasolve.simulate.plan.works import Service, Work
from megasolve.simulate.predict.composition import Composition, RegionPlan
from megasolve.simulate.predict.outline import outline

from ...optimize.space.arcs import Ps, Space
from ...optimize.space.builder import Builder
from ...search.predicates import Judge
from ..facts.today import Today
from ..supposition import Assumed
from .break_even import Score
from .sides import Sides


def calls_of(b_ps: int, today: Today) -> tuple[int, ...]:
    """Return what one call of each member takes where one occurrence of all of them takes *b_ps*; where nothing takes time, nothing."""
    return tuple(b_ps * call_ps // today.kernels_ps if today.kernels_ps else 0 for call_ps in today.call_ps)


@dataclass(frozen=True)
class SerialTrial:
    """Tries regions in the serial designs of one question, whose groups form a chain."""

    builder: Builder
    sides: Sides

    @classmethod
    def of(cls, builder: Builder, space: Space) -> SerialTrial:
        """Return what tries regions in *space*."""
        blocks = [(builder.first(block.groups), builder.last(block.groups)) for block in builder.costings[0].blocks]
        return cls(builder, Sides(space, tuple(blocks)))

    def score(self, today: Today, launching: Persistent) -> Score:
        """Return the function that says what the best design scores with the region of *today* launched so."""
        groups = today.choice.region.groups
        plan = RegionPlan(f"m:{'+'.join(groups)}", groups, launching)
        bare = outline(self.builder.judge.question, self.builder.judge.graph, [plan], Sharing.SERIAL)
        block = next((place for place, one in enumerate(self.builder.costings[0].blocks) if plan.is_inside(one)), None)
        first, last = self.builder.first(groups), self.builder.last(groups)
        costing = self.builder.costings[0]
        return lambda b_ps: self.sides.best(first, last, costing.matrices(_taking(bare, groups, calls_of(b_ps, today))), block)

    def assumed(self, full: Judge, one: Assumed) -> Ps | None:
        """Return what the best design scores with an assumed entry of *full*."""
        arc = replace(self.builder, judge=full).arc(one.choice, "m")
        return self.sides.best(arc.first, arc.last, arc.costs[0].phases, arc.block)


def _taking(bare: Composition, groups: Sequence[str], calls_ps: Sequence[int]) -> Composition:
    works = dict(bare.works)
    for group, ps in zip(groups, calls_ps, strict=True):
        works[group, Phase.WHOLE] = Work(group, works[group, Phase.WHOLE].calls, (Service(group, ps, None),))
    return replace(bare, works=works)
