"""Two streams: from step r on the consumers run on a second one, beside producers that go on.

Until step r all is in serial order. Then each side is a serial order of launches of its own. Conventional kernels take SMs wave by wave
(`events/kernels.py`), megakernels hold what they hold. What the producers run behind step h is load that nothing waits for.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...events.graph import NodeKind
from ..occurrences import ready_blocks, serial_blocks
from .beside import ProducerSide
from .stretches import steps_beside
from .writer import LOAD, Writer


def lower_streams(writer: Writer, load_steps: int) -> int:
    """Append all up to step r, then both streams; behind step h the producers go on for *load_steps* steps."""
    composition = writer.composition
    writer.before_split(ready_blocks(composition))
    if not writer.device:
        # Nothing that runs until step r is waited for.
        writer.device = (writer.add("production begins", NodeKind.CONTROL, 0, ()),)
    writer.composition = composition.beside
    made = behind = writer.device
    consumers = composition.awaited(composition.consumers)
    taken: tuple[int, ...] = ()
    producers = None
    for step in steps_beside(composition, load_steps):
        producers = producers or _side(writer, made)
        last = _run(producers, step.groups)
        if step.is_load:
            writer.graph.labels[LOAD] = last[0]
        else:
            made = last
        # The host issues in the order in which things become ready: the next step, the chunk, and then the steps behind it.
        if step.number <= composition.chunk_waits_for:
            behind = last if step.number > composition.schedule.ready_step else behind
        elif not taken:
            taken = _chunk(writer, behind, consumers)
    taken = taken or _chunk(writer, behind, consumers)
    if producers:
        producers.close()
    return writer.publish_both(made[0], taken[0])


def lower_streams_cycle(writer: Writer, begin: int, steps: int) -> tuple[int, int]:
    """Append *steps* steps and, beside them, the chunk of the steps before; return the last node of each.

    Launches queue up on both streams, so each thread of the host is as far ahead as it can get: a cycle takes as long as the device or as
    the longest thread, unless a launch of a thread waits for the device.
    """
    composition = writer.composition
    writer.composition = composition.beside
    writer.ahead_hosts = writer.composition.threads_ahead
    producers = _side(writer, (begin,), is_dispatched=False)
    taken: tuple[int, ...] = ()
    for _ in range(steps):
        _run(producers, composition.producers)
        taken = taken or _chunk(writer, (begin,), composition.consumers)
    producers.close()
    issued = {thread: last for thread, last in writer.hosts.items() if thread in writer.ahead_hosts}
    ends = ((producers.last, composition.producers), (taken, composition.consumers))
    made, chunk = (
        writer.add("issued and done", NodeKind.CONTROL, 0, (*last, *issued.get(composition.thread_of(groups), ()))) for last, groups in ends
    )
    return made, chunk


def _side(writer: Writer, after: tuple[int, ...], *, is_dispatched: bool = True) -> ProducerSide:
    with writer.on_stream(int(not writer.composition.second_stream.producers_first)):
        return ProducerSide(writer, after, is_dispatched=is_dispatched)


def _run(producers: ProducerSide, groups: Sequence[str]) -> tuple[int, ...]:
    with producers.writer.on_stream(int(not producers.writer.composition.second_stream.producers_first)):
        producers.run(groups)
    return producers.last


def _chunk(writer: Writer, behind: tuple[int, ...], consumers: Sequence[str]) -> tuple[int, ...]:
    """Append the chunk, on the second stream, behind the event that it waits for."""
    writer.device = (writer.add("chunk ready", NodeKind.CONTROL, 0, behind),)
    with writer.on_stream(int(writer.composition.second_stream.producers_first)):
        writer.each(serial_blocks(writer.composition, admission=(), steps=0, chunk=consumers))
    return writer.device
