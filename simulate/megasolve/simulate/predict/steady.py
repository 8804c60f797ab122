"""The steady objectives: time from step to step and from chunk to chunk, long after the first publication.

One cycle is `cycle_steps` producer steps and one chunk, or a single step where there is no consumer. In serial order
the cycle time is the max-plus eigenvalue of the cycle's launches (host and device may be ahead of each other). Under a
split the producer makes the next chunk's frames while the consumer decodes the last chunk, both beginning together;
the consumer never holds the producer back (the buffer between them is taken as large enough). A fixed split keeps both
launches resident; under a dynamic split the producer stays on its side and each chunk is a launch of its own; on partitions each side
launches what it launches, and the host begins the cycle with both.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..events.graph import EventGraph, NodeKind
from ..plan.objective import Objective
from ..plan.sharing import Sharing
from .composition import Composition
from .lowering.beside import lower_partition_cycle
from .lowering.inside import forks, lower_inside_cycle
from .lowering.streams import lower_streams_cycle
from .lowering.stretches import Stretch, dispatch_ps, on_its_side, steps_of
from .lowering.writer import Detail, Side, Writer
from .maxplus import Matrix, Parts
from .occurrences import additive_ps, blocks_matrix, cycle_blocks


@dataclass(frozen=True, slots=True)
class Cycle:
    """The event graph of one or more cycles; the score is the time of its publication over *divisor*."""

    graph: EventGraph
    divisor: int


def lower_cycle(composition: Composition, objective: Objective, *, detail: Detail = Detail.COMPACT, serialized: bool = False) -> Cycle:
    """Return the steady event graph of *objective*."""
    steps = composition.schedule.cycle_steps
    per_cycle = steps if objective is Objective.PRODUCER_STEP else 1
    is_inside = composition.sharing is Sharing.INSIDE
    if composition.sharing is Sharing.SERIAL or (is_inside and not forks(composition, cycle_blocks(composition))):
        return _serial_cycle(composition, per_cycle, serialized=serialized)
    writer = Writer(composition, detail=detail, serialized=serialized)
    if is_inside:
        begin = writer.add("cycle begins", NodeKind.CONTROL, 0, ())
        return Cycle(writer.build(writer.publish(lower_inside_cycle(writer, begin, cycle_blocks(composition)))), per_cycle)
    made, taken = split_cycle(writer, steps)
    after = (made, taken) if objective is Objective.CHUNK_INTERVAL or serialized else (made,)
    return Cycle(writer.build(writer.publish(*after)), per_cycle)


def never_leaves(composition: Composition) -> bool:
    """Whether one looping launch holds the whole cycle, so that nothing is ever dispatched in it."""
    region = composition.region_of(composition.producers[0])
    if region.is_inside(composition.repeat_of(composition.producers[0])):
        return False
    return region.loops and {*composition.producers, *composition.consumers} <= {*region.groups}


def _serial_cycle(composition: Composition, per_cycle: int, *, serialized: bool) -> Cycle:
    blocks = cycle_blocks(composition)
    writer = Writer(composition, detail=Detail.COMPACT)
    if never_leaves(composition):
        sections = [section for block in blocks for run in block.each_run() for section in run.sections]
        # The launch goes on for ever: in the steady state it was paid for long ago.
        twice = sum((Stretch((section,)).parts() for section in sections * 2), Parts())
    elif serialized:
        twice = Parts.of("all of the cycle", 2 * additive_ps(blocks))
    else:
        twice = twice_the_cycle(blocks_matrix(blocks, Parts.of))
    return Cycle(writer.build(writer.publish(writer.alone("two cycles", twice, (), None))), 2 * per_cycle)


def twice_the_cycle(matrix: Matrix[Parts]) -> Parts:
    """Return twice the largest mean weight of a cycle through (host, device): twice, to stay in whole picoseconds."""
    # The eigenvalue of a 2 x 2 max-plus matrix: the largest mean over its cycles, host, device, and the round trip of two.
    host, to_host, to_device, device = matrix
    cycles = [weight + weight for weight in (device, host) if weight is not None]
    if to_host is not None and to_device is not None:
        # Two arcs: their sum is twice their mean already.
        cycles.append(to_host + to_device)
    return max(cycles, key=lambda weight: weight.total_ps)


def split_cycle(writer: Writer, steps: int) -> tuple[int, int]:
    """Append a cycle of *steps* steps with the chunk beside them; return the last node of each."""
    composition = writer.composition
    begin = writer.add("cycle begins", NodeKind.CONTROL, 0, ())
    if composition.sharing is Sharing.PARTITION:
        return lower_partition_cycle(writer, begin, steps)
    if composition.sharing is Sharing.STREAMS:
        return lower_streams_cycle(writer, begin, steps)
    producer = composition.region_of(composition.producers[0])
    consumer = composition.region_of(composition.consumers[0])
    chunk = on_its_side(composition, composition.consumers)
    step = on_its_side(composition, composition.producers)
    if composition.sharing is Sharing.DYNAMIC and not producer.loops:
        return _relaunched_cycle(writer, begin, step, chunk, steps)
    capacity = composition.capacity
    shared = producer == consumer
    makes = writer.open(producer, begin, capacity.producer + shared * capacity.consumer, (1, 1) if shared else (1,))
    reached = writer.dispatch(consumer, consumer.entry.cost, (begin,)) if composition.sharing is Sharing.DYNAMIC else begin
    takes = Side(makes.launch, makes.after, pool=1) if shared else writer.open(consumer, reached, capacity.consumer)
    lag_ps = dispatch_ps(consumer)
    made = writer.beside(steps_of(composition, steps, ends=False), makes, makes.after, lag_ps + 2 * chunk.service_ps)
    taken = writer.beside(chunk, takes, takes.after, lag_ps + 2 * steps * step.service_ps)
    writer.close(makes, producer.name, made, *([taken] if shared else []))
    if not shared:
        writer.close(takes, consumer.name, taken)
    return made, taken


def _relaunched_cycle(writer: Writer, begin: int, step: Stretch, chunk: Stretch, steps: int) -> tuple[int, int]:
    composition = writer.composition
    producer = composition.region_of(composition.producers[0])
    consumer = composition.region_of(composition.consumers[0])
    made, taken = begin, begin
    for index in range(steps):
        side = writer.launch(producer, (made,), composition.capacity.producer)
        made = writer.close(side, producer.name, writer.beside(step, side, side.after, None))
        if not index:
            takes = writer.launch(consumer, (begin,), composition.capacity.consumer)
            taken = writer.beside(chunk, takes, takes.after, None)
            writer.close(takes, consumer.name, taken)
    return made, taken
