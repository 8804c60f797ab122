"""Designs: candidates that lower to the same event graph are one design, whatever their names."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from ..plan.launches import Launched
from ..plan.objective import Objective
from ..plan.sharing import Phase, Sharing
from ..plan.works import Work
from .composition import Composition, RegionPlan
from .occurrences import Run, Runs, cycle_blocks, publication_blocks, separate_admission, serial_blocks


def design_key(composition: Composition, objective: Objective) -> Hashable:
    """Return a value that two compositions share exactly when they lower to the same event graph, names aside."""
    if composition.sharing is Sharing.SERIAL:
        return ("serial", _nameless(_serial_order(composition, objective)))
    return (composition.sharing.value, _before_the_split(composition, objective), _beside_each_other(composition, objective))


def _serial_order(composition: Composition, objective: Objective) -> Sequence[Runs]:
    return publication_blocks(composition) if objective is Objective.FIRST_PUBLICATION else cycle_blocks(composition)


def _before_the_split(composition: Composition, objective: Objective) -> Hashable:
    if objective is not Objective.FIRST_PUBLICATION:
        return ()
    if composition.sharing is Sharing.FIXED:
        return _nameless(serial_blocks(composition, admission=separate_admission(composition), steps=0, chunk=()))
    steps = composition.schedule.ready_step
    return _nameless(serial_blocks(composition, admission=composition.admission, steps=steps, chunk=()))


def _beside_each_other(composition: Composition, objective: Objective) -> Hashable:
    """Return both sides of the split; only the consumer's where a dynamic split has no producer step left."""
    capacity = composition.capacity
    producer, consumer = composition.region_of(composition.producers[0]), composition.region_of(composition.consumers[0])
    takes = (_plan(consumer), capacity.consumer, _split(composition, composition.consumers))
    is_first, schedule = objective is Objective.FIRST_PUBLICATION, composition.schedule
    if is_first and composition.sharing is Sharing.DYNAMIC and schedule.horizon_step == schedule.ready_step:
        return (capacity.total, takes)
    rides = [group for group in composition.admission if group in producer.groups]
    inside = _split(composition, rides) if is_first and composition.sharing is Sharing.FIXED else ()
    makes = (_plan(producer), capacity.producer, inside, _split(composition, composition.producers))
    return (capacity.total, producer == consumer, makes, takes)


def _split(composition: Composition, groups: Sequence[str]) -> tuple[Any, ...]:
    return tuple(_work(composition.works[group, Phase.SPLIT]) for group in groups)


def _nameless(blocks: Sequence[Runs]) -> Hashable:
    return tuple((block.repeat, _launches(block.runs)) for block in blocks if block.repeat)


def _launches(runs: Sequence[Run]) -> tuple[Any, ...]:
    """Return what each launch costs and runs. Where every kernel is a launch, it does not matter which region a kernel is in."""
    return tuple((_plan(run.region), series.times, tuple(map(_launched, series.launches))) for run in runs for series in run.launches)


def _launched(one: Launched) -> tuple[Any, ...]:
    return (one.times, one.cost, tuple((section.repeat, tuple(map(_work, section.works))) for section in one.sections))


def _plan(region: RegionPlan) -> Hashable:
    """Return the persistent launch of a region; conventional kernels are what their launches are."""
    return region.launching if region.persistent else None


def _work(work: Work) -> tuple[Any, ...]:
    return (work.calls, tuple((one.duration_ps, one.hbm_bytes, one.launches, one.dispatch.gap_ps) for one in work.services))
