"""Chrome trace JSON, which Perfetto and ``chrome://tracing`` show: a process for each chart, a thread for each track.

Times there are microseconds; three decimals are what such tools keep, so each event has its exact picoseconds in its arguments.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING

from megasolve.contracts import JsonObject
from megasolve.contracts.model.base import PS_PER_NS, Json

from ..text.numbers import exact_ps
from ..text.tables import one_line

if TYPE_CHECKING:
    from megasolve.solver.timeline.timeline import Chart, Curve, DrawnSpan, Mark

    from ..text.numbers import Ps

_NS_PER_US = 1_000
_MARKS = "instants"


def chrome_trace(charts: Sequence[Chart], about: JsonObject) -> Iterator[str]:
    """Yield the text of a trace of *charts*, all of which begin at 0, event by event; *about* says what they are of."""
    yield '{"displayTimeUnit": "ns",\n"otherData": ' + json.dumps(about) + ',\n"traceEvents": ['
    flows, separator = count(1), "\n"
    for process, chart in enumerate(charts, start=1):
        for event in _events(chart, process, flows):
            yield separator + json.dumps(event)
            separator = ",\n"
    yield "\n]}\n"


def _events(chart: Chart, process: int, flows: Iterator[int]) -> Iterator[JsonObject]:
    yield from _named("process", chart.title, process, 0, process)
    # Some viewers sort by name alone, so the names carry the order.
    width = len(str(len(chart.tracks)))
    yield from _named("thread", f"{0:0{width}} {_MARKS}", process, 0, 0)
    for thread, track in enumerate(chart.tracks, start=1):
        yield from _named("thread", f"{thread:0{width}} {track.name}", process, thread, thread)
    timed = [*_spans(chart, process), *_arrows(chart, process, flows), *_marks(chart.marks, process)]
    timed += [event for curve in chart.curves for event in _counters(curve, process)]
    # Stable: what begins together stays in the order of its kind, launches before what runs in them.
    yield from (event for _, event in sorted(timed, key=lambda one: one[0]))


def _named(kind: str, name: str, process: int, thread: int, place: int) -> Iterator[JsonObject]:
    at: JsonObject = {"ph": "M", "pid": process, "tid": thread}
    yield {**at, "name": f"{kind}_name", "args": {"name": one_line(name)}}
    yield {**at, "name": f"{kind}_sort_index", "args": {"sort_index": place}}


def _spans(chart: Chart, process: int) -> Iterator[tuple[int, JsonObject]]:
    for thread, track in enumerate(chart.tracks, start=1):
        yield from (_span(span, process, thread) for span in track.spans)


def _span(span: DrawnSpan, process: int, thread: int) -> tuple[int, JsonObject]:
    start, end = _ns(span.start_ps), _ns(span.end_ps)
    about: dict[str, Json] = {"start_ps": exact_ps(span.start_ps), "end_ps": exact_ps(span.end_ps), "duration_ps": exact_ps(span.lasts_ps)}
    if span.groups:
        about["alone_ps"] = {one_line(group): ps for group, ps in span.groups}
    if span.demand:
        about["hbm_demand_bytes_per_s"] = exact_ps(span.demand)
    if span.holds:
        about["ctas"] = span.holds
    at: JsonObject = {"ph": "X", "pid": process, "tid": thread, "ts": _us(start), "dur": _us(end - start)}
    return start, {**at, "name": one_line(span.name), "cat": span.kind.value, "args": about}


def _arrows(chart: Chart, process: int, flows: Iterator[int]) -> Iterator[tuple[int, JsonObject]]:
    for arrow in chart.arrows:
        flow: JsonObject = {"pid": process, "id": next(flows), "name": "ready", "cat": "ready"}
        # A flow binds to the slice around it, and a slice does not hold its own end.
        start, end = _ns(arrow.source.start_ps), _ns(arrow.source.end_ps)
        left, reached = max(start, end - 1), _ns(arrow.target.start_ps)
        yield left, {"ph": "s", "tid": arrow.source_track + 1, "ts": _us(left), **flow}
        yield reached, {"ph": "f", "bp": "e", "tid": arrow.target_track + 1, "ts": _us(reached), **flow}


def _marks(marks: Sequence[Mark], process: int) -> Iterator[tuple[int, JsonObject]]:
    for mark in marks:
        at = _ns(mark.at_ps)
        about = {"at_ps": exact_ps(mark.at_ps)}
        yield at, {"ph": "i", "s": "p", "pid": process, "tid": 0, "ts": _us(at), "name": one_line(mark.name), "args": about}


def _counters(curve: Curve, process: int) -> Iterator[tuple[int, JsonObject]]:
    for time, value in curve.points:
        at = _ns(time)
        shown = value if isinstance(value, int) else round(value)
        yield at, {"ph": "C", "pid": process, "tid": 0, "ts": _us(at), "name": curve.name, "args": {curve.unit: shown}}


def _ns(time: Ps) -> int:
    """Return whole nanoseconds: rounded alike at every edge, so that what meets or nests still does."""
    return round(Fraction(time, PS_PER_NS))


def _us(ns: int) -> float:
    return ns / _NS_PER_US
