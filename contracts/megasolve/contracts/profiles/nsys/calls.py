"""CUDA calls of the host in an Nsight Systems export: which call launched which kernel, and when streams were captured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from ...model.base import PS_PER_NS
from ..execution import Called, Interval, LaunchCall, Span
from .database import Database, process_of, thread_of
from .nvtx import Annotations, OpenRanges, in_order

CALLS = "CUPTI_ACTIVITY_KIND_RUNTIME"
KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
REPLAYS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"

LaunchKey = tuple[int | None, int | None]
"""A process and a correlation number: the number alone is not unique between processes."""


class AtLaunch(NamedTuple):
    """A launch call, and the ranges around it, outermost first."""

    ranges: tuple[Span, ...]
    call: LaunchCall


AtLaunches = Mapping[int | None, AtLaunch]
"""The launch calls of a process by their correlation number."""

_Thread = tuple[int | None, int | None]

_BEGINS = "cu*StreamBeginCapture*"
_ENDS = "cu*StreamEndCapture*"
_GRAPH_LAUNCHES = "cu*GraphLaunch*"
_KERNEL_LAUNCHES = "value GLOB 'cu*Launch*' AND value NOT GLOB '*GraphLaunch*' AND value NOT GLOB '*LaunchHostFunc*'"
_LAUNCHES = "cu*Launch*"
_NO_LAUNCHES = "*LaunchHostFunc*"
_SYNCHRONIZATIONS = "cu*Synchronize*"
_CONDITIONALS = "cu*GraphConditionalHandleCreate*"


class ApiCall(NamedTuple):
    """One call of the CUDA API."""

    start_ns: int
    end_ns: int
    process: int | None
    thread: int | None
    correlation: int | None
    name: str
    failed: bool


def calls_at_launch(database: Database, annotations: Annotations) -> Mapping[int | None, AtLaunches]:
    """Return by process each launch call with the ranges open around it: a kernel's own time says nothing about them.

    A runtime call and the driver call inside, or the same call recorded twice, share one correlation number: the outermost counts.
    """
    found: dict[int | None, dict[int | None, AtLaunch]] = defaultdict(dict)
    threads: dict[object, tuple[dict[int | None, AtLaunch], OpenRanges]] = {}
    for row, start, end, thread, correlation in _launches(database):
        if thread not in threads:
            process = process_of(thread)
            threads[thread] = found[process], OpenRanges(annotations.around(process, thread))
        of_process, around = threads[thread]
        start_ns, number = database.time_ns(CALLS, row, "start", start), database.whole(CALLS, row, "correlationId", correlation)
        # An end that cannot be read says nothing, and nothing depends on it alone.
        end_ns = end if isinstance(end, int) and end > start_ns else start_ns
        of_process.setdefault(number, AtLaunch(around.at(start_ns * PS_PER_NS), LaunchCall(start_ns * PS_PER_NS, end_ns * PS_PER_NS)))
    return found


def _launches(database: Database) -> Iterator[tuple[Any, ...]]:
    """Return the calls that launched kernels, in order of start, which a column without integer affinity holds as text."""
    if not (database.has_column(KERNELS, "correlationId") and database.has_column(CALLS, "correlationId")):
        return iter(())
    launched = f'WHERE correlationId IN (SELECT correlationId FROM "{database.table(KERNELS)}") ORDER BY CAST(start AS INTEGER)'
    return database.select(CALLS, ("rowid", "start", "end", "globalTid", "correlationId"), launched)


def graph_launches(database: Database) -> set[LaunchKey]:
    """Return every successful launch of a CUDA graph."""
    calls = _calls(database, _GRAPH_LAUNCHES)
    return {(call.process, call.correlation) for call in calls if call.correlation is not None and not call.failed}


def kernel_launches(database: Database) -> tuple[int, int]:
    """Return how many calls launched a kernel, and how many tried to and failed."""
    if not (database.has_column(CALLS, "nameId") and database.has_column("StringIds", "value")):
        return 0, 0
    returned = [
        bool(code)
        for (code,) in database.select(CALLS, ("returnValue",), f"WHERE nameId IN (SELECT id FROM StringIds WHERE {_KERNEL_LAUNCHES})")
    ]
    return returned.count(False), returned.count(True)


def called(database: Database, windows: Iterable[Span]) -> Called | None:
    """Return how many launches were called for and of how many there is no kernel; None where kernels and calls cannot be matched."""
    if not (database.has_column(KERNELS, "correlationId") and database.has_column(CALLS, "correlationId")):
        return None
    ran = [
        f'SELECT correlationId FROM "{database.table(name)}"' for name in (KERNELS, REPLAYS) if database.has_column(name, "correlationId")
    ]
    is_missing = f"AND correlationId NOT IN ({' UNION '.join(f'{one} WHERE correlationId IS NOT NULL' for one in ran)})"
    missing = [call for call in _calls(database, _LAUNCHES, narrowed=is_missing) if not call.failed and "HostFunc" not in call.name]
    spans = list(windows)
    captured = sum(any(_is_within(call, span) for span in spans) for call in missing)
    return Called(sum(1 for _ in _numbers(database)), captured, len(missing) - captured)


def _numbers(database: Database) -> Iterator[tuple[Any, ...]]:
    if not (database.has_column(CALLS, "nameId") and database.has_column("StringIds", "value")):
        return iter(())
    where = "WHERE nameId IN (SELECT id FROM StringIds WHERE value GLOB ? AND value NOT GLOB ?) AND correlationId IS NOT NULL"
    return database.select(CALLS, ("rowid",), where, (_LAUNCHES, _NO_LAUNCHES))


def _is_within(call: ApiCall, span: Span) -> bool:
    return (call.process, call.thread) == (span.process, span.thread) and span.start_ps <= call.start_ns * PS_PER_NS <= span.end_ps


def synchronizations(database: Database) -> tuple[Interval, ...]:
    """Return the calls in which the host waited for the device, in order of start."""
    waits = (Interval(call.start_ns * PS_PER_NS, call.end_ns * PS_PER_NS) for call in _calls(database, _SYNCHRONIZATIONS))
    return tuple(sorted(waits, key=lambda one: (one.start_ps, one.end_ps)))


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


def _calls(database: Database, *patterns: str, narrowed: str = "") -> Iterator[ApiCall]:
    """Yield the calls whose function's name matches one of the GLOB *patterns*; *narrowed* is a further condition."""
    if not (database.has_column(CALLS, "nameId") and database.has_column("StringIds", "value")):
        return
    columns = ("rowid", "start", "end", "globalTid", "correlationId", "nameId", "returnValue")
    where = f"WHERE nameId IN (SELECT id FROM StringIds WHERE {' OR '.join(['value GLOB ?'] * len(patterns))}) {narrowed}"
    for row, start, end, thread, correlation, name, returned in database.select(CALLS, columns, where, patterns):
        start_ns, end_ns = database.time_ns(CALLS, row, "start", start), database.time_ns(CALLS, row, "end", end)
        yield ApiCall(start_ns, end_ns, process_of(thread), thread_of(thread), correlation, database.string(name) or "", bool(returned))


def _capturing(begun: Mapping[_Thread, list[int]], end: ApiCall) -> _Thread:
    """Return the thread whose capture *end* ends: its own if that captures, else another of its process."""
    own = (end.process, end.thread)
    others = (place for place, starts in begun.items() if starts and place[0] == end.process)
    return own if begun.get(own) else next(others, own)


def _window(start_ns: int, end_ns: int, place: _Thread) -> Span:
    return Span("stream capture", start_ns * PS_PER_NS, end_ns * PS_PER_NS, *place)
