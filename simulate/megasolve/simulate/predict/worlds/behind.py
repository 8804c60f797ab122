"""What two streams run behind step r, whenever that is: it takes as long as it did where the host is as far ahead of the device.

So compositions that differ only in what comes before step r share one simulation, and so do times that only that rests on.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from math import inf
from typing import NamedTuple

from ...events.engine import finishes_until
from ...events.outcome import Deadlock
from ..composition import Composition
from ..designs import behind_ready
from ..lowering.load import could_go_on, first_load, is_over
from ..lowering.lower import lower
from ..lowering.writer import Ahead
from ..maxplus import advance
from ..occurrences import Runs, blocks_matrix, ready_blocks, serial_blocks, step_blocks


class KnownBehind:
    """What is known of one question: how long it takes from step r to the publication, for each event graph behind that step."""

    def __init__(self) -> None:
        self._found: dict[Hashable, _Behind] = {}

    def published_ps(self, composition: Composition, at_most: Fraction | None = None) -> Fraction | float | None:
        """Return when a composition on two streams is published, exactly; None for a deadlock, and infinity where it is above *at_most*."""
        load_steps = first_load(composition)
        host_ps, device_ps = ready_ps(composition)
        what = behind_ready(composition)
        while True:
            shift_ps, ahead = _counted_from(composition, host_ps, device_ps, load_steps)
            key, latest = (what, load_steps, ahead), inf if at_most is None else at_most - shift_ps
            found = self._found.get(key)
            if found is None or found.looked_until < latest:
                found = self._found[key] = _simulated(composition, ahead, load_steps, latest)
            if not found.goes_on:
                return None if found.published_ps is None else shift_ps + found.published_ps
            load_steps *= 2


class _Behind(NamedTuple):
    """When the publication is, None for a deadlock, and infinity for behind the time *looked_until*.

    Where the load *goes_on* there was too little of it to know.
    """

    published_ps: Fraction | float | None
    looked_until: Fraction | float = inf
    goes_on: bool = False


def ready_ps(composition: Composition) -> Ahead:
    """Return when the launches until step r leave the host and the device free."""
    blocks = ready_blocks(composition)
    if not any(block.runs for block in blocks):
        return 0, 0
    return advance((0, 0), blocks_matrix(blocks, lambda _label, ps: ps))


def _counted_from(composition: Composition, host_ps: int, device_ps: int, load_steps: int) -> tuple[int, Ahead]:
    """Return an instant, and when host and device are free counted from it, so that all behind step r runs as it does.

    A host that has issued everything by the time that the device is free need not be further ahead than that.
    """
    beside, schedule = composition.beside, composition.schedule
    steps = load_steps + 1 + schedule.horizon_step - schedule.ready_step
    issuing_ps = steps * _issuing_ps(step_blocks(beside, composition.producers))
    issuing_ps += _issuing_ps(serial_blocks(beside, admission=(), steps=0, chunk=composition.consumers))
    shift_ps = max(device_ps - issuing_ps, 0)
    if not composition.second_stream.own_host:
        # A second thread has been issuing since the beginning; else nothing that comes is older than this.
        shift_ps = max(shift_ps, min(host_ps, device_ps))
    return shift_ps, (max(host_ps - shift_ps, 0), device_ps - shift_ps)


def _issuing_ps(blocks: tuple[Runs, ...]) -> int:
    return sum(launched.cost.host_ps for block in blocks for run in block.each_run() for launched in run.each_launch())


def _simulated(composition: Composition, ahead: Ahead, load_steps: int, latest: Fraction | float) -> _Behind:
    graph = lower(composition, ahead=ahead, load_steps=load_steps)
    if graph.publication is None:
        raise ValueError("an event graph without a publication has no score")
    finish = finishes_until(graph, graph.publication, latest)
    if isinstance(finish, Deadlock):
        return _Behind(None)
    published = finish[graph.publication]
    goes_on = could_go_on(composition, graph, load_steps) and is_over(finish, graph)
    return _Behind(inf, latest, goes_on) if published is None else _Behind(Fraction(published), inf, goes_on)
