"""What makes a readable Kineto trace none that can be planned from: no kernels, or those of two processes."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.base import PS_PER_SECOND
from ...model.wording import counted
from ..wording import microseconds
from .calls import LAUNCHES
from .events import NOT_COLLECTED, TraceEvents

# Kernels lie within the window that the profiler says it recorded; clocks of host and device differ by less than this.
_CLOCK_TOLERANCE_PS = PS_PER_SECOND


def refusal_of(trace: TraceEvents) -> str | None:
    """Return why *trace* is refused, to be read after the name of its file; None where it is not."""
    if not trace.kernels:
        return _without_kernels(trace)
    if not any(kernel.duration_ps for kernel in trace.kernels):
        first = f"event {trace.kernels[0].row:,} first"
        return f"gives all of its {counted(len(trace.kernels), 'kernel')} the duration 0 ({first}): nothing was measured; record it again"
    return _outside_windows(trace)


def _without_kernels(trace: TraceEvents) -> str:
    """Return what a trace without kernels is, most telling sign first."""
    return f"holds no kernels among {counted(trace.rows, 'event')}: {next(_signs(trace))}"


def _signs(trace: TraceEvents) -> Iterator[str]:
    if not trace.rows:
        yield "its traceEvents are empty; record it again"
    if trace.dropped[NOT_COLLECTED]:
        yield f"{counted(trace.dropped[NOT_COLLECTED], 'kernel')} not collected (start and duration 0); record it again"
    if "cuda_profiler_range" in trace.categories:
        yield "it is of the CUPTI range profiler, which counts metrics and gives no times; record it without CUPTI metrics"
    if any(category.startswith("mtia") for category in trace.categories):
        yield "it is of an MTIA accelerator, not of a GPU"
    if trace.capture_marks:
        yield "it is of a CUDA graph capture, where launches do not execute; import the trace of the replays"
    if any(call.role in LAUNCHES for call in trace.calls.values()):
        yield "it has launch calls, but the profiler delivered nothing from the device; record it again, with warm-up steps"
    if trace.categories & {"cpu_op", "Operator", "user_annotation", "python_function", "cuda_runtime"}:
        yield "it is of the CPU alone (a rank without a GPU, an API server, or activities without CUDA): import that of a rank with a GPU"
    yield "it is a trace, but of no GPU that PyTorch's profiler knows: record with torch.profiler"


def _outside_windows(trace: TraceEvents) -> str | None:
    if not trace.windows_ps:
        return None
    opens_ps = min(start for start, _ in trace.windows_ps) - _CLOCK_TOLERANCE_PS
    closes_ps = max(end for _, end in trace.windows_ps) + _CLOCK_TOLERANCE_PS
    for kernel in trace.kernels:
        if not opens_ps <= kernel.start_ps <= closes_ps:
            away_ps = max(opens_ps - kernel.start_ps, kernel.start_ps - closes_ps) + _CLOCK_TOLERANCE_PS
            return (
                f"was spliced from two traces: event {kernel.row:,} is a kernel {microseconds(away_ps)} outside the window that the"
                " profiler recorded; give each rank a file of its own"
            )
    return None
