"""What no kernel could run: events that never open, tasks that wait for each other, tasks of no known type."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.wording import counted
from ..profiles.errors import ProfileRefused
from .graph import NO_EVENT, TaskGraph
from .kinds import TASK_NAMES, task_name

_SHOWN = 6


def refuse_impossible_graph(graph: TaskGraph) -> None:
    """Refuse a graph that cannot run to its end, or whose order the workers' queues cannot keep.

    Raises
    ------
    ProfileRefused
        An event or a task that is named is not there, an event waits for more arrivals than there are, or tasks wait in a circle; or
        one waits for a task behind it, although the queues are filled in this order.
    """
    _refuse_unknown(graph)
    for position in graph.positions:
        event = graph.waits[position]
        if event != NO_EVENT and graph.events[event].triggers > len(graph.producers[event]):
            raise ProfileRefused(graph.file, _never_opens(graph, position, event))
    if (backward := _waits_backward(graph)) is not None:
        _refuse_circle(graph)
        position, behind = backward
        raise ProfileRefused(
            graph.file,
            f"{_task(graph, position)} waits for {_task(graph, behind)} behind it: queues filled in this order could block each other",
        )


def graph_notes(graph: TaskGraph) -> tuple[str, ...]:
    """Return what is odd about *graph* and does not stop it, a sentence each."""
    unknown = [kind for kind in sorted(graph.counts) if kind not in TASK_NAMES]
    awaited = set(graph.waits)
    early = [event for event, of in enumerate(graph.events) if event in awaited and of.triggers < len(graph.producers[event])]
    notes = [f"{counted(graph.counts[kind], 'task')} of type {kind}, which is not known here: called {task_name(kind)}" for kind in unknown]
    if early:
        first = f"event {early[0]}: {graph.events[early[0]].triggers} of {len(graph.producers[early[0]])}"
        some = counted(len(early), "event opens", "events open")
        notes.append(f"{some} before all that arrive have arrived ({first}): planned as waits for all of them")
    return tuple(notes)


def _refuse_unknown(graph: TaskGraph) -> None:
    for position, ends in enumerate(zip(graph.waits, graph.arrives, strict=True)):
        for event in ends:
            if event != NO_EVENT and event >= len(graph.events):
                raise ProfileRefused(
                    graph.file, f"{_task(graph, position)} names event {event}, and there are {len(graph.events):,}: the graph is not whole"
                )
    for event, of in enumerate(graph.events):
        if of.first < of.last and of.last > len(graph.kinds) and of.last < 2**31:
            raise ProfileRefused(graph.file, f"event {event} launches task {of.last - 1}, which is unknown: there are {len(graph.kinds):,}")


def _never_opens(graph: TaskGraph, position: int, event: int) -> str:
    of = graph.events[event]
    return f"{_task(graph, position)} waits for event {event}, at which {len(graph.producers[event])} of {of.triggers} tasks arrive"


def _waits_backward(graph: TaskGraph) -> tuple[int, int] | None:
    """Return the first task that waits for one at its own place or behind it, and that one."""
    for position in graph.positions:
        event = graph.waits[position]
        if event != NO_EVENT and graph.producers[event] and graph.producers[event][-1] >= position:
            return position, graph.producers[event][-1]
    return None


def _refuse_circle(graph: TaskGraph) -> None:
    if circle := _circle(graph):
        ring = " waits for ".join(_task(graph, position) for position in (*circle[:_SHOWN], circle[0]))
        more = f" (a circle of {len(circle):,}, shortened)" if len(circle) > _SHOWN else ""
        raise ProfileRefused(graph.file, f"has a cycle: {ring}{more}")


def _circle(graph: TaskGraph) -> list[int]:
    """Return tasks of which each waits for the next one, and the last for the first; none where there is no cycle."""
    done: set[int] = set()
    for start in graph.positions:
        path: dict[int, Iterator[int]] = {}
        at: int | None = start
        while at is not None:
            if at in path:
                ring = list(path)
                return ring[ring.index(at) :]
            if at not in done:
                path[at] = iter(_awaited(graph, at))
            at = _next_awaited(path, done)
    return []


def _next_awaited(path: dict[int, Iterator[int]], done: set[int]) -> int | None:
    """Return what the last task of *path* that has anything left waits for; those that have nothing left are *done*."""
    while path:
        last = next(reversed(path))
        for awaited in path[last]:
            if awaited not in done:
                return awaited
        done.add(last)
        del path[last]
    return None


def _awaited(graph: TaskGraph, position: int) -> tuple[int, ...]:
    event = graph.waits[position]
    return () if event == NO_EVENT else graph.producers[event]


def _task(graph: TaskGraph, position: int) -> str:
    return f"task {position} ({task_name(graph.kinds[position])})"
