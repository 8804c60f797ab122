"""Reads `task_graph.json` of MPK: what each task is, and which events it waits for and arrives at; tensors are passed over.

A graph whose tasks are in the queues when a step begins names the event that each waits for. In one that events launch (older compilers)
an event names the tasks, which wait for it all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..profiles.errors import ProfileRefused
from ..profiles.kineto.json_stream import BrokenJson, JsonStream
from ..profiles.text.source import ProfileSource
from ..sizes.programs import MOST_TILES
from .graph import BEGIN, FIRST_TASK, LAUNCHING, NO_EVENT, TERMINATE, TaskEvent, TaskGraph

GRAPH_KEYS = frozenset({"all_tasks", "all_events", "first_tasks"})

_NOTHING = 0x7FFFFFFFFFFFFFFE
"""The number of no event; the lower half of any other is its index, the upper half the GPU that it belongs to."""

_INDEX = 0xFFFFFFFF
_TASK = ("task_type", "dependent_event", "trigger_event")
_EVENT = ("event_type", "num_triggers", "first_task_id", "last_task_id")


def read_task_graph(source: ProfileSource) -> TaskGraph:
    """Return the task graph in *source*; its shape is not judged yet.

    Raises
    ------
    ProfileRefused
        It is no whole JSON, lacks a list, a task or an event lacks a figure, a task that it begins with is not there, or one would wait
        for two events.
    """
    tasks: list[tuple[int, int, int]] = []
    found: dict[str, Any] = {}
    try:
        with source.open() as stream:
            for key, value in JsonStream(stream).members("all_tasks"):
                if key == "all_tasks":
                    tasks = list(_tasks(source, value))
                found[key] = value
    except BrokenJson as broken:
        raise ProfileRefused(source.file, broken.reason) from None
    if lacking := sorted(GRAPH_KEYS - found.keys()):
        raise ProfileRefused(source.file, f"is a task graph of MPK without {', '.join(lacking)}: write it again")
    _refuse_other_start(source, tasks)
    _refuse_unknown_start(source, found["first_tasks"], len(tasks))
    kinds, waits, arrives = zip(*tasks, strict=True)
    events = tuple(_events(source, found["all_events"]))
    return TaskGraph(source.file, source.sha256, kinds, _with_launches(source, waits, arrives, events), arrives, events)


def _tasks(source: ProfileSource, tasks: Iterator[Any]) -> Iterator[tuple[int, int, int]]:
    for position, task in enumerate(tasks):
        if position >= MOST_TILES:
            raise ProfileRefused(source.file, f"has more than {MOST_TILES:,} tasks, which is more than a plan is made of")
        kind, waits, arrives = _figures(source, task, _TASK, f"all_tasks[{position}]")
        yield kind, _event_index(waits), _event_index(arrives)


def _events(source: ProfileSource, events: object) -> Iterator[TaskEvent]:
    if not isinstance(events, list):
        raise ProfileRefused(source.file, "all_events is no list")
    for position, event in enumerate(events):
        yield TaskEvent(*_figures(source, event, _EVENT, f"all_events[{position}]"))


def _with_launches(
    source: ProfileSource, waits: tuple[int, ...], arrives: tuple[int, ...], events: tuple[TaskEvent, ...]
) -> tuple[int, ...]:
    """Return what each task waits for: the event that it names, or that which launches it when other tasks have arrived there."""
    found, opened = list(waits), set(arrives[FIRST_TASK:])
    for number, event in enumerate(events):
        if event.kind not in LAUNCHING or number not in opened:
            continue
        # Tasks past the end are refused later, with the event that names them.
        for task in range(event.first, min(event.last, len(found))):
            if found[task] not in (NO_EVENT, number):
                raise ProfileRefused(source.file, f"all_tasks[{task}] is launched by event {number} and waits for event {found[task]}")
            found[task] = number
    return tuple(found)


def _figures(source: ProfileSource, entry: object, keys: tuple[str, ...], where: str) -> list[int]:
    if not isinstance(entry, Mapping):
        raise ProfileRefused(source.file, f"{where} is no object")
    for key in keys:
        if not isinstance(entry.get(key), int) or isinstance(entry[key], bool) or entry[key] < 0:
            raise ProfileRefused(source.file, f"{where}.{key}: expected a whole number")
    return [entry[key] for key in keys]


def _event_index(number: int) -> int:
    return NO_EVENT if number >= _NOTHING else number & _INDEX


def _refuse_other_start(source: ProfileSource, tasks: list[tuple[int, int, int]]) -> None:
    if [kind for kind, _, _ in tasks[:FIRST_TASK]] != [TERMINATE, BEGIN] or len(tasks) == FIRST_TASK:
        begin = f"does not begin with the tasks of type {TERMINATE} and {BEGIN}, or has none behind them"
        raise ProfileRefused(source.file, f"{begin}: it is no whole task graph")


def _refuse_unknown_start(source: ProfileSource, first: object, tasks: int) -> None:
    if not isinstance(first, list) or not first:
        raise ProfileRefused(source.file, "first_tasks is no list of tasks")
    for position, task in enumerate(first):
        if not isinstance(task, int) or isinstance(task, bool) or not 0 <= task < tasks:
            raise ProfileRefused(source.file, f"first_tasks[{position}]: expected the number of a task, and there are {tasks:,}")
