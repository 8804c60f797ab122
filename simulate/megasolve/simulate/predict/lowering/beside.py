"""Two sides beside each other: producers and consumers, each a serial order of launches of its own on an SM partition of its own.

The producers do not stop at step h: they go on until the publication, because nobody tells them to wait. What they run behind step h is
load: it takes bandwidth from the chunk, and nothing waits for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...events.graph import NodeKind
from ..composition import Composition
from ..occurrences import Runs, additive_ps, serial_blocks, step_blocks
from .stretches import Stretch, load_of, on_its_side, steps_of
from .writer import LOAD, Writer


class ProducerSide:
    """The side of the producers: one launch that stays over the steps, or launches for each of them."""

    def __init__(self, writer: Writer, after: tuple[int, ...], groups_inside: Sequence[str] = (), *, is_dispatched: bool = True) -> None:
        composition = writer.composition
        self.writer = writer
        self.last = after
        self.side = None
        if composition.stays:
            region, holds = composition.region_of(composition.producers[0]), composition.capacity.producer
            self.side = writer.launch(region, after, holds) if is_dispatched else writer.open(region, after[0], holds)
            inside = on_its_side(composition, groups_inside)
            self.last = (writer.solo(inside, self.side, self.side.after),)

    def alone(self, steps: Stretch) -> None:
        """Run *steps* in the launch that stays, with nothing beside them."""
        if self.side is not None:
            self.last = (self.writer.solo(steps, self.side, self.last[0]),)

    def run(self, groups: Sequence[str]) -> None:
        """Run *groups* of one step, beside whatever is on the other side."""
        writer = self.writer
        if self.side is not None:
            self.last = (writer.beside(on_its_side(writer.composition, groups), self.side, self.last[0], None),)
            return
        writer.device = self.last
        writer.each(step_blocks(writer.composition, groups), writer.composition.capacity.producer)
        self.last = writer.device

    def fold(self, steps: int, last: Sequence[str]) -> None:
        """Run *steps* steps, the last of them only its groups *last*, that have nothing beside them, in a few nodes."""
        composition = self.writer.composition
        self.alone(steps_of(composition, steps, ends=len(last) < len(composition.producers)))
        if self.side is None:
            self.writer.device = self.last
            self.writer.folded_behind((*step_blocks(composition, composition.producers, steps - 1), *step_blocks(composition, last)))
            self.last = self.writer.device

    def close(self) -> None:
        """End the launch that stays."""
        if self.side is not None:
            self.writer.close(self.side, self.writer.composition.region_of(self.writer.composition.producers[0]).name, *self.last)


def lower_partition(writer: Writer, load_steps: int) -> int:
    """Both partitions stand from the start of production, after separate admission on the whole device.

    Behind step h the producers go on for *load_steps* steps, no further than the utterance is long.
    """
    composition, schedule = writer.composition, writer.composition.schedule
    producers = _until_ready(writer)
    ready, consumers = producers.last, composition.awaited(composition.consumers)
    last_step = composition.awaited(composition.producers)
    taken = _steps_beside(producers, schedule.horizon_step - schedule.ready_step, last_step, consumers)
    made = producers.last
    for groups in load_of(composition, load_steps):
        producers.run(groups)
        writer.graph.labels[LOAD] = producers.last[0]
        taken = taken or _chunk(writer, ready, consumers)
    taken = taken or _chunk(writer, ready, consumers)
    producers.close()
    return writer.publish_both(made[0] if made else taken[0], taken[0])


def lower_partition_cycle(writer: Writer, begin: int, steps: int) -> tuple[int, int]:
    """Append *steps* steps and, beside them, the chunk of the steps before; return the last node of each."""
    composition = writer.composition
    producers = ProducerSide(writer, (begin,), is_dispatched=False)
    taken = _steps_beside(producers, steps, composition.producers, composition.consumers)
    producers.close()
    return producers.last[0], taken[0]


def _steps_beside(producers: ProducerSide, steps: int, last_step: Sequence[str], consumers: Sequence[str]) -> tuple[int, ...]:
    """Append *steps* steps, the last of them only the groups *last_step*, and the chunk beside them; return its last node.

    The host issues in the order in which things become ready: the first step, the chunk, and then the steps behind it.
    """
    writer, composition, ready = producers.writer, producers.writer.composition, producers.last
    taken: tuple[int, ...] = ()
    step_ps, chunk_ps = additive_ps(step_blocks(composition, composition.producers)), additive_ps(_chunk_blocks(composition, consumers))
    for place in range(steps):
        # Two tasks slow each other twofold at most, so the chunk, which waits for the host of the first step alone, has ended by then.
        if not writer.is_full and (place - 1) * step_ps > 2 * (step_ps + chunk_ps):
            producers.fold(steps - place, last_step)
            return taken
        producers.run(last_step if place == steps - 1 else composition.producers)
        taken = taken or _chunk(writer, ready, consumers)
    return taken


def _until_ready(writer: Writer) -> ProducerSide:
    """Append all up to step r, which has nothing beside it."""
    composition, schedule = writer.composition, writer.composition.schedule
    is_last = schedule.horizon_step == schedule.ready_step
    before = serial_blocks(composition, admission=composition.separate_admission, steps=0, chunk=())
    inside = tuple(group for group in composition.admission if group not in composition.separate_admission)
    if composition.stays:
        writer.serial(before)
        producers = ProducerSide(writer, writer.device, inside)
        producers.alone(steps_of(composition, schedule.ready_step, ends=is_last))
        return producers
    last_step = composition.awaited(composition.producers) if is_last else None
    steps = serial_blocks(composition, admission=inside, steps=schedule.ready_step, chunk=(), last_step=last_step)
    if writer.is_full:
        writer.each(before)
        writer.each(steps, composition.capacity.producer)
    else:
        writer.serial((*before, *steps))
    return ProducerSide(writer, writer.device)


def _chunk(writer: Writer, ready: tuple[int, ...], consumers: Sequence[str]) -> tuple[int, ...]:
    """Append the chunk behind *ready*, on the partition of the consumers."""
    writer.device = (writer.add("chunk ready", NodeKind.CONTROL, 0, ready),)
    writer.each(_chunk_blocks(writer.composition, consumers), writer.composition.capacity.consumer)
    return writer.device


def _chunk_blocks(composition: Composition, consumers: Sequence[str]) -> tuple[Runs, ...]:
    return serial_blocks(composition, admission=(), steps=0, chunk=consumers)
