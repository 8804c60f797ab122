"""What an import of a Kineto trace has to tell its user: what is missing, what looks wrong, and what must not be read into it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...model.wording import counted
from ..execution import Kernel, Site, Span
from ..wording import microseconds
from .calls import without_kernel
from .events import TraceEvents
from .vendor import WHY_NO_GRID, Vendor


def notes_of(trace: TraceEvents, kernels: Sequence[Kernel], captures: Sequence[Span], vendor: Vendor | None) -> tuple[str, ...]:
    """Return one sentence for each thing that a user should know before trusting *kernels*, which ran on a GPU of *vendor*."""
    return (
        *_of_graphs(trace, kernels, captures),
        *_of_times(trace, kernels),
        *_of_overlaps(kernels),
        *_of_what_is_missing(trace, kernels, captures),
        *_of_shapes(kernels, vendor),
        *_of_what_was_dropped(trace),
        *_of_the_profiler(trace, kernels),
    )


def _of_graphs(trace: TraceEvents, kernels: Sequence[Kernel], captures: Sequence[Span]) -> Iterator[str]:
    replayed = [kernel for kernel in kernels if kernel.graph is not None]
    if replayed:
        replays = counted(len({kernel.correlation for kernel in replayed}), "graph replay")
        yield (
            f"{len(replayed):,} of {counted(len(kernels), 'kernel')} ran in {replays} and were traced one by one, which slows a replay"
            " down: compare its span with one that was timed without the profiler"
        )
    if captures:
        yield f"{counted(len(captures), 'stream capture')}: what was launched in it was recorded into a graph and did not run"
    if trace.conditional_row is not None:
        yield (
            f"conditional graph nodes (event {trace.conditional_row:,}): CUPTI records only the first iteration of a loop in a graph, so"
            " kernels and time may be missing"
        )


def _of_times(trace: TraceEvents, kernels: Sequence[Kernel]) -> Iterator[str]:
    zero = [kernel for kernel in kernels if not kernel.duration_ps]
    if zero:
        yield (
            f"duration 0 of {counted(len(zero), 'kernel')} (event {zero[0].row:,} first): shorter than the clock of the file tells, or a"
            " negative duration that the profiler clamped"
        )
    early = [kernel for kernel in trace.kernels if (call := trace.call_of(kernel)) and kernel.start_ps < call.start_ps]
    if early:
        yield (
            f"start before the launch call of {counted(len(early), 'kernel')} (event {early[0].row:,} first): the clocks of host and"
            " device disagree"
        )


def _of_overlaps(kernels: Sequence[Kernel]) -> Iterator[str]:
    overlapping, outlasting = _overlaps(kernels)
    if overlapping:
        yield (
            f"start before the end of the kernel ahead on the stream: {_worst(overlapping)}, as with programmatic dependent launch; the"
            " sum of durations exceeds the time that the stream was busy"
        )
    if outlasting:
        yield (
            f"end after the end of the kernel behind on the stream: {_worst(outlasting)}; such durations are often corrupt, and nothing"
            " was clipped"
        )


def _overlaps(kernels: Sequence[Kernel]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return time and event for each kernel that starts too early on its stream, and for each that outlasts the one behind it."""
    streams: dict[Site, list[tuple[int, int, int]]] = {}
    for kernel in kernels:
        if kernel.start_ps is not None and kernel.end_ps is not None:
            streams.setdefault(kernel.site, []).append((kernel.start_ps, kernel.end_ps, kernel.row))
    overlapping, outlasting = [], []
    for ran in streams.values():
        for (_, end_ps, row), (next_start_ps, next_end_ps, next_row) in pairwise(ran):
            if end_ps > next_start_ps:
                overlapping.append((end_ps - next_start_ps, next_row))
            if end_ps > next_end_ps > next_start_ps:
                outlasting.append((end_ps - next_end_ps, row))
    return overlapping, outlasting


def _worst(overlaps: Sequence[tuple[int, int]]) -> str:
    by_ps, row = max(overlaps)
    return f"{counted(len(overlaps), 'kernel')}, by up to {microseconds(by_ps)} (event {row:,})"


def _of_what_is_missing(trace: TraceEvents, kernels: Sequence[Kernel], captures: Sequence[Span]) -> Iterator[str]:
    executed = {kernel.correlation for kernel in kernels if kernel.correlation is not None}
    lost = list(without_kernel(trace.calls.items(), executed, captures))
    if lost:
        yield (
            f"no kernel in the file for {counted(len(lost), 'launch call')} (event {lost[0].row:,} first): the profiler drops some at the"
            " start of a session and cuts off those at its end"
        )
    unlinked = sum(trace.call_of(kernel) is None for kernel in trace.kernels)
    if unlinked:
        yield f"no launch call in the file for {counted(unlinked, 'kernel')}: only annotations on the device place them"


def _of_shapes(kernels: Sequence[Kernel], vendor: Vendor | None) -> Iterator[str]:
    shapeless = sum(kernel.shape.grid is None for kernel in kernels)
    if shapeless:
        reason = f": {WHY_NO_GRID[vendor]}" if vendor is not None else ""
        yield f"no grid for {shapeless:,} of {counted(len(kernels), 'kernel')}{reason}"


def _of_what_was_dropped(trace: TraceEvents) -> Iterator[str]:
    for reason, dropped in sorted(trace.dropped.items()):
        yield f"left out: {dropped:,} {reason}"


def _of_the_profiler(trace: TraceEvents, kernels: Sequence[Kernel]) -> Iterator[str]:
    if trace.overheads:
        total_ps = sum(span.end_ps - span.start_ps for span in trace.overheads)
        places = counted(len(trace.overheads), "place")
        yield f"the profiler itself took {microseconds(total_ps)} in {places}: a step that overlaps one is no measurement"
    devices = len({kernel.site.device for kernel in kernels})
    if devices > 1:
        yield f"kernels of {devices:,} devices run beside each other: their times do not add up"
