"""Pieces: what one region adds to the serial order by itself, whatever stands beside it in the cover.

A launch depends on its region alone, and the occurrences of a region keep their places: a region of two roles is the last of the
earlier and the first of the later one. So the serial order of a cover is that of its pieces, phase by phase: *opening* (admission and
first step), *middle* (each further step but the last) and *closing* (last step and chunk). A search over covers needs nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..plan.objective import Objective
from ..plan.sharing import Phase
from ..plan.works import Section, Work
from .composition import Composition, RegionPlan
from .maxplus import Matrix, identity, power, sequence
from .occurrences import Run, Runs, joined, run_matrix

Ps3 = tuple[Matrix[int], Matrix[int], Matrix[int]]


@dataclass(frozen=True, slots=True)
class Order:
    """What runs in serial order: some groups of each role, *steps* producer steps, the last of them only up to the group *stop_after*."""

    admission: tuple[str, ...]
    producers: tuple[str, ...]
    chunk: tuple[str, ...]
    steps: int
    stop_after: str | None = None

    @property
    def groups(self) -> frozenset[str]:
        """The groups that run at all."""
        steps = (self.producers if self.steps > 1 else self.last_step) if self.steps else ()
        return frozenset((*self.admission, *steps, *self.chunk))

    @property
    def last_step(self) -> tuple[str, ...]:
        """The producers that run in the last step."""
        if self.stop_after not in self.producers:
            return self.producers
        return self.producers[: self.producers.index(self.stop_after) + 1]

    @property
    def middle_steps(self) -> int:
        """How many steps are neither the first nor the last."""
        return max(self.steps - 2, 0)


def publication_order(composition: Composition) -> Order:
    """Return what the first publication waits for, in a composition or one that is not whole yet."""
    schedule, admission = composition.schedule, composition.admission
    if schedule.publication in admission:
        admission = admission[: admission.index(schedule.publication) + 1]
    return Order(admission, composition.producers, composition.consumers, schedule.horizon_step, schedule.publication)


def cycle_order(composition: Composition) -> Order:
    """Return what one steady cycle runs."""
    return Order((), composition.producers, composition.consumers, composition.schedule.cycle_steps)


def serial_order(composition: Composition, objective: Objective) -> Order:
    """Return what *objective* waits for in serial order."""
    return publication_order(composition) if objective is Objective.FIRST_PUBLICATION else cycle_order(composition)


def region_blocks(region: RegionPlan, works: Mapping[tuple[str, Phase], Work], order: Order) -> tuple[Runs, Runs, Runs]:
    """Return the launches of *region* in the opening, in all middle steps, and in the closing."""

    def run(groups: Sequence[str], *, is_step: bool = False) -> list[Run]:
        mine = tuple(works[group, Phase.WHOLE] for group in groups if group in region.groups)
        return [Run(region, (Section(mine, is_step=is_step),))] if mine else []

    before, after = run(order.admission), run(order.chunk)
    if not order.steps:
        return Runs(joined(before + after)), Runs(()), Runs(())
    step, last = run(order.producers, is_step=True), run(order.last_step, is_step=True)
    if step and region.loops and {*order.producers} <= {*region.groups}:
        earlier = (replace(step[0].sections[0], repeat=order.steps - 1),) if order.steps > 1 else ()
        loop = Run(region, (*earlier, *last[0].sections))
        return Runs(joined([*before, loop, *after])), Runs(()), Runs(())
    if order.steps == 1:
        return Runs(joined(before + last + after)), Runs(()), Runs(())
    return Runs(joined(before + step)), Runs(tuple(step), order.middle_steps), Runs(joined(last + after))


def piece(region: RegionPlan, works: Mapping[tuple[str, Phase], Work], order: Order) -> Ps3:
    """Return the effect of *region* on (host free, device free) in the opening, in one middle step, and in the closing."""
    opening, middle, closing = (_matrix(block) for block in region_blocks(region, works, order))
    return opening, middle, closing


def _matrix(block: Runs) -> Matrix[int]:
    return sequence([run_matrix(run, lambda _label, ps: ps) for run in block.runs], 0)


def assembled(pieces: Iterable[Ps3], middle_steps: int) -> Matrix[int]:
    """Return the effect of a whole serial order, made of the pieces of its regions in order."""
    every = list(pieces)
    opening, middle, closing = (sequence([one[phase] for one in every], 0) for phase in range(3))
    return sequence([opening, power(middle, middle_steps, 0) if middle_steps else identity(0), closing], 0)
