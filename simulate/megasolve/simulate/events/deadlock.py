"""Reads the state in which a simulation stopped and says who holds what and who waits for what."""

from __future__ import annotations

from collections.abc import Sequence

from .arithmetic import Time
from .graph import EventGraph
from .outcome import Deadlock, Holder, Waiter
from .residency import Residency


def deadlock_of(graph: EventGraph, finish: Sequence[Time | None], residency: Residency, now: Time) -> Deadlock:
    """Return the deadlock of a simulation in which nothing runs at *now*; holders in launch order, waiters in READY order."""
    unfinished = [index for index in range(len(graph.nodes)) if finish[index] is None]
    holders = [
        Holder(launch.name, residency.held[index], _waits_on(graph, index, unfinished))
        for index, launch in enumerate(graph.launches)
        if residency.held[index] and residency.released[index] is None
    ]
    waiters = [
        Waiter(graph.launches[index].name, graph.launches[index].holds, residency.held[index])
        for index in sorted(residency.turns, key=residency.turns.__getitem__)
    ]
    # Nothing runs, so no kernel has a part of its CTAs: it waits for its first SM.
    waiters += [Waiter(graph.nodes[node].name, 1, 0) for node in residency.kernels.waiting]
    return Deadlock(now, residency.free_ctas, tuple(holders), tuple(waiters), len(unfinished))


def _waits_on(graph: EventGraph, launch: int, unfinished: list[int]) -> tuple[str, ...]:
    """Name the launches, and the nodes outside any launch, that the unfinished nodes of *launch* wait for directly."""
    still = set(unfinished)
    own = [index for index in unfinished if graph.nodes[index].launch == launch or index == graph.releases[launch]]
    causes = [before for index in own for before in graph.predecessors[index] if before in still]
    return tuple(dict.fromkeys(_owner(graph, cause) for cause in causes if graph.nodes[cause].launch != launch))


def _owner(graph: EventGraph, index: int) -> str:
    node = graph.nodes[index]
    return node.name if node.launch is None else graph.launches[node.launch].name
