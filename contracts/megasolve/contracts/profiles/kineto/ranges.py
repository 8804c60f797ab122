"""Which annotations a kernel was launched in.

A kernel belongs to the annotations around the call that launched it, found by correlation: it runs later than that call, often in the
next step. Every kernel of a graph replay belongs to those around the graph's launch. A mark of a step holds for the whole process, any
other annotation for its own thread. Where the launch call is not in the file, the mirrors of annotations on the device tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..execution import Span
from .events import STEP_MARK, DeviceRange, TraceEvents

Ranges = tuple[Span, ...]
_Stream = tuple[int | None, int | None]


class _Placed(NamedTuple):
    """An annotation and the times between which it counts: its own, or those of its mirror on a stream."""

    start_ps: int
    end_ps: int
    span: Span


class _Moment(NamedTuple):
    """When the kernel at *position* was launched, or ran where nothing else is known."""

    time_ps: int
    position: int


def ranges_of(trace: TraceEvents) -> list[Ranges]:
    """Return the annotations around the launch of every kernel of *trace*, outermost first, in the order of its kernels."""
    launched = _launched(trace)
    ran: dict[_Stream, list[_Moment]] = {}
    for position, kernel in enumerate(trace.kernels):
        if trace.call_of(kernel) is None:
            ran.setdefault((kernel.queue.device, kernel.queue.stream), []).append(_Moment(kernel.start_ps, position))
    mirrors = _mirrors(trace) if ran else {}
    found: list[Ranges] = [()] * len(trace.kernels)
    for thread, moments in launched.items():
        _place(moments, _annotations_of(trace, thread), found)
    for stream, moments in ran.items():
        _place(moments, mirrors.get(stream, []), found)
    return found


def modules_of(trace: TraceEvents) -> list[tuple[str, ...]]:
    """Return the modules of the model around the launch of every kernel of *trace*, outermost first, in the order of its kernels."""
    modules: dict[int | None, list[_Placed]] = {}
    for span in trace.operators.modules:
        modules.setdefault(span.thread, []).append(_Placed(span.start_ps, span.end_ps, span))
    found: list[Ranges] = [()] * len(trace.kernels)
    for thread, moments in _launched(trace).items() if modules else ():
        _place(moments, modules.get(thread, []), found)
    names: dict[int, tuple[str, ...]] = {}
    return [names.setdefault(id(spans), tuple(span.name for span in spans)) for spans in found]


def _launched(trace: TraceEvents) -> dict[int | None, list[_Moment]]:
    """Return by thread when the kernels were called for whose call is in the file."""
    launched: dict[int | None, list[_Moment]] = {}
    for position, kernel in enumerate(trace.kernels):
        if call := trace.call_of(kernel):
            launched.setdefault(call.thread, []).append(_Moment(call.start_ps, position))
    return launched


def annotations_of(trace: TraceEvents, ranges: Iterable[Ranges]) -> tuple[Span, ...]:
    """Return the annotations of the host, and those that only the device mirrors and *ranges* name, in order of start."""
    named = {id(span): span for span in trace.annotations} | {id(span): span for spans in ranges for span in spans}
    return tuple(sorted(named.values(), key=lambda span: (span.start_ps, -span.end_ps)))


def _annotations_of(trace: TraceEvents, thread: int | None) -> list[_Placed]:
    own = (span for span in trace.annotations if span.process == trace.process)
    return [_Placed(span.start_ps, span.end_ps, span) for span in own if span.thread == thread or span.name.startswith(STEP_MARK)]


def _mirrors(trace: TraceEvents) -> dict[_Stream, list[_Placed]]:
    """Return by stream what is mirrored there: the host's own annotation where it is in the file, else one for all its mirrors."""
    alike: dict[tuple[str, int | None, int], list[DeviceRange]] = {}
    for position, mirror in enumerate(trace.device_ranges):
        alone = position if mirror.external is None else -1
        alike.setdefault((mirror.name, mirror.external, alone), []).append(mirror)
    placed: dict[_Stream, list[_Placed]] = {}
    for (name, external, _), mirrors in alike.items():
        hull = Span(name, min(mirror.start_ps for mirror in mirrors), max(mirror.end_ps for mirror in mirrors))
        span = hull if external is None else trace.annotation_ids.get((name, external), hull)
        for mirror in mirrors:
            placed.setdefault(mirror.stream, []).append(_Placed(mirror.start_ps, mirror.end_ps, span))
    return placed


def _place(moments: list[_Moment], placed: Sequence[_Placed], found: list[Ranges]) -> None:
    moments.sort()
    for moment, ranges in zip(moments, _around((moment.time_ps for moment in moments), placed), strict=True):
        found[moment.position] = ranges


def _around(times_ps: Iterable[int], placed: Sequence[_Placed]) -> Iterator[Ranges]:
    """Yield for each of *times_ps*, in ascending order, the spans around it; one tuple for as long as they stay the same."""
    waiting = sorted(placed, key=lambda one: (one.start_ps, -one.end_ps), reverse=True)
    inside: list[_Placed] = []
    ranges: Ranges = ()
    for time_ps in times_ps:
        is_changed = any(one.end_ps < time_ps for one in inside)
        inside = [one for one in inside if one.end_ps >= time_ps] if is_changed else inside
        while waiting and waiting[-1].start_ps <= time_ps:
            one = waiting.pop()
            if one.end_ps >= time_ps:
                inside.append(one)
                is_changed = True
        if is_changed:
            ranges = tuple(one.span for one in inside)
        yield ranges
