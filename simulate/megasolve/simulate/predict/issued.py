"""What the host issues for a composition: every launch up to the first publication, in order, and which groups each runs.

These are the launches that `lowering` prices; whoever runs the composition prepares them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from ..plan.sharing import Sharing
from .composition import Composition, RegionPlan
from .lowering.stretches import first_chunk, on_its_side, steps_beside, steps_of
from .occurrences import Runs, publication_blocks, ready_blocks, serial_blocks, step_blocks


class DeviceShare(Enum):
    """What of the device a launch has: all of it, one side of a split, or both sides as pools of its own."""

    WHOLE = "whole"
    PRODUCER = "producer"
    CONSUMER = "consumer"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class IssuedLaunch:
    """One persistent launch of *region*, or the kernels of one occurrence of a conventional one; each of *groups* is one occurrence.

    What the consumers beside it wait for ends with one that *readies* them; the publication does not wait for one that *is_load*.
    """

    region: RegionPlan
    share: DeviceShare
    groups: tuple[str, ...]
    readies: bool = False
    is_load: bool = False


def issued(composition: Composition) -> tuple[IssuedLaunch, ...]:
    """Return the launches of *composition*, of which nothing is on a partition, up to the first publication, as the host issues them."""
    launches = {Sharing.SERIAL: _serial, Sharing.FIXED: _fixed, Sharing.DYNAMIC: _dynamic, Sharing.STREAMS: _streams}
    return tuple(launches[composition.sharing](composition))


def _whole(blocks: Iterable[Runs]) -> Iterator[IssuedLaunch]:
    for block in blocks:
        for run in block.each_run():
            yield IssuedLaunch(run.region, DeviceShare.WHOLE, tuple(work.group for section in run.sections for work in section.each()))


def _serial(composition: Composition) -> Iterator[IssuedLaunch]:
    yield from _whole(publication_blocks(composition))


def _fixed(composition: Composition) -> Iterator[IssuedLaunch]:
    """Both sides are resident from the start of production; a separate admission ends before."""
    producer, consumer = _sides(composition)
    yield from _whole(serial_blocks(composition, admission=composition.separate_admission, steps=0, chunk=()))
    inside = on_its_side(composition, tuple(group for group in composition.admission if group in producer.groups))
    steps = steps_of(composition, composition.schedule.horizon_step, ends=True)
    makes, takes = (*inside.each_group(), *steps.each_group()), tuple(first_chunk(composition).each_group())
    if producer == consumer:
        yield IssuedLaunch(producer, DeviceShare.BOTH, (*makes, *takes))
    else:
        yield IssuedLaunch(producer, DeviceShare.PRODUCER, makes)
        yield IssuedLaunch(consumer, DeviceShare.CONSUMER, takes)


def _dynamic(composition: Composition) -> Iterator[IssuedLaunch]:
    """The producers have the whole device until step r; the consumer is issued behind the first launch of those that are left."""
    producer, consumer = _sides(composition)
    schedule = composition.schedule
    yield from _whole(ready_blocks(composition))
    tail = producer.entry.launched_steps(schedule.horizon_step - schedule.ready_step)
    steps = (steps_of(composition, count, ends=number == len(tail)) for number, count in enumerate(tail, start=1))
    makes = [IssuedLaunch(producer, DeviceShare.PRODUCER, tuple(one.each_group())) for one in steps]
    takes = IssuedLaunch(consumer, DeviceShare.CONSUMER, tuple(first_chunk(composition).each_group()))
    yield from (*makes[:1], takes, *makes[1:])


def _streams(composition: Composition) -> Iterator[IssuedLaunch]:
    """Two orders of launches from step r on. Behind step h the producers go on, at most for the steps of another chunk.

    A design that keeps up ends its chunk within those, so that it has the load that it would have in a server.
    """
    yield from _whole(ready_blocks(composition))
    chunk = serial_blocks(composition, admission=(), steps=0, chunk=composition.awaited(composition.consumers))
    takes = tuple(replace(one, share=DeviceShare.CONSUMER) for one in _whole(chunk))
    is_issued = False
    # The host issues in the order in which things become ready: the next step, the chunk, and then the steps behind it.
    for number, makes in _producers_beside(composition):
        *before, last = makes
        yield from (*before, replace(last, readies=number == composition.chunk_waits_for))
        if number > composition.chunk_waits_for and not is_issued:
            yield from takes
            is_issued = True
    yield from () if is_issued else takes


def _producers_beside(composition: Composition) -> Iterator[tuple[int, tuple[IssuedLaunch, ...]]]:
    """Yield the launches of the producers behind step r by the number of their last step: of each step, or of one launch that stays."""
    steps = tuple(steps_beside(composition, composition.schedule.cycle_steps))
    if not composition.stays:
        for step in steps:
            made = _whole(step_blocks(composition, step.groups))
            yield step.number, tuple(replace(one, share=DeviceShare.PRODUCER, is_load=step.is_load) for one in made)
        return
    region = composition.region_of(composition.producers[0])
    for is_load in (False, True):
        own = [step for step in steps if step.is_load is is_load]
        if own:
            groups = tuple(group for step in own for group in step.groups)
            yield own[-1].number, (IssuedLaunch(region, DeviceShare.PRODUCER, groups, is_load=is_load),)


def _sides(composition: Composition) -> tuple[RegionPlan, RegionPlan]:
    return composition.region_of(composition.producers[0]), composition.region_of(composition.consumers[0])
