"""Which idle time belongs to which launch, and how long a step takes with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..timelines.occurrence import Occurrence
from .group_occurrences import StepsOf


def counted_gaps(steps: StepsOf, outside: Iterable[Occurrence]) -> list[int]:
    """Return the idle time before each launch that belongs to the work itself, in picoseconds.

    Between two steady steps it belongs to the first launch of the later one. Before a step that follows none, or one that was left
    out, and before an occurrence outside of all steps, the device waited for something else: none of that counts.
    """
    gaps_ps = [share.gap_ps for share in steps.ran.shares]
    kept = set(steps.kept)
    fresh = [steps.steps[number] for number in steps.kept if number - 1 not in kept]
    for occurrence in (*fresh, *outside):
        gaps_ps[occurrence.launches[0]] = 0
    return gaps_ps


def step_spans(steps: StepsOf, gaps_ps: Sequence[int]) -> tuple[int, ...]:
    """Return the time of each steady step: its launches, the idle time before them, and what else ran between them."""
    spans = [sum(steps.ran.shares[launch].service_ps + gaps_ps[launch] for launch in steps.steps[number].launches) for number in steps.kept]
    position = {number: place for place, number in enumerate(steps.kept)}
    of_launch = steps.by_launch()
    between_ps, current = 0, None
    for launch, share in enumerate(steps.ran.shares):
        step = of_launch.get(launch)
        if step is None:
            between_ps += share.service_ps + share.gap_ps
            continue
        if step == current and step in position:
            spans[position[step]] += between_ps
        between_ps, current = 0, step
    return tuple(spans)
