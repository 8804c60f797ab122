"""The NVTX events of an Nsight Systems export: paired ranges (one row each), marks, and ends that stayed unpaired."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType

from ...model.base import PS_PER_NS
from ..execution import Span
from .calls import last_ns
from .database import Database, process_of, thread_of
from .nvtx import Annotations, Half, Kind

_EVENTS = "NVTX_EVENTS"

# ENUM_NSYS_EVENT_TYPE; the second number of each is its NVTXT form, which came from a text file.
_KINDS = MappingProxyType(
    {
        **dict.fromkeys((34, 65), Kind.MARK),
        **dict.fromkeys((35, 66), Kind.PUSH),
        **dict.fromkeys((36, 67), Kind.POP),
        **dict.fromkeys((37, 68), Kind.START),
        **dict.fromkeys((38, 69), Kind.END),
        **dict.fromkeys((59, 70), Kind.STACKED),
        **dict.fromkeys((60, 71), Kind.FREE),
    }
)
_OPENING = MappingProxyType({Kind.STACKED: Kind.PUSH, Kind.FREE: Kind.START})
_COLUMNS = ("rowid", "start", "end", "eventType", "text", "textId", "globalTid", "domainId", "rangeId")


def nvtx_annotations(database: Database) -> Annotations:
    """Return the ranges and marks of *database*; events that name threads, categories or domains are none.

    A name stands in the row, or as a number of a registered string. An event without a type is a range where it has an end.
    """
    found = Annotations()
    halves: list[Half] = []
    # Bound once: looking up a member of an enumeration takes as long as all else that is done with a row.
    stacked, free, mark = Kind.STACKED, Kind.FREE, Kind.MARK
    place_of = cache(lambda thread: (process_of(thread), thread_of(thread)))
    for row, start, end, number, text, text_id, thread, domain, range_id in database.select(_EVENTS, _COLUMNS):
        kind = _KINDS.get(number) if number is not None else mark if end is None else stacked
        if kind is None:
            continue
        process, tid = place_of(thread)
        name = text if isinstance(text, str) else database.string(text_id) or ""
        start_ps = (start if type(start) is int else database.time_ns(_EVENTS, row, "start", start)) * PS_PER_NS
        if end is not None and (kind is stacked or kind is free):
            end_ps = (end if type(end) is int else database.time_ns(_EVENTS, row, "end", end)) * PS_PER_NS
            found.add(kind, thread, Span(name, start_ps, end_ps, process, tid))
        elif kind is mark:
            found.add(kind, thread, Span(name, start_ps, start_ps, process, tid))
        else:
            halves.append(Half(_OPENING.get(kind, kind), start_ps, name, thread, process, tid, domain, range_id))
    found.pair(halves, last_ns(database) * PS_PER_NS if halves else 0)
    return found
