"""CUDA calls of the host in an Nsight Systems export: which call launched which kernel, and when streams were captured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from ..execution import Span
from .database import Database, process_of, thread_of
from .nvtx import Annotations, OpenRanges, in_order

CALLS = "CUPTI_ACTIVITY_KIND_RUNTIME"
KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
REPLAYS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"

LaunchKey = tuple[int | None, int | None]
"""A process and a correlation number: the number alone is not unique between processes."""

RangesAtLaunch = Mapping[int | None, tuple[Span, ...]]
"""The ranges around each launch call of a process by its correlation number, outermost first."""

_Thread = tuple[int | None, int | None]

_BEGINS = "cu*StreamBeginCapture*"
_ENDS = "cu*StreamEndCapture*"
_GRAPH_LAUNCHES = "cu*GraphLaunch*"
_LAUNCHES = "value GLOB 'cu*Launch*' AND value NOT GLOB '*GraphLaunch*' AND value NOT GLOB '*LaunchHostFunc*'"
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


def ranges_at_launch(database: Database, annotations: Annotations) -> Mapping[int | None, RangesAtLaunch]:
    """Return by process the ranges that were open around each launch call: a kernel's own time says nothing about them.

    A runtime call and the driver call inside, or the same call recorded twice, share one correlation number: the outermost counts.
    """
    ranges: dict[int | None, dict[int | None, tuple[Span, ...]]] = defaultdict(dict)
    threads: dict[object, tuple[dict[int | None, tuple[Span, ...]], OpenRanges]] = {}
    for row, start, thread, correlation in _launches(database):
        if thread not in threads:
            process = process_of(thread)
            threads[thread] = ranges[process], OpenRanges(annotations.around(process, thread))
        of_process, around = threads[thread]
        start_ns, number = database.time_ns(CALLS, row, "start", start), database.whole(CALLS, row, "correlationId", correlation)
        of_process.setdefault(number, around.at(start_ns * 1000))
    return ranges


def _launches(database: Database) -> Iterator[tuple[Any, ...]]:
    """Return the calls that launched kernels, in order of start, which a column without integer affinity holds as text."""
    if not (database.has_column(KERNELS, "correlationId") and database.has_column(CALLS, "correlationId")):
        return iter(())
    launched = f'WHERE correlationId IN (SELECT correlationId FROM "{database.table(KERNELS)}") ORDER BY CAST(start AS INTEGER)'
    return database.select(CALLS, ("rowid", "start", "globalTid", "correlationId"), launched)


def graph_launches(database: Database) -> set[LaunchKey]:
    """Return every successful launch of a CUDA graph."""
    calls = _calls(database, _GRAPH_LAUNCHES)
    return {(call.process, call.correlation) for call in calls if call.correlation is not None and not call.failed}


def kernel_launches(database: Database) -> tuple[int, int]:
    """Return how many calls launched a kernel, and how many tried to and failed."""
    if not (database.has_column(CALLS, "nameId") and database.has_column("StringIds", "value")):
        return 0, 0
    returned = [
        bool(code) for (code,) in database.select(CALLS, ("returnValue",), f"WHERE nameId IN (SELECT id FROM StringIds WHERE {_LAUNCHES})")
    ]
    return returned.count(False), returned.count(True)


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
