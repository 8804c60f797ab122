"""Groups by name whose kernels take turns: no phases of a step, so a plan that runs one after the other would be of nothing that ran.

Names tell kinds of kernels apart, and layers run all kinds in turn. That one group follows the other again in the next step is no fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, groupby

from ...model.wording import counted
from ...profiles.wording import shortened
from ..timelines.occurrence import Occurrence
from ..timelines.timeline import Timeline
from .group_occurrences import GroupOccurrences, StepsOf

_TURNS = 4


def alternating(steps: StepsOf, groups: Sequence[str | None], occurrences: Sequence[GroupOccurrences]) -> tuple[str, ...]:
    """Return why nothing can be planned from groups that alternate within a steady step, at the most one reason.

    *groups* names the group of every launch. Groups whose occurrences have annotations of their own are never in question.
    """
    by_name = [one.group for one in occurrences if one.marks is None and one.places is None]
    for number in steps.kept:
        step = steps.steps[number]
        for launches in _by_stream(steps.ran, step).values():
            for pair in combinations(by_name, 2):
                turns = list(_turns(launches, groups, pair))
                if len(turns) >= _TURNS:
                    return (_reason(steps, step, groups, turns),)
    return ()


def _by_stream(ran: Timeline, step: Occurrence) -> dict[object, list[int]]:
    streams: dict[object, list[int]] = {}
    for launch in step.launches:
        streams.setdefault(ran.kernels[launch].site, []).append(launch)
    return streams


def _turns(launches: Sequence[int], groups: Sequence[str | None], pair: tuple[str, str]) -> Iterator[int]:
    """Yield the first launch of each turn that one of *pair* takes."""
    of_pair = (launch for launch in launches if groups[launch] in pair)
    for _, turn in groupby(of_pair, key=lambda launch: groups[launch]):
        yield next(turn)


def _reason(steps: StepsOf, step: Occurrence, groups: Sequence[str | None], turns: Sequence[int]) -> str:
    kernels = steps.ran.kernels
    names = [groups[launch] or "" for launch in turns[:2]]
    first = ", ".join(f"'{shortened(kernels[launch].shape.name, 40)}' ({groups[launch]})" for launch in turns[:_TURNS])
    instead = f"give each its annotations (--group NAME=ranges:GLOB), or make one group of {' and '.join(names)}"
    several = "; where each turn is a step, say where steps begin (--steps)" if steps.is_whole else ""
    return (
        f"groups {' and '.join(names)} alternate, {counted(len(turns), 'turn')} within '{shortened(step.label, 40)}': {first}"
        f"{', ...' if len(turns) > _TURNS else ''}: names do not tell phases apart here; {instead}{several}"
    )
