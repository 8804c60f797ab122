"""What a whole profile adds up to: kernels, their summed time, the time that a device was busy, and the span."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .execution import Execution, Granularity, Summary


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over one profile; never over several, as ranks run beside each other.

    *union_ps* is the time with at least one kernel on any device, *busy_ps* the same for each device; *span_ps* is from the first
    start to the last end. A file without a timeline has neither. Of layers, each counts once, with its time in one iteration.
    *hbm_bytes* is the memory traffic of all kernels, None where that of one is unknown, and may be off by *hbm_tolerance_bytes*.
    """

    kernels: int
    sum_ps: int
    union_ps: int | None
    span_ps: int | None
    distinct_names: int
    busy_ps: Mapping[int | None, int]
    hbm_bytes: int | None = None
    hbm_tolerance_bytes: int = 0


def totals(execution: Execution) -> Totals:
    """Return the totals of *execution*; kernels without a duration count, but add no time."""
    kernels, summaries = execution.kernels, execution.summaries
    intervals = [(kernel.start_ps, kernel.end_ps, kernel.site.device) for kernel in kernels]
    timed = [(start, end, device) for start, end, device in intervals if start is not None and end is not None]
    sums = [as_run(execution.granularity, summary) for summary in summaries]
    names = {shape.name for shape in execution.shapes()}
    moved = [kernel.hbm_bytes for kernel in kernels if kernel.hbm_bytes is not None]
    return Totals(
        kernels=len(kernels) + sum(counted for counted, _ in sums),
        sum_ps=sum(kernel.duration_ps or 0 for kernel in kernels) + sum(time_ps for _, time_ps in sums),
        union_ps=union_ps((start, end) for start, end, _ in timed) if timed else None,
        span_ps=max(end for _, end, _ in timed) - min(start for start, _, _ in timed) if timed else None,
        distinct_names=len(names),
        busy_ps={
            device: union_ps((start, end) for start, end, on in timed if on == device)
            for device in sorted({device for *_, device in timed}, key=lambda number: (number is None, number or 0))
        },
        hbm_bytes=sum(moved) if kernels and len(moved) == len(kernels) else None,
        hbm_tolerance_bytes=sum(kernel.hbm_tolerance_bytes for kernel in kernels),
    )


def as_run(granularity: Granularity, summary: Summary) -> tuple[int, int]:
    """Return how often a summary counts, and its time: all launches of a kernel, but of a layer one iteration, by its mean."""
    if granularity is Granularity.LAYER and summary.mean_ps is not None:
        return 1, summary.mean_ps
    return summary.instances, summary.total_ps


def union_ps(intervals: Iterable[tuple[int, int]]) -> int:
    """Return how long at least one of *intervals* (start, end) holds."""
    covered, reached = 0, None
    for start, end in sorted(intervals):
        if reached is None or start > reached:
            covered, reached = covered + end - start, end
        elif end > reached:
            covered, reached = covered + end - reached, end
    return covered
