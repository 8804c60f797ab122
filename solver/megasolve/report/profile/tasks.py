"""Files of MPK as text and as JSON, `tasks/v1`: what a task graph has, what a timing table says, and the study that was made of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from megasolve.contracts import JsonObject

from ..solve.json import json_text
from ..text.kernel_words import microseconds
from ..text.numbers import us_text
from ..text.paint import PLAIN, Paint
from ..text.tables import Column, aligned, one_line

if TYPE_CHECKING:
    from megasolve.contracts.taskgraphs import StepTable, TaskFiles, TaskGraph, TaskStudy, TimingTable

_ORDERS = {True: "static: all tasks are in the queues of the workers when a step begins", False: "as events launch them"}


def task_lines(files: TaskFiles, notes: Mapping[str, Sequence[str]], *, paint: Paint = PLAIN) -> Iterator[str]:
    """Yield what each of *files* holds, with what is odd about it."""
    for graph in files.graphs:
        yield from (*_graph_lines(graph, paint), *_noted(notes.get(graph.file, ()), paint), "")
    for table in files.tables:
        yield from (*_table_lines(table, paint), *_noted(notes.get(table.file, ()), paint), "")
    for steps in files.steps:
        yield from (*_step_lines(steps), "")


def task_study_text(study: TaskStudy, sentence: str, written: Sequence[str], command: str, *, paint: Paint = PLAIN) -> str:
    """Return what a new study of tasks is; *sentence* says its size, *written* are its files, and *command* is what to run next."""
    timed = study.timed
    work = sum(timed.graph.counts[kind] * time_ps for kind, time_ps in timed.times_ps.items())
    bound = (
        f"all tasks together: {microseconds(work)}, on {timed.table.workers} workers at least {microseconds(work // timed.table.workers)}"
    )
    steps = [f"one record: {study.steps:,} steps that only decode"] if study.steps else []
    waits = "what a wait costs is in none of these files: the figures in the contract are of a kernel on a B200; change them to yours"
    lines = [*(f"wrote {one_line(path)}" for path in written), "", sentence, bound, *steps, waits, *_noted(study.notes, paint)]
    return "".join(f"{line}\n" for line in (*lines, "", f"next: {command}"))


def tasks_json(files: TaskFiles, notes: Mapping[str, Sequence[str]]) -> str:
    """Return what *files* hold as JSON."""
    return json_text(
        {
            "megasolve": "tasks/v1",
            "graphs": [_graph(graph, notes) for graph in files.graphs],
            "tables": [_table(table, notes) for table in files.tables],
            "steps": [_steps(one) for one in files.steps],
        }
    )


def _graph_lines(graph: TaskGraph, paint: Paint) -> Iterator[str]:
    from megasolve.contracts.taskgraphs import repeat_of, stages_of, task_name

    stages = stages_of(graph)
    repeat = repeat_of(stages)
    again = "" if repeat is None else f", {repeat.period} of them {repeat.times} times in a row"
    yield f"{one_line(graph.file)}: task graph of MPK, {sum(graph.counts.values()):,} tasks in {len(stages):,} stages{again}"
    yield f"  order: {_ORDERS[graph.is_launched_ahead]}"
    rows = [[task_name(kind), str(kind), f"{count:,}"] for kind, count in sorted(graph.counts.items(), key=lambda one: (-one[1], one[0]))]
    yield from (
        f"  {line}" for line in aligned([Column("task"), Column("type", is_number=True), Column("tasks", is_number=True)], rows, paint)
    )


def _table_lines(table: TimingTable, paint: Paint) -> Iterator[str]:
    from megasolve.contracts.taskgraphs import task_name

    yield f"{one_line(table.file)}: times of tasks of MPK on {table.workers} workers, batches {', '.join(map(str, table.batches))}"
    heads = [f"{what} at {batch}" for batch in table.batches for what in ("tasks", "mean us")]
    rows = []
    for kind, timings in table.timings.items():
        cells = [f"{float(one.tasks):,.0f}|{us_text(one.mean_ps)[:-4]}" if (one := timings.get(batch)) else "|" for batch in table.batches]
        rows.append([task_name(kind), str(kind), *(part for cell in cells for part in cell.split("|"))])
    yield from (
        f"  {line}" for line in aligned([Column("task"), *(Column(head, is_number=True) for head in ("type", *heads))], rows, paint)
    )


def _step_lines(steps: StepTable) -> Iterator[str]:
    yield f"{one_line(steps.file)}: {steps.steps:,} steps of MPK"
    for batch, times in _by_batch(steps):
        middle = sorted(times)[(len(times) - 1) // 2]
        yield f"  {len(times):,} only decode batch {batch}: {microseconds(middle)} each (lower median)"


def _noted(notes: Sequence[str], paint: Paint) -> Iterator[str]:
    return (paint.yellow(f"NOTE: {one_line(note)}") for note in notes)


def _graph(graph: TaskGraph, notes: Mapping[str, Sequence[str]]) -> JsonObject:
    from megasolve.contracts.taskgraphs import repeat_of, stages_of, task_name

    stages = stages_of(graph)
    repeat = repeat_of(stages)
    return {
        "file": graph.file,
        "sha256": graph.sha256,
        "order": "static" if graph.is_launched_ahead else "dynamic",
        "tasks": sum(graph.counts.values()),
        "events": len(graph.events),
        "stages": len(stages),
        "repeated": 0 if repeat is None else repeat.period,
        "times": 1 if repeat is None else repeat.times,
        "types": [{"type": kind, "name": task_name(kind), "tasks": count} for kind, count in sorted(graph.counts.items())],
        "notes": list(notes.get(graph.file, ())),
    }


def _table(table: TimingTable, notes: Mapping[str, Sequence[str]]) -> JsonObject:
    return {
        "file": table.file,
        "sha256": table.sha256,
        "workers": table.workers,
        "batches": list(table.batches),
        "times": [
            {"type": kind, "name": table.names[kind], "batch": batch, "tasks": float(one.tasks), "mean_us": us_text(one.mean_ps)}
            for kind, timings in table.timings.items()
            for batch, one in timings.items()
        ],
        "notes": list(notes.get(table.file, ())),
    }


def _steps(steps: StepTable) -> JsonObject:
    return {"file": steps.file, "sha256": steps.sha256, "steps": steps.steps, "decoded": [_decoded(*one) for one in _by_batch(steps)]}


def _decoded(batch: int, times_ps: Sequence[int]) -> JsonObject:
    return {"batch": batch, "samples_us": [us_text(one) for one in times_ps]}


def _by_batch(steps: StepTable) -> list[tuple[int, tuple[int, ...]]]:
    return sorted(steps.decoded_ps.items())
