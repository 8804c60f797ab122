"""CUDA calls of the host in an Nsight Systems export: which call launched which kernel, and when streams were captured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter, itemgetter
from typing import NamedTuple

from .execution import Span
from .nsys_database import Database, process_of, thread_of
from .nvtx import Annotations, in_order, open_at

CALLS = "CUPTI_ACTIVITY_KIND_RUNTIME"
KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
REPLAYS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"

LaunchKey = tuple[int | None, int | None]
"""A process and a correlation number: the number alone is not unique between processes."""

_Thread = tuple[int | None, int | None]

_BEGINS = "cu*StreamBeginCapture*"
_ENDS = "cu*StreamEndCapture*"
_GRAPH_LAUNCHES = "cu*GraphLaunch*"
_CONDITIONALS = "cu*GraphConditionalHandleCreate*"


class Call(NamedTuple):
    """One call of the CUDA API."""

    start_ns: int
    end_ns: int
    process: int | None
    thread: int | None
    correlation: int | None
    name: str
    failed: bool


def launch_calls(database: Database) -> dict[LaunchKey, tuple[int, int | None]]:
    """Return start (ns) and global thread of every call that launched a kernel.

    A runtime call and the driver call inside, or the same call recorded twice, share one correlation number: the outermost counts.
    """
    launches: dict[LaunchKey, tuple[int, int | None]] = {}
    if not (database.has_column(KERNELS, "correlationId") and database.has_column(CALLS, "correlationId")):
        return launches
    where = f'WHERE correlationId IN (SELECT correlationId FROM "{database.table(KERNELS)}")'
    for row, start, thread, correlation in database.select(CALLS, ("rowid", "start", "globalTid", "correlationId"), where):
        started = database.time_ns(CALLS, row, "start", start)
        key = (process_of(thread), database.whole(CALLS, row, "correlationId", correlation))
        known = launches.get(key)
        if known is None or started < known[0]:
            launches[key] = (started, thread)
    return launches


def ranges_at_launch(launches: Mapping[LaunchKey, tuple[int, int | None]], annotations: Annotations) -> dict[LaunchKey, tuple[Span, ...]]:
    """Return the ranges that were open around each launch call, outermost first: a kernel's own time says nothing about them."""
    by_thread: dict[int | None, list[tuple[int, LaunchKey]]] = defaultdict(list)
    for key, (start_ns, thread) in launches.items():
        by_thread[thread].append((start_ns * 1000, key))
    ranges: dict[LaunchKey, tuple[Span, ...]] = {}
    for thread, moments in by_thread.items():
        moments.sort(key=itemgetter(0))
        around = open_at((moment_ps for moment_ps, _ in moments), annotations.around(process_of(thread), thread))
        ranges.update((key, spans) for (_, key), spans in zip(moments, around, strict=True))
    return ranges


def sole_process(launches: Iterable[LaunchKey]) -> int | None:
    """Return the process of all *launches*, None where there are several or none."""
    processes = {process for process, _ in launches}
    return processes.pop() if len(processes) == 1 else None


def graph_launches(database: Database) -> set[LaunchKey]:
    """Return every successful launch of a CUDA graph."""
    calls = _calls(database, _GRAPH_LAUNCHES)
    return {(call.process, call.correlation) for call in calls if call.correlation is not None and not call.failed}


def makes_conditional_graphs(database: Database) -> bool:
    """Whether a CUDA graph with a conditional node was built."""
    return any(_calls(database, _CONDITIONALS))


def captures(database: Database) -> tuple[Span, ...]:
    """Return the windows in which streams were captured into graphs, one for captures that overlap on a thread.

    A capture may end on another thread. One that is never ended lasts until the file does.
    """
    begun: dict[_Thread, list[int]] = defaultdict(list)
    windows: list[Span] = []
    for call in sorted(_calls(database, _BEGINS, _ENDS), key=attrgetter("start_ns")):
        if "BeginCapture" in call.name:
            begun[call.process, call.thread].extend([] if call.failed else [call.start_ns])
            continue
        place = _capturing(begun, call)
        start_ns = begun[place].pop() if begun[place] else None
        if start_ns is not None and not begun[place]:
            windows.append(_window(start_ns, call.end_ns, place))
    windows += [_window(starts[0], max(starts[0], last_ns(database)), place) for place, starts in begun.items() if starts]
    return tuple(in_order(windows))


def last_ns(database: Database) -> int:
    """Return the last end of a kernel, a graph replay or a call, 0 where there is none."""
    tables = [table for table in (KERNELS, REPLAYS, CALLS) if database.has_column(table, "end")]
    return max((end for table in tables for (end,) in database.select(table, ("end",)) if isinstance(end, int)), default=0)


def _calls(database: Database, *patterns: str) -> Iterator[Call]:
    """Yield the calls whose function's name matches one of the GLOB *patterns*."""
    if not (database.has_column(CALLS, "nameId") and database.has_column("StringIds", "value")):
        return
    columns = ("rowid", "start", "end", "globalTid", "correlationId", "nameId", "returnValue")
    where = f"WHERE nameId IN (SELECT id FROM StringIds WHERE {' OR '.join(['value GLOB ?'] * len(patterns))})"
    for row, start, end, thread, correlation, name, returned in database.select(CALLS, columns, where, patterns):
        start_ns, end_ns = database.time_ns(CALLS, row, "start", start), database.time_ns(CALLS, row, "end", end)
        yield Call(start_ns, end_ns, process_of(thread), thread_of(thread), correlation, database.string(name) or "", bool(returned))


def _capturing(begun: Mapping[_Thread, list[int]], end: Call) -> _Thread:
    """Return the thread whose capture *end* ends: its own if that captures, else another of its process."""
    own = (end.process, end.thread)
    others = (place for place, starts in begun.items() if starts and place[0] == end.process)
    return own if begun.get(own) else next(others, own)


def _window(start_ns: int, end_ns: int, place: _Thread) -> Span:
    return Span("stream capture", start_ns * 1000, end_ns * 1000, *place)
