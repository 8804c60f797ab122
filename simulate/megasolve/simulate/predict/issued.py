"""What the host issues for a composition: every launch up to the first publication, in order, and which groups each runs.

These are the launches that `lowering` prices; whoever runs the composition prepares them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from ..plan.sharing import Sharing
from .composition import Composition, RegionPlan
from .lowering.stretches import first_chunk, on_its_side, steps_of
from .occurrences import Runs, publication_blocks, ready_blocks, serial_blocks


class DeviceShare(Enum):
    """What of the device a launch has: all of it, one side of a split, or both sides as pools of its own."""

    WHOLE = "whole"
    PRODUCER = "producer"
    CONSUMER = "consumer"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class IssuedLaunch:
    """One persistent launch of *region*, or the kernels of one occurrence of a conventional one; each of *groups* is one occurrence."""

    region: RegionPlan
    share: DeviceShare
    groups: tuple[str, ...]


def issued(composition: Composition) -> tuple[IssuedLaunch, ...]:
    """Return the launches of *composition*, of which nothing is on a partition, up to the first publication, as the host issues them."""
    launches = {Sharing.SERIAL: _serial, Sharing.FIXED: _fixed, Sharing.DYNAMIC: _dynamic}
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


def _sides(composition: Composition) -> tuple[RegionPlan, RegionPlan]:
    return composition.region_of(composition.producers[0]), composition.region_of(composition.consumers[0])
