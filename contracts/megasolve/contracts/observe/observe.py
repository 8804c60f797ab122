"""From executions to what they say about the groups of a spec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..profiles.errors import ProfileRefused
from ..profiles.execution import Execution, Format, Granularity
from ..profiles.wording import listed
from .observation import AttributedBy, Observation, ObservedFile
from .observed_summary import observe_summary
from .observed_timeline import observe_timeline
from .timelines.timeline import devices

_SUMMED = frozenset({Format.NSYS_KERN_SUM, Format.TENSORRT_PROFILE})


def observe(executions: Sequence[Execution], attribution: AttributedBy) -> Observation:
    """Return what *executions* say about the groups of *attribution*.

    Times come from exactly one of them, a timeline or a summary. Any number of ncu files beside it add resources and memory traffic,
    TensorRT times add the span, and a graph-level trace of the same rank adds the true speed of graph replays. Two ranks are two
    executions that ran beside each other: they are never merged.

    Raises
    ------
    ProfileRefused
        No file or more than one has times, several devices ran and none is chosen, kernels hide in graph replays, steps are not found or
        all skipped, or a kernel never took a positive time.
    """
    timed = _the_one_with_times(executions)
    beside = [execution for execution in executions if execution is not timed]
    profiled = [execution for execution in beside if execution.is_profiled]
    sources = tuple(map(_source, (timed, *beside)))
    if timed.is_timeline:
        return observe_timeline(timed, [execution for execution in beside if execution.is_timeline], profiled, attribution, sources)
    iterations_ps = [time_ps for execution in beside for time_ps in execution.iterations_ps]
    return observe_summary(timed, iterations_ps, profiled, attribution, sources)


def observe_apart(executions: Sequence[Execution], attribution: AttributedBy) -> tuple[Observation, ...]:
    """Return one observation for every device of every file with times, in their order; each may use all ncu files.

    Raises ProfileRefused as `observe` does, except for several devices or ranks.
    """
    timed = _with_times(executions) or [_the_one_with_times(executions)]
    beside = [execution for execution in executions if execution not in timed]
    return tuple(
        observe(
            [execution, *(one for one in beside if not one.is_timeline or one.rank == execution.rank)], replace(attribution, device=device)
        )
        for execution in timed
        for device in (_devices(execution) if attribution.device is None else (attribution.device,))
    )


def _devices(execution: Execution) -> Sequence[int | None]:
    return devices(execution) or (None,)


def _with_times(executions: Sequence[Execution]) -> list[Execution]:
    """Return those that times of kernels come from; a graph-level trace beside one of single kernels has none to add."""
    timed = [execution for execution in executions if execution.is_timeline or execution.format in _SUMMED]
    single = {execution.rank for execution in timed if execution.granularity is not Granularity.GRAPH}
    return [execution for execution in timed if execution.granularity is not Granularity.GRAPH or execution.rank not in single]


def _the_one_with_times(executions: Sequence[Execution]) -> Execution:
    timed = _with_times(executions)
    if len(timed) == 1:
        return timed[0]
    if timed:
        files = listed(_named(execution) for execution in timed)
        raise ProfileRefused(timed[1].file, f"one of several executions ({files}), whose times are never added up; give one of them")
    first = executions[0]
    missing = "has no run times of kernels or layers; give a timeline beside it (nsys or a PyTorch trace)"
    raise ProfileRefused(first.file, f"{first.format.value}: {missing}")


def _named(execution: Execution) -> str:
    return execution.file if execution.rank is None else f"{execution.file}, rank {execution.rank}"


def _source(execution: Execution) -> ObservedFile:
    return ObservedFile(execution.file, execution.sha256, execution.format.value, execution.versions, execution.granularity.value)
