"""Whether a step can be learnt from a profile: what it shows may be real and yet no evidence of what runs in a step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...model.wording import counted
from ..execution import Execution
from .disorder import clipped, out_of_order, overlong


def judged(execution: Execution, *, recover: bool) -> Execution:
    """Return *execution* with the reasons why nothing can be planned from it; with *recover*, ends that cannot be are clipped instead."""
    if not execution.is_timeline:
        return execution
    faults = overlong(execution)
    if recover and faults:
        execution, faults = clipped(execution, faults), ()
    return replace(
        execution, unfit=(*_launched_in_vain(execution), *_disordered(execution), *(_too_long(one.because) for one in faults[:1]))
    )


def _launched_in_vain(execution: Execution) -> Iterator[str]:
    """Yield what launches without kernels make of a file: the trace of a capture, or one that lost most of what ran."""
    called, ran = execution.called, len(execution.kernels)
    if called is None:
        return
    if called.captured > ran and not any(kernel.graph for kernel in execution.kernels):
        yield (
            f"{called.captured:,} of {counted(called.calls, 'launch call')} were captured into a graph, which ran nowhere in the file, and"
            f" {counted(ran, 'kernel')} ran: it is the trace of a capture; give the trace of the run, in which the graph is replayed"
        )
    elif 2 * called.lost > called.calls - called.captured:
        yield (
            f"{called.lost:,} of {counted(called.calls, 'launch call')} have no kernel in the file, so most of a step is missing;"
            " record again: warm up the profiler, and record fewer steps"
        )


def _disordered(execution: Execution) -> Iterator[str]:
    if reason := out_of_order(execution):
        yield f"{reason}; record again without graphs, or with a newer profiler"


def _too_long(because: str) -> str:
    return f"{because}: no stream runs so; record again, or clip such ends with --recover"
