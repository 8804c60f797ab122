"""The stages of a task graph: tasks of one type in a row that wait for one event and arrive at one, and what repeats among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .graph import NO_EVENT, TaskGraph


@dataclass(frozen=True, slots=True)
class TaskStage:
    """*tasks* tasks of one *kind* in a row; *after* are the numbers of the stages that it waits for."""

    kind: int
    tasks: int
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StageRepeat:
    """Stages *first* up to *first* + *period* come *times* times in a row, each waiting within its own repeat or the one before."""

    first: int
    period: int
    times: int

    @property
    def end(self) -> int:
        """The number of the stage behind the last repeat."""
        return self.first + self.period * self.times

    @property
    def last(self) -> int:
        """The number of the first stage of the last repeat."""
        return self.end - self.period


def stages_of(graph: TaskGraph) -> tuple[TaskStage, ...]:
    """Return the stages of *graph* in program order; together they have its tasks, in the same order, with the same waits.

    Each task of MPK waits for one event at most and arrives at one at most, so nothing is lost.
    """
    runs = list(_runs(graph))
    arriving: dict[int, list[int]] = {}
    for number, (position, _) in enumerate(runs):
        arriving.setdefault(graph.arrives[position], []).append(number)
    return tuple(
        TaskStage(graph.kinds[position], tasks, _after(arriving, graph.waits[position], number))
        for number, (position, tasks) in enumerate(runs)
    )


def _after(arriving: dict[int, list[int]], event: int, number: int) -> tuple[int, ...]:
    # The event that begins the graph has no stage that arrives at it.
    return () if event == NO_EVENT else tuple(one for one in arriving.get(event, ()) if one < number)


def _runs(graph: TaskGraph) -> Iterator[tuple[int, int]]:
    """Yield the first position of each stage with how many tasks it has."""
    first, before = -1, (-1, -1, -1)
    for position in graph.positions:
        same = (graph.kinds[position], graph.waits[position], graph.arrives[position])
        if same != before and first >= 0:
            yield first, position - first
        if same != before:
            first, before = position, same
    yield first, len(graph.kinds) - first


def repeat_of(stages: Sequence[TaskStage]) -> StageRepeat | None:
    """Return what repeats in *stages* and spares the most of them, None where nothing does."""
    alike = _alike(stages)
    found = [one for period in range(1, len(stages) // 2 + 1) for one in _of_period(alike, period)]
    for one in sorted(found, key=lambda one: (-(one.times - 1) * one.period, one.period, one.first)):
        if _is_closed(stages, one):
            return one
    return None


def _alike(stages: Sequence[TaskStage]) -> NDArray[np.int64]:
    """Return a number for each stage, the same for those of one kind and size that wait for stages as far before them."""
    numbers: dict[tuple[int, int, tuple[int, ...]], int] = {}
    shapes = ((one.kind, one.tasks, tuple(number - other for other in one.after)) for number, one in enumerate(stages))
    return np.array([numbers.setdefault(shape, len(numbers)) for shape in shapes], np.int64)


def _of_period(alike: NDArray[np.int64], period: int) -> Iterator[StageRepeat]:
    """Yield the longest stretch in which every stage is like the one *period* before it, at each place where it may begin."""
    same = np.concatenate([[False], alike[period:] == alike[:-period], [False]])
    edges = np.flatnonzero(same[1:] != same[:-1])
    for first, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        times = (end - first) // period + 1
        if times > 1:
            # Of the places that are as good the last one: what stands before the block is then most of what begins the graph.
            yield StageRepeat(first + (end - first) % period, period, times)


def _is_closed(stages: Sequence[TaskStage], repeat: StageRepeat) -> bool:
    """Whether stages in *repeat* wait no further back than the repeat before, and those behind it only for the last one."""
    inside = range(repeat.first, repeat.end)
    for number in inside:
        begin = number - (number - repeat.first) % repeat.period
        if any(other < begin - repeat.period for other in stages[number].after):
            return False
    behind = (other for one in stages[repeat.end :] for other in one.after)
    return not any(repeat.first <= other < repeat.last for other in behind)
