"""Executions built by hand: kernels in microseconds on one device and stream, unless a test says otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from megasolve.contracts.profiles import Execution, Format, Granularity, Kernel, KernelShape, Site, Span, Summary

US = 10**6


def shape(name: str, grid: int = 132, **resources: Any) -> KernelShape:
    """Return a kernel of *grid* blocks of 128 threads."""
    return KernelShape(name, (grid, 1, 1), (128, 1, 1), **resources)


def span(name: str, start_us: int = 0, end_us: int = 0) -> Span:
    """Return an annotation, capture or overhead."""
    return Span(name, start_us * US, end_us * US)


def kernel(name: str | KernelShape, start_us: int, duration_us: int, *ranges: Span, stream: int = 7, **of_kernel: Any) -> Kernel:
    """Return one launch; *ranges* are the annotations around its call, outermost first."""
    shaped = shape(name) if isinstance(name, str) else name
    launched = Kernel(shaped, Site(0, 1, stream, 1), start_us * US, duration_us * US, row=start_us, ranges=ranges)
    return launched._replace(**of_kernel)


def in_a_row(*launches: tuple[str | KernelShape, int], start_us: int = 0, gap_us: int = 0, ranges: Iterable[Span] = ()) -> list[Kernel]:
    """Return launches (name, microseconds) one after the other, *gap_us* apart."""
    kernels = []
    for name, duration_us in launches:
        kernels.append(kernel(name, start_us, duration_us, *ranges))
        start_us += duration_us + gap_us
    return kernels


def execution(kernels: Iterable[Kernel] = (), **said: Any) -> Execution:
    """Return a timeline of *kernels*, with the annotations that they name."""
    ran = tuple(kernels)
    named = tuple(dict.fromkeys(found for launched in ran for found in launched.ranges))
    timeline = Execution("run.sqlite", "0" * 64, Format.NSYS_SQLITE, Granularity.KERNEL, kernels=ran, annotations=named)
    return replace(timeline, **said)


def profiled(*kernels: tuple[KernelShape, int | None]) -> Execution:
    """Return what ncu writes: kernels with their memory traffic in bytes, and no time that counts."""
    ran = tuple(Kernel(known, Site(0), None, 999 * US, row, hbm_bytes=moved) for row, (known, moved) in enumerate(kernels))
    return Execution("kernels.csv", "1" * 64, Format.NCU_DETAILS, Granularity.KERNEL, kernels=ran)


def summed(of: Format, *summaries: Summary, **said: Any) -> Execution:
    """Return a file that gives kernels or layers in sum."""
    granularity = Granularity.KERNEL if of is Format.NSYS_KERN_SUM else Granularity.LAYER
    return Execution("sums.csv", "2" * 64, of, granularity, summaries=summaries, **said)
