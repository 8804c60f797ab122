"""Spans in which the profiler itself took time: its own table, and CUPTI's."""

from __future__ import annotations

from ...model.base import PS_PER_NS
from ..execution import Span
from .database import Database, process_of, thread_of
from .nvtx import in_order

_TABLES = ("PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD")
_UNNAMED = "profiler overhead"
_COLUMNS = ("rowid", "start", "end", "globalTid", "nameId")


def overheads(database: Database) -> tuple[Span, ...]:
    """Return the overheads in order of start, each once where both tables have it; one that ends before it starts tells nothing."""
    found = {
        (start_ns, end_ns, thread): database.string(name) or _UNNAMED
        for table in _TABLES
        for row, start, end, thread, name in database.select(table, _COLUMNS)
        if (start_ns := database.time_ns(table, row, "start", start)) <= (end_ns := database.time_ns(table, row, "end", end))
    }
    return tuple(in_order([_span(name, *place) for place, name in found.items()]))


def _span(name: str, start_ns: int, end_ns: int, thread: int | None) -> Span:
    return Span(_without_paths(name), start_ns * PS_PER_NS, end_ns * PS_PER_NS, process_of(thread), thread_of(thread))


def _without_paths(name: str) -> str:
    # "dlopen(...)" has the path of a library in its brackets.
    kind = name.partition("(")[0].rstrip()
    return _UNNAMED if "/" in kind or "\\" in kind else kind
