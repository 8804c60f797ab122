"""The steady occurrences of every group: instances of its annotations where its rules ask for them, else the steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import ne
from statistics import median_low

from ...model.wording import counted
from ...profiles.execution import Execution, Span
from ..attribution import Attributed
from ..observation import GroupRule, Part, PlaceOrder, StepPlaces
from ..steps.steps import gathered
from ..timelines.occurrence import Occurrence
from ..timelines.placing import placed
from ..timelines.steady import steady
from ..timelines.timeline import Timeline

_EQUAL_PER_DIFFERING = 20
_MOST_ONE_BY_ONE = 256


@dataclass(frozen=True, slots=True)
class StepsOf:
    """The steps of what *ran* in an execution, and which of them are steady (indices).

    *is_whole* says whether the one step is the whole profile, *order* how places in a step are counted.
    """

    execution: Execution
    ran: Timeline
    steps: tuple[Occurrence, ...]
    kept: tuple[int, ...]
    is_whole: bool
    order: PlaceOrder = "start"

    def placed(self, number: int) -> tuple[int, ...]:
        """Return the launches of a step by their places."""
        return placed(self.ran, self.steps[number].launches, self.order)

    def by_launch(self) -> dict[int, int]:
        """Return the step of every launch that is in one."""
        return {launch: number for number, step in enumerate(self.steps) for launch in step.launches}


@dataclass(frozen=True, slots=True)
class GroupOccurrences:
    """What one group ran: *every* occurrence that the profile has, and the *steady* ones. *outside* are steady ones beyond all steps.

    A group by *places* has an occurrence for each repeat of them; at the launches *opening* the first one of a step begins.
    """

    group: str
    marks: tuple[str, ...] | None
    every: tuple[Occurrence, ...]
    steady: tuple[Occurrence, ...]
    outside: tuple[Occurrence, ...]
    per_step: int
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    places: StepPlaces | None = None
    opening: frozenset[int] = frozenset()

    @property
    def is_placed(self) -> bool:
        """Whether its kernels are told apart by their place: those of a block that repeats, or as many as can be told one by one."""
        return self.places is not None and (self.places.times > 1 or self.places.kernels <= _MOST_ONE_BY_ONE)

    @property
    def in_steps(self) -> bool:
        """Whether a step holds one of them."""
        return len(self.outside) < len(self.steady)


def group_occurrences(rules: Sequence[GroupRule], attributed: Attributed, steps: StepsOf) -> tuple[GroupOccurrences, ...]:
    """Return the occurrences of each group that took a launch in a steady state, in the order of *rules*."""
    found = []
    usual = sorted(with_usual_kernels(steps)) if any(rule.places for rule in rules) else []
    for group in dict.fromkeys(rule.group for rule in rules):
        own = [rule for rule in rules if rule.group == group]
        numbers = {number for number, rule in enumerate(rules) if rule.group == group}
        mine = [number in numbers for number in attributed.rules]
        if own[0].places is not None:
            found.append(_by_places(group, own[0].places, steps, usual))
        elif own[0].part is not None:
            found.append(_by_part(group, mine, own[0].part))
        elif all(rule.ranges for rule in own):
            spans = [span if is_mine else None for span, is_mine in zip(attributed.spans, mine, strict=True)]
            marks = tuple(glob for rule in own for glob in rule.ranges)
            found.append(_by_instances(group, marks, spans, steps))
        else:
            found.append(_by_steps(group, mine, steps))
    return tuple(occurrences for occurrences in found if occurrences.steady)


def _by_steps(group: str, mine: Sequence[bool], steps: StepsOf) -> GroupOccurrences:
    """Return the part of each step that belongs to the group; a step without any is no occurrence of it."""
    parts = {n: tuple(launch for launch in step.launches if mine[launch]) for n, step in enumerate(steps.steps)}
    every = {n: Occurrence(steps.steps[n].label, launches, steps.steps[n].host) for n, launches in parts.items() if launches}
    return GroupOccurrences(group, None, tuple(every.values()), tuple(every[n] for n in steps.kept if n in every), (), 1)


def with_usual_kernels(steps: StepsOf) -> tuple[int, ...]:
    """Return the steady steps whose kernels stand in the commonest order, those first that have it exactly: places mean nothing elsewhere.

    One kernel in twenty may be another one, as a library chooses its kernels by the clock.
    """
    orders = {n: tuple(steps.ran.kernels[launch].shape.name for launch in steps.placed(n)) for n in steps.kept}
    votes = Counter(orders.values())
    commonest = max(votes, key=lambda order: votes[order])
    differing = {n: sum(map(ne, order, commonest)) for n, order in orders.items() if len(order) == len(commonest)}
    alike = [n for n in steps.kept if n in differing and _EQUAL_PER_DIFFERING * differing[n] <= len(commonest)]
    return tuple(sorted(alike, key=lambda n: differing[n] > 0))


def _by_places(group: str, places: StepPlaces, steps: StepsOf, usual: Sequence[int]) -> GroupOccurrences:
    """Return the repeats of *places* in each of the steps *usual* that has them all."""
    found, opening = [], set[int]()
    for step, launches in ((steps.steps[n], steps.placed(n)) for n in usual):
        starts = [start for start in places.starts() if start + places.kernels <= len(launches)]
        found += [Occurrence(step.label, launches[start : start + places.kernels], step.host) for start in starts]
        opening.update(launches[start] for start in starts[:1])
    left = len(steps.kept) - len(usual)
    # Said of the first kernel of a step, as it holds for all groups.
    left_out = (f"{counted(left, 'step')} with kernels in another order than most",) if left and not places.first else ()
    return GroupOccurrences(group, None, tuple(found), tuple(found), (), 1, left_out, (), places, frozenset(opening))


def _by_part(group: str, mine: Sequence[bool], part: Part) -> GroupOccurrences:
    """Return all launches of the group on one side of the steps, as one occurrence."""
    launches = tuple(launch for launch, is_mine in enumerate(mine) if is_mine)
    one = (Occurrence(f"{part} the steps", launches),) if launches else ()
    return GroupOccurrences(group, None, one, one, one, 1)


def _by_instances(group: str, marks: tuple[str, ...], spans: Sequence[Span | None], steps: StepsOf) -> GroupOccurrences:
    """Return the instances within steady steps, and the steady ones of those that no step holds.

    Where the whole profile is one step, nothing has been left out yet: then warm-up is looked for among the instances themselves.
    """
    every = gathered(spans)
    within = steps.by_launch()
    step_of = [None if steps.is_whole else within.get(occurrence.launches[0]) for occurrence in every]
    free = [occurrence for occurrence, step in zip(every, step_of, strict=True) if step is None]
    held = [occurrence for occurrence, step in zip(every, step_of, strict=True) if step in steps.kept]
    settled = steady(steps.execution, steps.ran, free)
    kept = [free[n] for n in settled.kept]
    return GroupOccurrences(
        group,
        marks,
        every,
        tuple(sorted(held + kept, key=lambda occurrence: occurrence.launches)),
        () if steps.is_whole else tuple(kept),
        len(every) if steps.is_whole else _per_step([step for step in step_of if step in steps.kept]),
        tuple(f"group {group}: {sentence}" for sentence in settled.left_out),
        tuple(f"group {group}: {sentence}" for sentence in settled.notes),
    )


def _per_step(steps: Sequence[int | None]) -> int:
    """Return how many occurrences a step has that has any; 1 for a group outside of the steps."""
    return median_low(list(Counter(steps).values())) if steps else 1
