"""What can be learnt from a timeline: the kernels of the steady steps, group by group, with the idle time before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..model.wording import counted
from ..profiles.execution import Execution
from ..profiles.wording import launch_shape, listed, microseconds
from .attribution import Attributed, attribute
from .join import Join, join
from .observation import AttributedBy, Observation, ObservedFile, Unattributed
from .observed_kernels import GroupKernels, left_over, overlap_note
from .occurrences.alternating import alternating
from .occurrences.gap_counting import step_spans
from .occurrences.group_occurrences import GroupOccurrences, StepsOf, group_occurrences
from .occurrences.idle import step_time
from .occurrences.settled_steps import SettledSteps, own_gaps, settled_steps
from .occurrences.shifted import shifted_notes
from .occurrences.waits import outside, outside_samples_ps
from .shapes.pattern import pattern_operators
from .steps.steps import first_launch
from .timelines.beside import Beside, beside
from .timelines.replay_speed import at_replay_speed
from .timelines.timeline import Timeline, described, timeline

# What is between steps is another model where it has several launches for each of them, and one in ten of all.
_SEVERAL, _MATTERS = 3, 10


@dataclass(frozen=True, slots=True)
class _Evidence:
    """Everything that the observation is put together from."""

    execution: Execution
    ran: Timeline
    settled: SettledSteps
    steps: StepsOf
    attributed: Attributed
    occurrences: tuple[GroupOccurrences, ...]
    speed_notes: tuple[str, ...]


def observe_timeline(
    execution: Execution,
    whole: Sequence[Execution],
    profiled: Sequence[Execution],
    attribution: AttributedBy,
    sources: tuple[ObservedFile, ...],
) -> Observation:
    """Return what one device of *execution* says, with the speed of replays from *whole* and resources and traffic from *profiled* ones.

    Raises as `observe` does.
    """
    seen = _evidence(execution, whole, attribution)
    beyond = [occurrence for group in seen.occurrences for occurrence in group.outside]
    gaps_ps, found = own_gaps(seen.steps, beyond)
    named = [None if rule is None else attribution.rules[rule].group for rule in seen.attributed.rules]
    shared = beside(seen.ran, named, seen.steps.order)
    groups = [GroupKernels(seen.ran, occurrences, gaps_ps, shared) for occurrences in seen.occurrences]
    shapes = pattern_operators(seen.ran.kernels)
    of_a_step = pattern_operators([seen.ran.kernels[launch] for launch in seen.steps.steps[seen.steps.kept[0]].launches])
    joined = join((one.shape for group in groups for one in group.tallies), profiled)
    return Observation(
        kernels=tuple(kernel for group in groups for kernel in group.kernels(joined, shapes.by_place if shapes.recorded else ())),
        steps=len(seen.steps.kept),
        groups=tuple(group.group() for group in groups if group.tallies),
        left_out=tuple(_left_out(seen)),
        unattributed=_unattributed(seen, groups),
        span_samples_ps=step_spans(seen.steps, gaps_ps),
        outside=outside(seen.ran, found),
        outside_samples_ps=outside_samples_ps(found, len(seen.steps.kept)),
        device=described(execution, seen.ran.device),
        rank=execution.rank,
        notes=(*_notes(seen, groups, shared), *(_join_notes(joined) if profiled else ())),
        sources=sources,
        is_shared=any(shared.beside),
        steps_by=seen.settled.usual.by,
        unfit=(*execution.unfit, *alternating(seen.steps, named, seen.occurrences)),
        batch=of_a_step.batch,
        tokens=of_a_step.tokens,
        step_time=step_time(seen.steps, [wait.launch for wait in found]),
    )


def _evidence(execution: Execution, whole: Sequence[Execution], attribution: AttributedBy) -> _Evidence:
    ran, speed_notes = at_replay_speed(timeline(execution, attribution.device), whole)
    settled = settled_steps(execution, ran, attribution.steps)
    attributed = attribute(ran, attribution.rules, settled.found.steps, attribution.steps.order)
    occurrences = group_occurrences(attribution.rules, attributed, settled.of)
    return _Evidence(execution, ran, settled, settled.of, attributed, occurrences, speed_notes)


def _left_out(seen: _Evidence) -> Iterator[str]:
    yield from seen.settled.settled.left_out
    for group in seen.occurrences:
        yield from group.left_out
    held = {*seen.steps.by_launch(), *(launch for group in seen.occurrences for one in group.every for launch in one.launches)}
    beyond = [launch for launch in range(len(seen.ran.kernels)) if launch not in held]
    begun = [launch for launch in beyond if launch < first_launch(seen.steps.steps)]
    if begun:
        yield f"{_launches(seen.ran, begun)} before the first step: of the step before, or of none"
    if others := beyond[len(begun) :]:
        yield f"{_launches(seen.ran, others)} outside of the steps{_of_another(seen, others)}"


def _of_another(seen: _Evidence, others: Sequence[int]) -> str:
    """Return that *others* may be of another model: between the steps, as many as to matter, and of kernels that no step runs."""
    last = seen.steps.steps[-1].launches[0]
    known = {seen.ran.kernels[launch].shape.name for step in seen.steps.steps for launch in step.launches}
    apart = [launch for launch in others if launch < last and seen.ran.kernels[launch].shape.name not in known]
    if len(apart) < max(_SEVERAL * len(seen.steps.steps), len(others) // 2, len(seen.ran.kernels) // _MATTERS):
        return ""
    return ", between them and of kernels that no step runs, as where two models take turns: profile one at a time, or tell them by ranges"


def _launches(ran: Timeline, launches: Sequence[int]) -> str:
    return f"{counted(len(launches), 'launch', 'launches')} ({microseconds(sum(ran.shares[launch].service_ps for launch in launches))})"


def _unattributed(seen: _Evidence, groups: Sequence[GroupKernels]) -> tuple[Unattributed, ...]:
    steady_steps = [seen.steps.steps[number] for number in seen.steps.kept]
    found = [*left_over(seen.ran, steady_steps, seen.attributed.rules), *(one for group in groups for one in group.unattributed())]
    return tuple(sorted(found, key=lambda one: -one.total_ps))


def _notes(seen: _Evidence, groups: Sequence[GroupKernels], shared: Beside) -> Iterator[str]:
    yield from seen.execution.notes
    yield from seen.speed_notes
    yield from seen.settled.notes()
    yield from seen.attributed.notes
    if seen.ran.untimed:
        yield f"{counted(seen.ran.untimed, 'launch', 'launches')} without a positive duration left out"
    yield from overlap_note(seen.ran, shared)
    for occurrences in seen.occurrences:
        yield from occurrences.notes
    yield from shifted_notes(seen.ran, seen.occurrences)
    for group in groups:
        yield from group.notes()


def _join_notes(joined: Join) -> Iterator[str]:
    yield from joined.notes
    for shapes, where in ((joined.only_timeline, "the timeline"), (joined.only_profiled, "ncu")):
        if shapes:
            yield f"{counted(len(shapes), 'kernel')} only in {where}: {listed(map(launch_shape, shapes), at_most=4)}"
