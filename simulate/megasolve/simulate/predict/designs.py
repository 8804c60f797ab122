"""Designs: candidates that lower to the same event graph are one design, whatever their names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..plan.launches import Launched, Series
from ..plan.objective import Objective
from ..plan.sharing import Phase, Sharing
from ..plan.works import Repeated, Work
from .composition import Composition, RegionPlan
from .lowering.inside import forks, occurrences
from .occurrences import Run, Runs, cycle_blocks, publication_blocks, ready_blocks, serial_blocks, step_blocks


def design_key(composition: Composition, objective: Objective) -> tuple[Hashable, ...]:
    """Return a value that two compositions share exactly when they lower to the same event graph, names aside.

    It begins with how the regions share the device; streams inside of roles without a fork are serial order.
    """
    if composition.sharing is Sharing.SERIAL:
        return ("serial", _nameless(_serial_order(composition, objective)))
    if composition.sharing is Sharing.INSIDE:
        return _inside(composition, objective)
    if composition.sharing is Sharing.STREAMS:
        return ("streams", composition.capacity, *_on_streams(composition, objective))
    if composition.sharing is Sharing.PARTITION:
        return ("partition", composition.capacity, _on_partitions(composition, objective))
    return (composition.sharing.value, _before_the_split(composition, objective), _beside_each_other(composition, objective))


def _serial_order(composition: Composition, objective: Objective) -> Sequence[Runs]:
    return publication_blocks(composition) if objective is Objective.FIRST_PUBLICATION else cycle_blocks(composition)


def _inside(composition: Composition, objective: Objective) -> tuple[Hashable, ...]:
    """Return what runs on which of two streams inside of roles; where nothing does on the second one, that is serial order."""
    blocks = _serial_order(composition, objective)
    if not forks(composition, blocks):
        # With nothing beside it a kernel takes its own time, however wide it is.
        works = {
            key: replace(one, services=tuple(replace(each, grid=None) for each in one.services)) for key, one in composition.works.items()
        }
        return ("serial", _nameless(_serial_order(replace(composition, works=works), objective)))
    return ("inside", tuple((block.repeat, tuple(_turns(composition, block))) for block in blocks if block.repeat))


def _turns(composition: Composition, block: Runs) -> Iterator[Hashable]:
    for occurrence in occurrences(composition, block):
        yield tuple((turn.stream, turn.behind, turn.run.region.sms, _launches([turn.run])) for turn in occurrence)


def _before_the_split(composition: Composition, objective: Objective) -> Hashable:
    if objective is not Objective.FIRST_PUBLICATION:
        return ()
    if composition.sharing is Sharing.FIXED:
        return _nameless(serial_blocks(composition, admission=composition.separate_admission, steps=0, chunk=()))
    return _nameless(ready_blocks(composition))


def _beside_each_other(composition: Composition, objective: Objective) -> Hashable:
    """Return both sides of the split; only the consumer's where a dynamic split has no producer step left."""
    capacity = composition.capacity
    producer, consumer = composition.region_of(composition.producers[0]), composition.region_of(composition.consumers[0])
    is_first, schedule = objective is Objective.FIRST_PUBLICATION, composition.schedule
    consumers, last = composition.consumers, composition.producers
    if is_first:
        consumers, last = composition.awaited(consumers), composition.awaited(last)
    takes = (_plan(consumer), capacity.consumer, _split(composition, consumers))
    if is_first and composition.sharing is Sharing.DYNAMIC and schedule.horizon_step == schedule.ready_step:
        return (capacity.total, takes)
    rides = [group for group in composition.admission if group in producer.groups]
    inside = _split(composition, rides) if is_first and composition.sharing is Sharing.FIXED else ()
    makes = (_plan(producer), capacity.producer, inside, _split(composition, composition.producers), _split(composition, last))
    return (capacity.total, producer == consumer, makes, takes)


