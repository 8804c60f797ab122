"""A task graph beside the timing table of its kernel: which batch they are of, and how long the tasks of each type take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..model.wording import counted
from ..profiles.errors import ProfileRefused
from ..profiles.wording import listed
from .graph import TaskGraph
from .kinds import BOOKKEEPING, task_name
from .mixing import MixedBatch, mixed_batches
from .timing_table import TimingTable


@dataclass(frozen=True, slots=True)
class TimedGraph:
    """The tasks of *graph* at *batch*: *times_ps* by type, and *notes* on what the table says beside them."""

    graph: TaskGraph
    table: TimingTable
    batch: int
    times_ps: Mapping[int, int]
    notes: tuple[str, ...]


def timed_graph(graph: TaskGraph, table: TimingTable, batch: int | None) -> TimedGraph:
    """Return *graph* with the times that *table* has for it at *batch*; without one, that of the only columns that fit.

    Raises
    ------
    ProfileRefused
        The columns of the batch are missing, of another graph, or not of that batch, or a type of task has no time in them.
    """
    chosen = _chosen(graph, table) if batch is None else batch
    if chosen not in table.batches:
        raise ProfileRefused(table.file, f"has no columns of batch {chosen}; it has those of {listed(map(str, table.batches))}")
    for mixed in mixed_batches(table):
        if mixed.batch == chosen:
            raise ProfileRefused(table.file, f"{mixing_words(mixed)}; no time of them is used")
    if differing := _differing(graph, table, chosen):
        raise ProfileRefused(table.file, f"is of another task graph than {graph.file} at batch {chosen}: {differing[0]}")
    times = {kind: timings[chosen].mean_ps for kind, timings in table.timings.items() if chosen in timings and kind in graph.counts}
    if untimed := [f"{task_name(kind)} ({kind})" for kind in sorted(graph.counts) if not times.get(kind)]:
        raise ProfileRefused(table.file, f"has no time at batch {chosen} for tasks of {graph.file}: {listed(untimed)}")
    return TimedGraph(graph, table, chosen, times, tuple(_notes(graph, table, chosen)))


def table_notes(table: TimingTable) -> Iterator[str]:
    """Yield what is odd about *table*, a sentence each: what it mixes."""
    yield from (f"{mixing_words(mixed)}; times of them are not used" for mixed in mixed_batches(table))


def mixing_words(mixed: MixedBatch) -> str:
    """Return what makes the columns of a batch be of another one."""
    counts = f"{float(mixed.long):,.0f} of {float(mixed.tasks):,.0f} tasks of {task_name(mixed.kind)} took longer than a microsecond"
    return f"the columns named batch {mixed.batch} are of steps in which about {counted(mixed.ran, 'request')} ran: {counts}"


def _chosen(graph: TaskGraph, table: TimingTable) -> int:
    fitting = [batch for batch in table.batches if not _differing(graph, table, batch)]
    usable = [batch for batch in fitting if batch not in {mixed.batch for mixed in mixed_batches(table)}]
    if len(usable) == 1:
        return usable[0]
    told = "several fit" if usable else "none fits" if not fitting else "those that fit mix batches"
    raise ProfileRefused(table.file, f"has columns of batch {listed(map(str, table.batches))}, and of {graph.file} {told}: say --batch N")


def _differing(graph: TaskGraph, table: TimingTable, batch: int) -> list[str]:
    return [
        f"{_count(timings[batch].tasks)} tasks of {task_name(kind)} there, {graph.counts[kind]:,} here"
        for kind, timings in sorted(table.timings.items())
        if batch in timings and kind in graph.counts and timings[batch].tasks != graph.counts[kind]
    ]


def _count(tasks: Fraction) -> str:
    """Return how many *tasks* a step has in the mean, with what is left of a whole one."""
    return f"{float(tasks):,.2f}".rstrip("0").rstrip(".")


def _notes(graph: TaskGraph, table: TimingTable, batch: int) -> Iterator[str]:
    others = [f"{name} ({kind})" for kind, name in sorted(table.names.items()) if kind not in graph.counts and kind not in BOOKKEEPING]
    yield from table_notes(table)
    if others:
        yield f"times of tasks that the graph does not have are not used: {listed(others)}"
    for kind in sorted(graph.counts):
        timing = table.timings[kind][batch]
        if timing.long < timing.tasks and timing.mean_ps > 10**6:
            idle = timing.tasks - timing.long
            yield (
                f"{float(idle):,.0f} of {float(timing.tasks):,.0f} tasks of {task_name(kind)} found almost nothing to do; "
                "the table does not say which, so all take the mean"
            )
