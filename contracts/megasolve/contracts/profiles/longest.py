"""Where the time of a profile goes: its kernels by name and shape, the longest first."""

from __future__ import annotations

from dataclasses import dataclass

from .execution import Execution, KernelShape
from .totals import as_run


@dataclass(frozen=True, slots=True)
class Spent:
    """All launches of one shape and their time together, None where no launch has one.

    *hbm_bytes* is what all of them moved, None where that is not known of every one, and may be off by *hbm_tolerance_bytes*.
    """

    shape: KernelShape
    launches: int
    total_ps: int | None
    hbm_bytes: int | None = None
    hbm_tolerance_bytes: int = 0


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
    moved = _traffic(execution)
    spent = (Spent(shape, count, times.get(shape), *moved.get(shape, ())) for shape, count in launches.items())
    return tuple(sorted(spent, key=lambda one: (one.total_ps is None, -(one.total_ps or 0), -one.launches, one.shape.name)))


def _traffic(execution: Execution) -> dict[KernelShape, tuple[int, int]]:
    """Return bytes and tolerance of the shapes all of whose launches have them."""
    moved: dict[KernelShape, tuple[int, int]] = {}
    unknown = {kernel.shape for kernel in execution.kernels if kernel.hbm_bytes is None}
    for kernel in execution.kernels:
        if kernel.hbm_bytes is not None and kernel.shape not in unknown:
            hbm_bytes, tolerance = moved.get(kernel.shape, (0, 0))
            moved[kernel.shape] = hbm_bytes + kernel.hbm_bytes, tolerance + kernel.hbm_tolerance_bytes
    return moved
