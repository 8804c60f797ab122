"""Where the time of a profile goes: its kernels by name and shape, the longest first."""

from __future__ import annotations

from dataclasses import dataclass

from .execution import Execution, KernelShape
from .totals import as_run


@dataclass(frozen=True, slots=True)
class Spent:
    """All launches of one shape and their time together, None where no launch has one."""

    shape: KernelShape
    launches: int
    total_ps: int | None


def longest_first(execution: Execution) -> tuple[Spent, ...]:
    """Return what each shape took, a layer in one iteration, the longest first; those without a time last, the most launched first."""
    launches: dict[KernelShape, int] = {}
    times: dict[KernelShape, int] = {}
    timed = [(kernel.shape, 1, kernel.duration_ps) for kernel in execution.kernels]
    summed = [(summary.shape, *as_run(execution.granularity, summary)) for summary in execution.summaries]
    for shape, count, time_ps in (*timed, *summed):
        launches[shape] = launches.get(shape, 0) + count
        if time_ps is not None:
            times[shape] = times.get(shape, 0) + time_ps
    spent = (Spent(shape, count, times.get(shape)) for shape, count in launches.items())
    return tuple(sorted(spent, key=lambda one: (one.total_ps is None, -(one.total_ps or 0), -one.launches, one.shape.name)))
