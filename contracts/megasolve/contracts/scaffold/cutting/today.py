"""The first question of somebody whose device waits for launches: what a step takes today, as a CUDA graph, and at its floor."""

from __future__ import annotations

from dataclasses import dataclass

from ...limits.graph_gaps import dependent_gap, graph_gap
from ...model.device import Device
from ...observe.observation import AttributedBy, GroupRule, Observation, StepTime
from ...observe.observe import observe_apart
from ...profiles.errors import ProfileRefused
from ...profiles.execution import Execution
from ..contracts import launch_kind
from ..device import known_device
from ..runs import typical
from .shapes import floor_ps


@dataclass(frozen=True, slots=True)
class TodayTime:
    """One *step* of today; its kernels with *gap_ps* between them as nodes of a graph, or *dependent_gap_ps* with dependent launch.

    *is_gap_stated* says whether the device states the gap, *is_graph* whether the step is a graph already. *floor_ps* is what its kernels
    take at the peaks of the device, None where *no_floor* says why; of *opaque* launches nobody knows it, and they count as today.
    *is_whole* says whether the whole profile is taken as the step.
    """

    step: StepTime
    gap_ps: int
    is_gap_stated: bool
    is_graph: bool
    floor_ps: int | None = None
    opaque: int = 0
    is_whole: bool = False
    no_floor: str = ""

    @property
    def dependent_gap_ps(self) -> int:
        """What lies between its kernels with dependent launch."""
        return dependent_gap(self.gap_ps)

    @property
    def as_graph_ps(self) -> int:
        """The step with its kernels as nodes of one graph."""
        return self._with_gaps(self.gap_ps)

    @property
    def as_dependent_graph_ps(self) -> int:
        """The same with dependent launch between them."""
        return self._with_gaps(self.dependent_gap_ps)

    def _with_gaps(self, gap_ps: int) -> int:
        return self.step.kernels_ps + self.step.copies_ps + self.step.launches * gap_ps


def todays(execution: Execution) -> tuple[TodayTime, ...]:
    """Return what a step takes on each device of *execution*, in the steps that are taken where nobody says how; none where it has none."""
    if not execution.is_timeline or execution.unfit:
        return ()
    try:
        observations = observe_apart((execution,), AttributedBy((GroupRule("step"),)))
    except ProfileRefused:
        return ()
    is_graph = launch_kind((execution,)) == "graph"
    found = (today_time(one, known_device(one.device), is_graph=is_graph) for one in observations)
    return tuple(one for one in found if one is not None)


def today_time(observation: Observation, device: Device | None, *, is_graph: bool) -> TodayTime | None:
    """Return what a step of *observation* takes, None where the profile has no timeline."""
    if observation.step_time is None:
        return None
    gap_ps, is_stated = graph_gap(device)
    floor, opaque = (None, 0) if device is None else _floor(observation, device)
    why = _why_no_floor(observation, device) if floor is None else ""
    return TodayTime(observation.step_time, gap_ps, is_stated, is_graph, floor, opaque, observation.steps_by.is_whole, why)


def _why_no_floor(observation: Observation, device: Device | None) -> str:
    if not any(kernel.computed for kernel in observation.kernels):
        return "the profile recorded no shapes"
    return "no device file knows its GPU" if device is None else "the shapes in the profile are of no operator that is recognized"


def _floor(observation: Observation, device: Device) -> tuple[int | None, int]:
    """Return the floors of all launches of a step, and how many count with their time of today."""
    times = {group.group: group.per_step * group.times * group.in_steps for group in observation.groups}
    floors, opaque, is_known = 0, 0, False
    for kernel in observation.kernels:
        often = times.get(kernel.group, 0)
        if kernel.computed and all(kernel.computed):
            is_known, floors = True, floors + often * sum(floor_ps(computed, device) for computed in kernel.computed)
        else:
            floors, opaque = floors + often * typical(kernel.samples_ps), opaque + often * kernel.launches
    return (floors if is_known else None), opaque
