"""What a profile says ran, as a chart beside those of candidates: a track for each stream of each device."""

from __future__ import annotations

from collections.abc import Iterator

from megasolve.contracts.profiles import Execution, Interval, Kernel

from .timeline import Chart, DrawnSpan, SpanKind
from .tracks import Placed, tracks_of


def profile_chart(execution: Execution) -> Chart | None:
    """Return the kernels and copies of *execution*, the first of them at 0; None where the file has no times of single kernels."""
    first = min((kernel.start_ps for kernel in execution.kernels if kernel.start_ps is not None), default=None)
    if first is None:
        return None
    kernels = (placed for kernel in execution.kernels for placed in _kernel(kernel, first))
    copies = (placed for copy in execution.copies for placed in _copy(copy, first))
    return Chart(f"profile {execution.file}", tracks_of([*kernels, *copies]))


def _kernel(kernel: Kernel, first: int) -> Iterator[Placed]:
    if kernel.start_ps is not None and kernel.duration_ps:
        track = f"device {_shown(kernel.site.device)}, stream {_shown(kernel.site.stream)}"
        start = kernel.start_ps - first
        yield Placed(track, DrawnSpan(kernel.shape.name, SpanKind.TASK, start, start + kernel.duration_ps))


def _copy(copy: Interval, first: int) -> Iterator[Placed]:
    # Copies before the first kernel are no part of what runs.
    if first <= copy.start_ps < copy.end_ps:
        yield Placed(f"device {_shown(copy.device)}, copies", DrawnSpan("copy", SpanKind.WAIT, copy.start_ps - first, copy.end_ps - first))


def _shown(number: int | None) -> str:
    return "?" if number is None else str(number)
