"""What the host spends on launches in one steady cycle: a thread that spends more than a chunk plays falls behind for ever."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...plan.sharing import Sharing
from ..composition import Composition
from ..occurrences import Runs, cycle_blocks, serial_blocks, step_blocks
from ..steady import never_leaves


def host_parts(composition: Composition) -> dict[str, int]:
    """Return the host parts of all launches in one steady cycle, in picoseconds, by the group that each begins with."""
    found: Counter[str] = Counter()
    for times, blocks in _blocks(composition):
        for block in blocks:
            for run in block.each_run():
                for launched in run.each_launch():
                    first = next(launched.sections[0].each())
                    found[first.group] += times * launched.cost.host_ps
    found.update(_of_a_split(composition))
    return dict(found)


def _blocks(composition: Composition) -> Iterator[tuple[int, tuple[Runs, ...]]]:
    """Yield launches in serial order, each list with how often it occurs in a cycle."""
    if composition.sharing in (Sharing.SERIAL, Sharing.INSIDE) and not never_leaves(composition):
        yield 1, cycle_blocks(composition)
    if composition.sharing in (Sharing.PARTITION, Sharing.STREAMS):
        side = composition.beside
        if not composition.stays:
            yield composition.schedule.cycle_steps, step_blocks(side, composition.producers)
        yield 1, serial_blocks(side, admission=(), steps=0, chunk=composition.consumers)


def _of_a_split(composition: Composition) -> dict[str, int]:
    """Return the same of a dynamic split: a launch for each chunk and, of a producer that does not loop, for each step."""
    if composition.sharing is not Sharing.DYNAMIC:
        return {}
    producer, consumer = composition.producers[0], composition.consumers[0]
    makes, takes = composition.region_of(producer).entry, composition.region_of(consumer).entry
    steps = 0 if makes.loops else composition.schedule.cycle_steps
    return {producer: steps * makes.cost.host_ps, consumer: takes.cost.host_ps}
