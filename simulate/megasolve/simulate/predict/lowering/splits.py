"""Fixed and dynamic splits: a launch for the producers and one for the consumers, or two pools of one launch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...events.graph import NodeKind
from ..composition import RegionPlan
from ..occurrences import ready_blocks, serial_blocks
from .stretches import dispatch_ps, first_chunk, load_of, on_its_side, steps_of
from .writer import LOAD, Side, Writer


def lower_fixed(writer: Writer, load_steps: int) -> int:
    """Both sides are resident from the start of production, after a separate admission region has ended.

    The producers go on for *load_steps* steps behind step h, which by the paper's rule are none.
    """
    composition = writer.composition
    producer = composition.region_of(composition.producers[0])
    consumer = composition.region_of(composition.consumers[0])
    writer.before_split(serial_blocks(composition, admission=composition.separate_admission, steps=0, chunk=()))
    makes, takes = _open_fixed(writer, producer, consumer)
    inside = tuple(group for group in composition.admission if group in producer.groups)
    admitted = writer.solo(on_its_side(composition, inside), makes, makes.after)
    schedule = composition.schedule
    steps = steps_of(composition, schedule.ready_step, ends=schedule.horizon_step == schedule.ready_step)
    # Nothing is beside the producers before step r: the consumer is resident already, and waits for its first chunk.
    ready = writer.solo(steps, makes, admitted)
    lag_ps = dispatch_ps(producer, consumer)
    made, taken, last = _overlap(writer, replace(makes, after=ready), takes, (takes.after, ready), lag_ps=lag_ps, load_steps=load_steps)
    if makes.launch == takes.launch:
        writer.close(makes, producer.name, last, taken)
    else:
        writer.close(makes, producer.name, last)
        writer.close(takes, consumer.name, taken)
    return writer.publish_both(made, taken)


def _open_fixed(writer: Writer, producer: RegionPlan, consumer: RegionPlan) -> tuple[Side, Side]:
    capacity, device = writer.composition.capacity, writer.device
    if producer == consumer:
        # One launch, two pools: X and Y of the same grid, which neither lends the other.
        both = writer.launch(producer, device, capacity.producer + capacity.consumer, (1, 1))
        return both, Side(both.launch, both.after, pool=1)
    makes = writer.launch(producer, device, capacity.producer)
    return makes, writer.launch(consumer, device, capacity.consumer)


def _overlap(
    writer: Writer, makes: Side, takes: Side, chunk_after: tuple[int, ...], *, lag_ps: int, load_steps: int
) -> tuple[int, int, int]:
    """Append steps r+1..h on one side and the first chunk on the other; return the last task of each, and that of the load behind step h.

    *lag_ps* bounds how much later one side begins than the other.
    """
    composition = writer.composition
    schedule = composition.schedule
    tail = steps_of(composition, schedule.horizon_step - schedule.ready_step, ends=True)
    chunk = first_chunk(composition)
    # Twofold is the most that two tasks of demand at most B slow each other: min(1, B / (Q1 + Q2)) is at least 1/2.
    made = writer.beside(tail, makes, makes.after, lag_ps + 2 * chunk.service_ps)
    # A node of the consumer's launch: the chunk begins when it is due and the launch is admitted, whichever is later.
    begin = writer.add("chunk ready", NodeKind.CONTROL, 0, chunk_after, launch=takes.launch, pool=takes.pool)
    if not load_steps:
        return made, writer.beside(chunk, takes, begin, lag_ps + 2 * tail.service_ps), made
    last = made
    for groups in load_of(composition, load_steps):
        last = writer.beside(on_its_side(composition, groups), makes, last, None)
    writer.graph.labels[LOAD] = last
    return made, writer.beside(chunk, takes, begin, None), last


def lower_dynamic(writer: Writer, load_steps: int) -> int:
    """The producer has the whole device until step r; then the same entry goes on beside the consumer, and behind step h as load."""
    composition = writer.composition
    schedule = composition.schedule
    producer = composition.region_of(composition.producers[0])
    consumer = composition.region_of(composition.consumers[0])
    writer.before_split(ready_blocks(composition))
    ready = writer.device
    # h = r: nothing is left to produce beside the chunk, and an empty launch would cost its dispatch for nothing.
    tail = producer.entry.launched_steps(schedule.horizon_step - schedule.ready_step)
    if not tail:
        takes = writer.launch(consumer, ready, composition.capacity.consumer)
        taken = writer.beside(first_chunk(composition), takes, takes.after, None)
        writer.close(takes, consumer.name, taken)
        return writer.publish(taken)
    if not producer.loops:
        return _relaunched_tail(writer, producer, consumer, tail, load_steps)
    makes = writer.launch(producer, ready, composition.capacity.producer)
    takes = writer.launch(consumer, ready, composition.capacity.consumer)
    made, taken, last = _overlap(writer, makes, takes, (takes.after,), lag_ps=dispatch_ps(producer, consumer), load_steps=load_steps)
    writer.close(makes, producer.name, last)
    writer.close(takes, consumer.name, taken)
    return writer.publish_both(made, taken)


def _relaunched_tail(writer: Writer, producer: RegionPlan, consumer: RegionPlan, tail: Sequence[int], load_steps: int) -> int:
    """Launch a producer that does not loop on the device again for each further step, the consumer after the first."""
    composition = writer.composition
    ready = writer.device
    # Each launch ends with its step, so the next one waits for its release; the host launches the consumer behind the first.
    (made,) = ready
    taken = made
    for index, count in enumerate(tail):
        step = steps_of(composition, count, ends=index == len(tail) - 1)
        side = writer.launch(producer, (made,), composition.capacity.producer)
        made = writer.close(side, producer.name, writer.beside(step, side, side.after, None))
        if not index:
            takes = writer.launch(consumer, ready, composition.capacity.consumer)
            taken = writer.beside(first_chunk(composition), takes, takes.after, None)
            writer.close(takes, consumer.name, taken)
    last = made
    for groups in load_of(composition, load_steps):
        side = writer.launch(producer, (last,), composition.capacity.producer)
        last = writer.close(side, producer.name, writer.beside(on_its_side(composition, groups), side, side.after, None))
        writer.graph.labels[LOAD] = last
    return writer.publish_both(made, taken)
