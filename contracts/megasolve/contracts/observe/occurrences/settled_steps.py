"""The steps of a timeline as it was asked for, which of them are steady, and the waits in them that no launch costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...model.wording import counted
from ...profiles.errors import ProfileRefused
from ...profiles.execution import Execution
from ..observation import Outside, StepsBy
from ..steps.choices import step_choices
from ..steps.marks import UsualSteps, step_starts, usual_steps
from ..steps.steps import FoundSteps, find_steps
from ..timelines.occurrence import Occurrence
from ..timelines.steady import Steady, steady
from ..timelines.timeline import Timeline, devices, timeline
from .gap_counting import counted_gaps
from .group_occurrences import StepsOf
from .waits import Wait, outside, waits


@dataclass(frozen=True, slots=True)
class SettledSteps:
    """How the steps were found, all of them, which are steady, and both together."""

    usual: UsualSteps
    found: FoundSteps
    settled: Steady
    of: StepsOf

    def notes(self) -> Iterator[str]:
        """Yield how the steps were found, and what is odd about them."""
        yield from self.usual.notes
        yield from step_choices(self.of.ran) if self.usual.by.is_whole else self.found.notes
        yield from self.settled.notes


def settled_steps(execution: Execution, ran: Timeline, asked: StepsBy) -> SettledSteps:
    """Return the steps of what *ran*; raises ProfileRefused where they are not found, or none is left."""
    usual = usual_steps(ran, asked)
    found = find_steps(execution, ran, usual.by)
    settled = steady(execution, ran, found.steps, usual.by.skip)
    if not settled.kept:
        raise ProfileRefused(execution.file, f"{counted(len(found.steps), 'step')} found, and skipping {usual.by.skip} leaves none")
    return SettledSteps(usual, found, settled, StepsOf(execution, ran, found.steps, settled.kept, usual.by.is_whole, asked.order))


def own_gaps(steps: StepsOf, beyond: Sequence[Occurrence] = ()) -> tuple[list[int], tuple[Wait, ...]]:
    """Return the idle time before each launch that its launch costs, and the waits in the steady steps and *beyond* them that none does."""
    gaps_ps = counted_gaps(steps, beyond)
    found = waits(steps, [*(steps.steps[number] for number in steps.kept), *beyond], gaps_ps, step_starts(steps.ran))
    for wait in found:
        gaps_ps[wait.launch] = 0
    return gaps_ps, found


def times_outside(execution: Execution) -> tuple[Outside, ...]:
    """Return the waits of *execution*, all devices of it, in the steps that are taken where nobody says how; none where it has no steps."""
    return tuple(one for device in devices(execution) for one in _outside(execution, device)) if execution.is_timeline else ()


def _outside(execution: Execution, device: int | None) -> tuple[Outside, ...]:
    try:
        ran = timeline(execution, device)
        _, found = own_gaps(settled_steps(execution, ran, StepsBy(is_usual=True)).of)
    except ProfileRefused:
        return ()
    return outside(ran, found)
