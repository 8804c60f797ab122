"""Stretches: what one side of a split runs in order, as sections of works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import NamedTuple

from ...plan.works import Section, Service
from ..composition import Composition, RegionPlan
from ..maxplus import Parts


@dataclass(frozen=True, slots=True)
class Stretch:
    """*sections* in order, on one pool of a launch."""

    sections: tuple[Section, ...]

    @property
    def service_ps(self) -> int:
        """The standalone time of the whole stretch."""
        return sum(section.service_ps for section in self.sections)

    @property
    def name(self) -> str:
        """The groups that run in it."""
        return " ".join(dict.fromkeys(work.group for section in self.sections for work, _ in section.counted()))

    def services(self) -> Iterator[tuple[str, Service]]:
        """Yield (group, service) of every call, in order."""
        for section in self.sections:
            for work in section.each():
                for _ in range(work.calls):
                    for service in work.services:
                        yield work.group, service

    def each_group(self) -> Iterator[str]:
        """Yield the group of every occurrence, in order."""
        return (work.group for section in self.sections for work in section.each())

    def parts(self) -> Parts:
        """The stretch's time by group."""
        total = Parts()
        for section in self.sections:
            for work, count in section.counted():
                total = total + Parts.of(work.group, count * work.service_ps)
        return total


def dispatch_ps(*regions: RegionPlan) -> int:
    """Return what one launch of each region costs in all."""
    return sum(region.entry.cost.total_ps for region in regions)


def on_its_side(composition: Composition, groups: Sequence[str]) -> Stretch:
    """Return one occurrence of each group on its side."""
    return Stretch((Section(composition.works_of(groups, composition.side_phase)),))


def first_chunk(composition: Composition) -> Stretch:
    """Return what of the first chunk runs until it is published."""
    return on_its_side(composition, composition.awaited(composition.consumers))


def steps_of(composition: Composition, count: int, *, ends: bool) -> Stretch:
    """Return *count* steps of the producers on their side of the split; *ends* where the last of them is the last before publication."""
    (step,) = on_its_side(composition, composition.producers).sections
    (last,) = on_its_side(composition, composition.awaited(composition.producers)).sections if ends else (step,)
    if not count or step == last:
        return Stretch((replace(step, repeat=count),))
    return Stretch((replace(step, repeat=count - 1), last))


def load_of(composition: Composition, load_steps: int) -> Iterator[tuple[str, ...]]:
    """Yield what runs behind step h: what it left out, and so many steps more."""
    if not load_steps:
        return
    gated = composition.awaited(composition.producers)
    if rest := tuple(group for group in composition.producers if group not in gated):
        yield rest
    length = composition.schedule.length_steps
    left = load_steps if length is None else min(load_steps, max(0, length - composition.schedule.horizon_step))
    yield from repeat(composition.producers, left)


class StepBeside(NamedTuple):
    """What runs of one of the steps behind step r; *is_load* where the publication does not wait for it."""

    number: int
    groups: tuple[str, ...]
    is_load: bool


def steps_beside(composition: Composition, load_steps: int) -> Iterator[StepBeside]:
    """Yield what runs behind step r: steps r+1 to h, in the last only what the publication waits for, and then load."""
    ready, horizon = composition.schedule.ready_step, composition.schedule.horizon_step
    awaited = composition.awaited(composition.producers)
    for number in range(ready + 1, horizon + 1):
        yield StepBeside(number, awaited if number == horizon else composition.producers, is_load=False)
    # A chunk that waits for the whole next step needs one, whatever else is left out.
    first = horizon if set(composition.producers) > set(awaited) else horizon + 1
    for number, groups in enumerate(load_of(composition, max(load_steps, composition.chunk_waits_for - horizon)), first):
        yield StepBeside(number, groups, is_load=True)
