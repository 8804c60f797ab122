"""Where the steps of an execution are: all of it, the instances of an annotation, or the repetitions of its kernels.

Kernels follow the annotation around their launch call, never the one that the host is in while they run: work is queued ahead, so
a kernel often runs while the host is in the next step already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...model.wording import counted
from ...profiles.errors import ProfileRefused
from ...profiles.execution import Execution, Kernel, Span
from ...profiles.wording import listed, shortened
from ..globs import Globs
from ..observation import StepsBy
from ..timelines.occurrence import Occurrence
from ..timelines.timeline import Timeline
from .period import Repetition
from .repeating import best_repetition, is_most
from .replays import replayed_steps

_OTHERWISE = "take the whole profile as one step, or find steps by their annotations"


@dataclass(frozen=True, slots=True)
class FoundSteps:
    """Every step, in order of its first launch, with what there is to say about how it was found."""

    steps: tuple[Occurrence, ...]
    notes: tuple[str, ...] = ()


def find_steps(execution: Execution, ran: Timeline, by: StepsBy) -> FoundSteps:
    """Return the steps of what *ran*, found as *by* says.

    Raises
    ------
    ProfileRefused
        No annotation matches, none of those that match launched a kernel, no graph was replayed twice, or the kernels do not repeat;
        where the period is to be found, also if what repeats are fewer than half of them.
    """
    if by.marks is not None:
        return _marked(execution, ran, by.marks)
    if by.count > 1:
        reason = f"{by.count} steps cannot be counted off in it: it has its kernels one by one, so say where steps begin (--steps)"
        raise ProfileRefused(execution.file, reason)
    if by.replays:
        return _replayed(execution, ran)
    if by.period is not None:
        return _repeated(execution, ran, by.period if isinstance(by.period, int) else None)
    first = begun_before(ran) if by.is_usual else 0
    return FoundSteps((Occurrence("the whole profile", tuple(range(first, len(ran.kernels)))),))


def first_launch(steps: Sequence[Occurrence]) -> int:
    """Return the first launch of all *steps*."""
    return min(step.launches[0] for step in steps)


def begun_before(ran: Timeline) -> int:
    """Return how many launches the recording begins with that were called for before it began, so in a step that it does not have whole."""
    return next((launch for launch, kernel in enumerate(ran.kernels) if kernel.call is not None), 0)


def instances(kernels: Sequence[Kernel], globs: Globs) -> tuple[Span | None, ...]:
    """Return, for each of *kernels*, the outermost annotation around its launch that *globs* match."""
    return tuple(next((span for span in kernel.ranges if globs.match(span.name)), None) for kernel in kernels)


def gathered(belongs: Sequence[Span | None]) -> tuple[Occurrence, ...]:
    """Return one occurrence for each annotation that launches belong to, in order of its first launch."""
    launches: dict[Span, list[int]] = {}
    for launch, span in enumerate(belongs):
        if span is not None:
            launches.setdefault(span, []).append(launch)
    return tuple(Occurrence(span.name, tuple(of_it), span) for span, of_it in launches.items())


def _marked(execution: Execution, ran: Timeline, marks: str) -> FoundSteps:
    globs = Globs([marks])
    spans = [span for span in execution.annotations if globs.match(span.name)]
    steps = gathered(instances(ran.kernels, globs))
    if not steps:
        raise ProfileRefused(execution.file, _unmarked(execution, spans, marks))
    notes = [f"steps are the {counted(len(steps), 'instance')} of '{marks}'"]
    if len(spans) > len(steps):
        notes.append(f"{counted(len(spans) - len(steps), 'instance')} of '{marks}' launched no kernel on this device")
    return FoundSteps(steps, tuple(notes))


def _unmarked(execution: Execution, spans: Sequence[Span], marks: str) -> str:
    if spans:
        return f"{counted(len(spans), 'annotation matches', 'annotations match')} '{marks}', but no kernel was launched inside of one"
    names = listed(dict.fromkeys(f"'{shortened(span.name, 40)}'" for span in execution.annotations))
    return f"no annotation matches '{marks}'; found {names or 'none at all'}"


def _replayed(execution: Execution, ran: Timeline) -> FoundSteps:
    steps = replayed_steps(ran)
    if not steps:
        raise ProfileRefused(execution.file, f"no graph was replayed twice, so replays tell no steps; {_OTHERWISE}")
    return FoundSteps(steps, (f"steps begin with the {counted(len(steps), 'replay')} of a graph",))


def _repeated(execution: Execution, ran: Timeline, period: int | None) -> FoundSteps:
    main, found, alike = best_repetition(ran, period)
    if found is None:
        raise ProfileRefused(execution.file, _unrepeated(ran, period))
    if period is None and not is_most(found, main):
        raise ProfileRefused(execution.file, _hardly_repeated(found, main))
    steps = _cut(ran, main, found)
    first = shortened(ran.kernels[steps[0].launches[0]].shape.name)
    notes = [f"steps are {len(found.starts)} repetitions of {counted(found.period, 'kernel')}, from '{first}' on"]
    if alike:
        notes.append(f"kernels that differ in {alike} count as equal in finding the steps")
    if found.differing:
        notes.append(f"{counted(found.differing, 'kernel')} of {found.covered:,} unlike the one in the same place of the first step")
    return FoundSteps(steps, tuple(notes))


def _hardly_repeated(found: Repetition, main: Sequence[int]) -> str:
    times = f"{len(found.starts)} times {counted(found.period, 'kernel')} of {len(main):,}"
    return f"the kernels hardly repeat: {times} at the most; choose period:{found.period} to have that, else {_OTHERWISE}"


def _unrepeated(ran: Timeline, period: int | None) -> str:
    if period is None:
        return f"the kernels do not repeat, so no period was found; {_OTHERWISE}"
    _, found, _ = best_repetition(ran, None)
    instead = "no other period does" if found is None else f"they repeat every {counted(found.period, 'kernel')}"
    return f"the kernels do not repeat every {counted(period, 'kernel')}; {instead}"


def _cut(ran: Timeline, main: Sequence[int], found: Repetition) -> tuple[Occurrence, ...]:
    """Return the steps; launches of other streams go with the step that the main stream is in when they start."""
    edges = [*main, len(ran.kernels)]
    ranges = (range(edges[start], edges[start + found.period]) for start in found.starts)
    return tuple(Occurrence(f"repetition {number}", tuple(launches)) for number, launches in enumerate(ranges, 1))