def behind_ready(composition: Composition) -> Hashable:
    """Return a value that two compositions of one question on two streams share if they run the same behind step r, names aside."""
    return (composition.capacity, *_beside_on_streams(composition, is_first=True))


def _on_streams(composition: Composition, objective: Objective) -> tuple[Hashable, ...]:
    """Return what runs before the second stream and, beside each other, the steps and the chunk."""
    is_first = objective is Objective.FIRST_PUBLICATION
    return (_nameless(ready_blocks(composition)) if is_first else (), *_beside_on_streams(composition, is_first=is_first))


def _beside_on_streams(composition: Composition, *, is_first: bool) -> tuple[Hashable, ...]:
    beside = composition.beside
    consumers = composition.awaited(composition.consumers) if is_first else composition.consumers
    last = composition.awaited(composition.producers) if is_first else composition.producers
    parts = (
        *(_nameless(step_blocks(beside, groups)) for groups in (composition.producers, last)),
        _nameless(serial_blocks(beside, admission=(), steps=0, chunk=consumers)),
    )
    held = tuple(region.sms for region in composition.regions if region.persistent)
    # Long after the first chunk nobody can tell what it waited for.
    second = composition.second_stream if is_first else replace(composition.second_stream, waits_for_stream=False)
    return (composition.stays, held, second, *parts)


def _on_partitions(composition: Composition, objective: Objective) -> Hashable:
    """Return what runs before production, the steps and the chunk of two partitions."""
    is_first = objective is Objective.FIRST_PUBLICATION
    separate = composition.separate_admission
    inside = tuple(group for group in composition.admission if group not in separate) if is_first else ()
    consumers = composition.awaited(composition.consumers) if is_first else composition.consumers
    last = composition.awaited(composition.producers) if is_first else composition.producers
    parts = (
        serial_blocks(composition, admission=separate if is_first else (), steps=0, chunk=()),
        serial_blocks(composition, admission=inside, steps=2, chunk=()),
        serial_blocks(composition, admission=(), steps=1, chunk=(), last_step=last),
        serial_blocks(composition, admission=(), steps=0, chunk=consumers),
    )
    return (composition.stays, *map(_nameless, parts))


def _split(composition: Composition, groups: Sequence[str]) -> tuple[Any, ...]:
    return tuple(map(_work, composition.works_of(groups, Phase.SPLIT)))


def _nameless(blocks: Sequence[Runs]) -> Hashable:
    return tuple((block.repeat, _launches(block.runs)) for block in blocks if block.repeat)


def _launches(runs: Sequence[Run | Runs]) -> tuple[Any, ...]:
    """Return what each launch costs and runs.

    Where every kernel is a launch, it does not matter which region a kernel is in, and what a block repeats in a region of it is the same
    as what each of its repeats launches again.
    """
    return tuple(launch for run in runs for launch in ([_again(run)] if isinstance(run, Runs) else map(_series(run), run.launches)))


def _again(runs: Runs) -> tuple[Any, ...]:
    return (runs.repeat, _launches(runs.runs))


def _series(run: Run) -> Callable[[Series], Hashable]:
    return lambda series: (_plan(run.region), *_listed(series)) if run.region.persistent else _listed(series)


def _listed(series: Series) -> tuple[Any, ...]:
    return (series.times, tuple(_launched(one) if isinstance(one, Launched) else _listed(one) for one in series.launches))


def _launched(one: Launched) -> tuple[Any, ...]:
    return (one.times, one.cost, tuple((section.repeat, tuple(map(_work, section.works))) for section in one.sections))


def _plan(region: RegionPlan) -> Hashable:
    """Return the persistent launch of a region; conventional kernels are what their launches are."""
    return region.launching if region.persistent else None


def _work(work: Work | Repeated) -> tuple[Any, ...]:
    if isinstance(work, Repeated):
        return (work.times, "repeats", tuple(map(_work, work.works)))
    return (work.calls, tuple((one.duration_ps, one.hbm_bytes, one.launches, one.dispatch.gap_ps, one.grid) for one in work.services))
