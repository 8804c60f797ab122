"""The calls of the runtime and the driver that a trace records: what launched which kernel, when and on which thread."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from ..execution import Called, Span

# Calls that put nothing on a device; they are most of a long trace, so they are not kept.
_SILENT = re.compile(r"Get|Query|Event|Occupancy|Malloc|Free|CallConfiguration|Peek|Capturing|CaptureMode")

# Their grid is the global work size, in work items (hip_ext.h), and Kineto writes it as it is.
_IN_WORK_ITEMS = frozenset({"hipExtModuleLaunchKernel", "hipHccModuleLaunchKernel"})


class CallRole(Enum):
    """What a call does, as far as an import needs to know."""

    LAUNCH = "kernel launch"
    LAUNCH_IN_WORK_ITEMS = "kernel launch, its grid in work items"
    GRAPH_LAUNCH = "graph launch"
    BEGIN_CAPTURE = "begin of a stream capture"
    END_CAPTURE = "end of a stream capture"
    CONDITIONAL = "conditional graph node"
    SYNCHRONIZATION = "the host waits for the device"
    OTHER = "anything that may put work on a device: copies, sets, library calls"
    SILENT = "nothing on a device"


# Tuples: the hash of an enumeration's member is slow.
LAUNCHES = (CallRole.LAUNCH, CallRole.LAUNCH_IN_WORK_ITEMS, CallRole.GRAPH_LAUNCH)
CAPTURE_MARKS = (CallRole.BEGIN_CAPTURE, CallRole.END_CAPTURE)


class RuntimeCall(NamedTuple):
    """One call; *row* is its event, *external* the number of the operator around it. Some profilers write which *kernel* it launches."""

    row: int
    start_ps: int
    end_ps: int
    thread: int | None
    role: CallRole
    external: int | None = None
    kernel: str | None = None


@lru_cache(maxsize=4096)
def role_of(name: str) -> CallRole:
    """Return what the call *name* does; names differ by version suffix ("cudaGraphLaunch_v10000") and by vendor (cuda, cu, hip, xpu)."""
    roles = {
        "BeginCapture": CallRole.BEGIN_CAPTURE,
        "EndCapture": CallRole.END_CAPTURE,
        "Conditional": CallRole.CONDITIONAL,
        "GraphLaunch": CallRole.GRAPH_LAUNCH,
        "LaunchHostFunc": CallRole.SILENT,
        "Synchronize": CallRole.SYNCHRONIZATION,
        "QueueFinish": CallRole.SYNCHRONIZATION,
        "Launch": CallRole.LAUNCH_IN_WORK_ITEMS if name in _IN_WORK_ITEMS else CallRole.LAUNCH,
    }
    named = next((role for part, role in roles.items() if part in name), None)
    return named or (CallRole.SILENT if _SILENT.search(name) else CallRole.OTHER)


def captures_of(marks: Iterable[RuntimeCall], process: int | None, ends_ps: int) -> tuple[Span, ...]:
    """Return the stream captures between *marks*, the calls that begin or end one, in order of start.

    A capture that the trace leaves open lasts until *ends_ps*; one that it enters late starts with its end call.
    """
    windows: list[tuple[int, int, int | None]] = []
    open_ps: dict[int | None, list[int]] = {}
    for mark in sorted(marks, key=lambda mark: mark.start_ps):
        begun = open_ps.setdefault(mark.thread, [])
        if mark.role is CallRole.BEGIN_CAPTURE:
            begun.append(mark.start_ps)
        else:
            windows.append((begun.pop() if begun else mark.start_ps, mark.end_ps, mark.thread))
    windows += [(start_ps, ends_ps, thread) for thread, begun in open_ps.items() for start_ps in begun]
    spans = (Span("stream capture", start_ps, max(start_ps, end_ps), process, thread) for start_ps, end_ps, thread in windows)
    return tuple(sorted(spans, key=lambda span: (span.start_ps, span.end_ps, span.thread or 0)))


def without_kernel(calls: Iterable[tuple[int, RuntimeCall]], executed: Collection[int], captures: Iterable[Span]) -> Iterator[RuntimeCall]:
    """Yield the launches whose correlation is not among those *executed*; what was captured was not to run."""
    windows: dict[int | None, list[tuple[int, int]]] = {}
    for capture in captures:
        windows.setdefault(capture.thread, []).append((capture.start_ps, capture.end_ps))
    for correlation, call in calls:
        if call.role in LAUNCHES and correlation not in executed and not _is_inside(call, windows.get(call.thread, ())):
            yield call


def called_of(calls: Collection[tuple[int, RuntimeCall]], executed: Collection[int], captures: Iterable[Span]) -> Called:
    """Return how many launches were called for, and of how many no kernel is among those *executed*."""
    launches = [one for one in calls if one[1].role in LAUNCHES]
    missing = sum(correlation not in executed for correlation, _ in launches)
    lost = sum(1 for _ in without_kernel(launches, executed, captures))
    return Called(len(launches), missing - lost, lost)


def _is_inside(call: RuntimeCall, windows: Sequence[tuple[int, int]]) -> bool:
    position = bisect_right(windows, call.start_ps, key=lambda window: window[0])
    return position > 0 and call.start_ps <= windows[position - 1][1]
