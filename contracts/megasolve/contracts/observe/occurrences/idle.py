"""What the device did in one step: busy with kernels, busy with copies, or idle, and what the idle time before each launch waited for.

Up to the end of the call that launched a kernel the device waits for the host; what is left behind it is what the launch costs. A copy or
fill in between is time of the device. Where the call is not in the file, all of it counts as the cost of the launch; waits that stand far
outside of what launches cost are for something else.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence

from ...profiles.execution import Interval
from ..observation import StepTime
from ..timelines.occurrence import Occurrence
from .group_occurrences import StepsOf


def step_time(steps: StepsOf, waits: Collection[int]) -> StepTime:
    """Return the time of the steady step of the lower median length; before the launches *waits* stand those that no launch costs."""
    times = sorted(
        (_step_time(steps, steps.steps[number], number, frozenset(waits)) for number in steps.kept), key=lambda one: one.total_ps
    )
    return times[(len(times) - 1) // 2]


def _step_time(steps: StepsOf, step: Occurrence, number: int, waits: Collection[int]) -> StepTime:
    ran, copies = steps.ran, [one for one in steps.execution.copies if one.device in (None, steps.ran.device)]
    starts = [one.start_ps for one in copies]
    kernels = copied = launching = host = other = 0
    for place, launch in enumerate(step.launches):
        share = ran.shares[launch]
        kernels += share.service_ps
        # What the device did before the first launch belongs to whatever was before it, unless a steady step was.
        if not share.gap_ps or (not place and number - 1 not in steps.kept):
            continue
        end_ps = ran.start_ps(launch)
        within = _within(copies, starts, end_ps - share.gap_ps, end_ps)
        idle_ps = share.gap_ps - within
        copied += within
        call = ran.kernels[launch].call
        waited_ps = 0 if call is None else max(0, min(idle_ps, call.end_ps - (end_ps - share.gap_ps)))
        if launch in waits:
            other += idle_ps
        else:
            host, launching = host + waited_ps, launching + idle_ps - waited_ps
    return StepTime(len(step.launches), kernels, copied, launching, host, other)


def _within(copies: Sequence[Interval], starts: Sequence[int], start_ps: int, end_ps: int) -> int:
    """Return how long copies ran between *start_ps* and *end_ps*, those that overlap once."""
    reached, taken = start_ps, 0
    first = max(bisect_left(starts, start_ps) - 1, 0)
    for one in copies[first : bisect_left(starts, end_ps)]:
        begun, ended = max(one.start_ps, reached), min(one.end_ps, end_ps)
        taken += max(ended - begun, 0)
        reached = max(reached, ended)
    return taken
