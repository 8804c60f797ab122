"""Pieces: what one region adds to the serial order by itself, whatever stands beside it in the cover.

A launch depends on its region alone, and the occurrences of a region keep their places: a region of two roles is the last of the
earlier and the first of the later one. So the serial order of a cover is that of its pieces, phase by phase: *opening* (admission and
first step), *middle* (each further step but the last) and *closing* (last step and chunk). A search over covers needs nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..plan.sharing import Phase
from ..plan.works import Section, Work
from .composition import RegionPlan, RepeatPlan, awaited, occurring, repeat_of
from .maxplus import Matrix, identity, power, sequence
from .occurrences import Run, Runs, joined, persisting, run_matrix

Ps3 = tuple[Matrix[int], Matrix[int], Matrix[int]]


@dataclass(frozen=True, slots=True)
class Order:
    """What runs in serial order: some groups of each role, *steps* producer steps, the last of them only up to the group *stop_after*.

    Of the last step the *unawaited* groups are left out. *repeats* are the blocks of groups that a step repeats.
    """

    admission: tuple[str, ...]
    producers: tuple[str, ...]
    chunk: tuple[str, ...]
    steps: int
    stop_after: str | None = None
    unawaited: frozenset[str] = frozenset()
    repeats: tuple[RepeatPlan, ...] = ()

    @property
    def groups(self) -> frozenset[str]:
        """The groups that run at all."""
        steps = (self.producers if self.steps > 1 else self.last_step) if self.steps else ()
        return frozenset((*self.admission, *steps, *self.chunk))

    @property
    def last_step(self) -> tuple[str, ...]:
        """The producers that run in the last step."""
        return awaited(self.producers, self.stop_after, self.unawaited, self.repeats)

    @property
    def running_steps(self) -> int:
        """The steps in which something runs."""
        return max(self.steps - (not self.last_step), 0)

    @property
    def middle_steps(self) -> int:
        """How many steps are neither the first nor the last."""
        return max(self.running_steps - 2, 0)


def region_blocks(region: RegionPlan, works: Mapping[tuple[str, Phase], Work], order: Order) -> tuple[Runs, Runs, Runs]:
    """Return the launches of *region* in the opening, in all middle steps, and in the closing.

    Of a region that each repeat of a block launches again, these are the launches of one repeat.
    """
    around = repeat_of(order.repeats, region.groups[0])
    repeats = () if region.is_inside(around) else order.repeats

    def run(groups: Sequence[str], *, is_step: bool = False) -> list[Run | Runs]:
        mine = occurring([group for group in groups if group in region.groups], lambda group: works[group, Phase.WHOLE], repeats)
        return [Run(region, (Section(mine, is_step=is_step),))] if mine else []

    before, after, steps = run(order.admission), run(order.chunk), order.running_steps
    if not steps:
        return Runs(joined(before + after)), Runs(()), Runs(())
    step, last = run(order.producers, is_step=True), run(order.last_step or order.producers, is_step=True)
    if step and region.loops and {*order.producers} <= {*region.groups} and not region.is_inside(around):
        return Runs(joined([*before, persisting(step[0], last, steps), *after])), Runs(()), Runs(())
    if steps == 1:
        return Runs(joined(before + last + after)), Runs(()), Runs(())
    return Runs(joined(before + step)), Runs(tuple(step), order.middle_steps), Runs(joined(last + after))


def piece(region: RegionPlan, works: Mapping[tuple[str, Phase], Work], order: Order) -> Ps3:
    """Return the effect of *region* on (host free, device free) in the opening, in one middle step, and in the closing."""
    opening, middle, closing = (_matrix(block) for block in region_blocks(region, works, order))
    return opening, middle, closing


def _matrix(block: Runs) -> Matrix[int]:
    return sequence([run_matrix(run, lambda _label, ps: ps) for run in block.runs if isinstance(run, Run)], 0)


def repeated(pieces: Iterable[Ps3], times: int) -> Ps3:
    """Return the piece of a block, made of those of the regions inside it, in order; each launches again for each of its repeats."""
    every = list(pieces)
    opening, middle, closing = (power(sequence([one[phase] for one in every], 0), times, 0) for phase in range(3))
    return opening, middle, closing


def assembled(pieces: Iterable[Ps3], middle_steps: int) -> Matrix[int]:
    """Return the effect of a whole serial order, made of the pieces of its regions in order."""
    every = list(pieces)
    opening, middle, closing = (sequence([one[phase] for one in every], 0) for phase in range(3))
    return sequence([opening, power(middle, middle_steps, 0) if middle_steps else identity(0), closing], 0)
