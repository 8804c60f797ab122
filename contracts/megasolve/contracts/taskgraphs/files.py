"""Which files of MPK a command was given, told by their content, whatever their names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from ..profiles.errors import ProfileRefused
from ..profiles.recognizing.tasks import TaskFile, task_file
from ..profiles.text.source import source
from .faults import graph_notes, refuse_impossible_graph
from .graph import TaskGraph
from .iterations import StepTable, read_step_table
from .joined import TimedGraph, table_notes, timed_graph
from .reading import read_task_graph
from .timing_table import TimingTable, read_timing_table


@dataclass(frozen=True, slots=True)
class TaskFiles:
    """What was given: task graphs, tables of times, tables of steps."""

    graphs: tuple[TaskGraph, ...]
    tables: tuple[TimingTable, ...]
    steps: tuple[StepTable, ...]

    def timed(self, batch: int | None) -> TimedGraph:
        """Return the graph with its times.

        Raises
        ------
        ProfileRefused
            There is not one graph with one table, or they do not fit.
        """
        if len(self.graphs) != 1 or len(self.tables) != 1:
            files = [*(one.file for one in self.graphs), *(one.file for one in self.tables)]
            asked = f"a study is made from one task graph and its table of times, and here are {len(self.graphs)} and {len(self.tables)}"
            raise ProfileRefused(files[0] if files else self.steps[0].file, f"is not enough or too much: {asked}")
        return timed_graph(self.graphs[0], self.tables[0], batch)


def are_task_files(paths: Sequence[str | os.PathLike[str]]) -> bool:
    """Whether one of *paths* is a file of MPK; what cannot be read is none."""
    return any(_kind(path) is not None for path in paths)


def read_task_files(paths: Sequence[str | os.PathLike[str]]) -> TaskFiles:
    """Return what the files of MPK at *paths* hold.

    Raises
    ------
    ProfileRefused
        One cannot be read, is none of them, or cannot be trusted; or two tables are of different numbers of workers.
    """
    graphs: list[TaskGraph] = []
    tables: list[TimingTable] = []
    steps: list[StepTable] = []
    for path in paths:
        named = source(path)
        match task_file(named):
            case TaskFile.GRAPH:
                graphs.append(read_task_graph(named))
                refuse_impossible_graph(graphs[-1])
            case TaskFile.TIMES:
                tables.append(read_timing_table(named))
            case TaskFile.STEPS:
                steps.append(read_step_table(named))
            case None if not named.head.strip():
                raise ProfileRefused(named.file, "is empty")
            case None:
                raise ProfileRefused(named.file, "is no file of MPK, as others here are: read profiles by themselves")
    _refuse_other_workers(tables)
    return TaskFiles(tuple(graphs), tuple(tables), tuple(steps))


def notes_of(files: TaskFiles) -> dict[str, tuple[str, ...]]:
    """Return what is odd about each file, by its name."""
    return {
        **{graph.file: graph_notes(graph) for graph in files.graphs},
        **{table.file: tuple(table_notes(table)) for table in files.tables},
    }


def _kind(path: str | os.PathLike[str]) -> TaskFile | None:
    try:
        return task_file(source(path))
    except (ProfileRefused, OSError):
        return None


def _refuse_other_workers(tables: Sequence[TimingTable]) -> None:
    for table in tables[1:]:
        if table.workers != tables[0].workers:
            raise ProfileRefused(
                table.file,
                f"is of {table.workers} workers, {tables[0].file} of {tables[0].workers}: times of one do not hold for the other",
            )
