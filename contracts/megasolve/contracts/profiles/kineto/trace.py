"""Import of the traces of PyTorch's profiler (Kineto), as vLLM, SGLang and others write them too, of every age since 2021.

The schema is that of pytorch/kineto, libkineto/src/output_json.cpp. The file is read as a stream: memory grows with the kernels and
the calls that launched them, not with the operators and Python frames that most of a trace consists of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..errors import ProfileRefused
from ..execution import Execution, Format, Granularity, Interval
from ..ranks import rank_in_name
from ..text.source import ProfileSource
from .calls import called_of, captures_of
from .checks import refusal_of
from .events import Spliced, TraceEvents
from .header import IDENTITY, KEPT, devices_of, rank_of, versions_of
from .json_stream import BrokenJson, JsonStream
from .kernels import kernels_of
from .notes import notes_of
from .operators import captured_of
from .ranges import annotations_of, modules_of, ranges_of
from .vendor import vendor_of

_CHUNK_BYTES = 2**20
_EVENTS = "traceEvents"
_LOST = "broken events"


class _SplicedTrace(ProfileRefused):
    """Two traces were written into one file."""

    def __init__(self, file: str, sign: str) -> None:
        super().__init__(file, f"was spliced from two traces: {sign}; give each rank a file of its own, and import those one by one")


def read_kineto(source: ProfileSource, *, recover: bool = False) -> Execution:
    """Return what the trace in *source* says.

    With *recover*, broken events are skipped and counted, also a missing end; traces of two processes in one file are refused anyway.

    Raises
    ------
    ProfileRefused
        The trace is malformed, truncated, of two processes, or without kernels that were measured.
    """
    try:
        trace = _read(source, recover=recover)
    except BrokenJson as broken:
        raise ProfileRefused(source.file, _reason(source, broken)) from None
    if reason := refusal_of(trace.events):
        raise ProfileRefused(source.file, f"{reason} ({trace.lost:,} broken events were lost)" if trace.lost else reason)
    return _execution(source, trace)


@dataclass(slots=True)
class _Trace:
    """A trace while it is read."""

    header: dict[str, Any] = field(default_factory=dict)
    events: TraceEvents = field(default_factory=TraceEvents)
    lost: int = 0
    is_cut: bool = False


def _read(source: ProfileSource, *, recover: bool) -> _Trace:
    trace, seen = _Trace(), set[str]()
    with source.open() as stream:
        text = JsonStream(stream, recover=recover)
        for key, found in text.members(_EVENTS):
            if key in seen & IDENTITY:
                raise _SplicedTrace(source.file, f"{key} stands in it twice")
            seen.add(key)
            if key == _EVENTS:
                trace.lost += _take_all(source, text, found, trace.events, recover=recover)
            elif key in KEPT:
                trace.header[key] = found
        trace.lost, trace.is_cut = trace.lost + text.lost, text.is_cut
    if _EVENTS not in seen:
        raise ProfileRefused(source.file, f"has no {_EVENTS}: it is no trace of PyTorch's profiler")
    return trace


def _take_all(source: ProfileSource, text: JsonStream, found: Iterable[object], events: TraceEvents, *, recover: bool) -> int:
    """Take every event that is *found* and return how many could not be used; without *recover* there is none such."""
    lost = 0
    for event in found:
        try:
            events.take(event)
        except ValueError as error:
            if not recover:
                raise ProfileRefused(source.file, f"event {events.rows:,} at byte {text.offset_bytes:,} {error}") from None
            lost += 1
        except Spliced as error:
            raise _SplicedTrace(source.file, f"event {events.rows:,} at byte {text.offset_bytes:,} {error}") from None
    return lost


def _reason(source: ProfileSource, broken: BrokenJson) -> str:
    """Return why broken text is refused; what broke it, where the readable events or a second start tell."""
    try:
        _read(source, recover=True)
        _refuse_second_start(source)
    except _SplicedTrace as spliced:
        return f"{broken.reason}; it {spliced.reason}"
    except ProfileRefused:
        return broken.reason
    return f"{broken.reason}; record it again, or import it with --recover, which skips broken events and counts them"


def _refuse_second_start(source: ProfileSource) -> None:
    mark = f'"{_EVENTS}"'.encode()
    behind_bytes, starts, tail = 0, 0, b""
    with source.open() as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            text = tail + chunk
            for match in re.finditer(mark, text):
                starts += 1
                if starts > 1:
                    raise _SplicedTrace(source.file, f"a second {_EVENTS} stands at byte {behind_bytes - len(tail) + match.start():,}")
            behind_bytes, tail = behind_bytes + len(chunk), text[1 - len(mark) :]


def _execution(source: ProfileSource, trace: _Trace) -> Execution:
    events, header = trace.events, trace.header
    ranges = ranges_of(events)
    kernels = kernels_of(events, ranges, modules_of(events))
    captures = captures_of(events.capture_marks, events.process, events.ends_ps)
    devices, (rank, world_size) = devices_of(header), rank_of(header)
    vendor = vendor_of(header, devices, events.vendors)
    return Execution(
        file=source.file,
        sha256=source.sha256,
        format=Format.KINETO,
        granularity=Granularity.KERNEL,
        kernels=kernels,
        annotations=annotations_of(events, ranges),
        captures=captures,
        overheads=tuple(sorted(events.overheads, key=lambda span: (span.start_ps, span.end_ps))),
        devices=devices,
        rank=rank,
        world_size=world_size,
        versions=versions_of(header),
        dropped={**events.dropped, **({_LOST: trace.lost} if trace.lost else {})},
        notes=(*_of_recovery(trace), *_of_rank(rank, rank_in_name(source.file)), *notes_of(events, kernels, captures, vendor)),
        copies=in_order(events.copies),
        synchronizations=in_order(events.synchronizations),
        called=called_of(events.calls.items(), {kernel.correlation for kernel in events.kernels if kernel.correlation}, captures),
        captured=captured_of(events.calls.items(), captures, events.operators),
    )


def in_order(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """Return *intervals* in order of start."""
    return tuple(sorted(intervals, key=lambda one: (one.start_ps, one.end_ps)))


def _of_recovery(trace: _Trace) -> Iterator[str]:
    if trace.lost:
        yield f"recovered: {trace.lost:,} broken events were lost, what they say is missing"
    if trace.is_cut:
        yield "recovered: the file breaks off, or goes on after its end; nothing is known of what stands or stood there"


def _of_rank(stated: int | None, named: int | None) -> Iterator[str]:
    if stated is not None and named is not None and stated != named:
        yield f"the file is of rank {stated}, but its name says rank {named}"
