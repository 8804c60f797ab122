"""Timelines that cannot be: a stream runs its work in the order of its launches, each kernel after the one before it.

Profilers write corrupt ends (a kernel that goes on while thousands behind it come and go), and deliver kernels of graph replays late, in
one burst. Such times are shown, but nothing is planned from them. What overlaps by little is dependent launch, and no fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median_low

from ...model.wording import counted
from ..execution import Execution, Format, Kernel, KernelShape, Site
from ..wording import microseconds, shortened

# A kernel that outlasts those behind it by less may have let them start early.
_TIMES_AS_LONG = 10
_TIMES_AS_LONG_AS_ITS_OTHERS = 10**5

# They wait for their peers, so one may last any time.
_COLLECTIVES = re.compile(r"nccl|rccl|multimem|all_?reduce|all_?gather|reduce_?scatter|send_?recv", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Overlong:
    """Kernel number *place* lasts longer than it can have: *because* says why, and *likely_ps* how long it lasted at the most."""

    place: int
    likely_ps: int
    because: str


def overlong(execution: Execution) -> tuple[Overlong, ...]:
    """Return the kernels of *execution* whose end cannot be true, in order of start."""
    usual = _usual_ps(execution.kernels)
    found = {one.place: one for one in _beyond_their_others(execution, usual)}
    for places in _streams(execution.kernels).values():
        found |= {one.place: one for one in _outlasting(execution, places, usual)}
    return tuple(found[place] for place in sorted(found))


def clipped(execution: Execution, faults: Sequence[Overlong]) -> Execution:
    """Return *execution* with the ends of *faults* clipped, and a note for what was clipped."""
    kernels = list(execution.kernels)
    for fault in faults:
        kernels[fault.place] = kernels[fault.place]._replace(duration_ps=fault.likely_ps)
    notes = [f"recovered: {fault.because}; clipped to {microseconds(fault.likely_ps)}" for fault in faults[:3]]
    more = [f"recovered: {counted(len(faults) - 3, 'more kernel')} clipped in the same way"] if len(faults) > 3 else []
    return replace(execution, kernels=tuple(kernels), notes=(*execution.notes, *notes, *more))


def out_of_order(execution: Execution) -> str:
    """Return how kernels of one stream ran otherwise than they were launched, or nothing where none did."""
    swapped = [pair for places in _streams(execution.kernels).values() for pair in _swapped(execution, places)]
    if not swapped:
        return ""
    late, early = (execution.kernels[place] for place in min(swapped))
    kernels = counted(len(swapped), "kernel")
    return (
        f"{kernels} of one stream ran in another order than they were launched, which no stream does: {_named(execution, late)}, launched "
        f"before {_named(execution, early)}, started only after its end; the profiler delivered them late, so when they ran is unknown"
    )


def _streams(kernels: Sequence[Kernel]) -> Mapping[Site, list[int]]:
    """Return the timed kernels of each stream that the file names, in order of start."""
    streams: dict[Site, list[int]] = {}
    for place, kernel in enumerate(kernels):
        if kernel.start_ps is not None and kernel.duration_ps and kernel.site.stream is not None:
            streams.setdefault(kernel.site, []).append(place)
    return streams


def _usual_ps(kernels: Sequence[Kernel]) -> Mapping[KernelShape, int]:
    """Return the lower median of the times of each shape that ran several times."""
    times: dict[KernelShape, list[int]] = {}
    for kernel in kernels:
        if kernel.duration_ps:
            times.setdefault(kernel.shape, []).append(kernel.duration_ps)
    return {shape: median_low(each) for shape, each in times.items() if len(each) > 1}


def _beyond_their_others(execution: Execution, usual: Mapping[KernelShape, int]) -> Iterator[Overlong]:
    for place, kernel in enumerate(execution.kernels):
        usual_ps, took_ps = usual.get(kernel.shape), kernel.duration_ps or 0
        if usual_ps and took_ps >= _TIMES_AS_LONG_AS_ITS_OTHERS * usual_ps and not _COLLECTIVES.search(kernel.shape.name):
            yield Overlong(place, usual_ps, f"{_lasting(execution, kernel)}, its other launches {microseconds(usual_ps)}")


def _outlasting(execution: Execution, places: Sequence[int], usual: Mapping[KernelShape, int]) -> Iterator[Overlong]:
    """Yield the kernels of one stream behind which others came and went while they still ran."""
    kernels = execution.kernels
    for number, place in enumerate(places[:-1]):
        kernel, behind = kernels[place], [kernels[one] for one in places[number + 1 : number + 3]]
        if not _ended(behind[0]) < _ended(kernel):
            continue
        took_ps, until_ps = kernel.duration_ps or 0, _ended(behind[0]) - (kernel.start_ps or 0)
        usual_ps = usual.get(kernel.shape)
        is_usual = usual_ps is not None and took_ps < _TIMES_AS_LONG * usual_ps
        is_alone = len(behind) < 2 or _ended(behind[1]) >= _ended(kernel)
        # The branches of a graph may run beside each other under one number of a stream.
        is_branch = kernel.graph is not None and kernel.correlation == behind[0].correlation and usual_ps is None
        if is_usual or is_branch or took_ps < until_ps * _TIMES_AS_LONG ** (1 + is_alone):
            continue
        likely_ps = (behind[0].start_ps or 0) - (kernel.start_ps or 0) or usual_ps or until_ps
        ended = f"{_named(execution, behind[0])} behind it on the stream ended {microseconds(until_ps)} after its start"
        yield Overlong(place, likely_ps, f"{_lasting(execution, kernel)}, but {ended}")


def _swapped(execution: Execution, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield each kernel that ran after one that was launched only after it, with that one."""
    latest: int | None = None
    for place in places:
        kernel = execution.kernels[place]
        if kernel.call is None:
            continue
        ahead = None if latest is None else execution.kernels[latest]
        if ahead is None or ahead.call is None or kernel.call.start_ps > ahead.call.start_ps:
            latest = place
        elif latest is not None and kernel.call.end_ps < ahead.call.start_ps and _ended(ahead) <= (kernel.start_ps or 0):
            yield place, latest


def _ended(kernel: Kernel) -> int:
    return (kernel.start_ps or 0) + (kernel.duration_ps or 0)


def _lasting(execution: Execution, kernel: Kernel) -> str:
    return f"{_named(execution, kernel)} lasts {microseconds(kernel.duration_ps or 0)}"


def _named(execution: Execution, kernel: Kernel) -> str:
    place = {Format.KINETO: "event", Format.NSYS_GPU_TRACE: "line", Format.NSYS_EXEC_TRACE: "line"}.get(execution.format, "row")
    return f"{place} {kernel.row:,} ('{shortened(kernel.shape.name, 40)}')"
