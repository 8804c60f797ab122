"""`task_graph.json`: what is read, and what is no whole graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts.profiles import ProfileRefused
from megasolve.contracts.profiles.text.source import source
from megasolve.contracts.taskgraphs.graph import NO_EVENT
from megasolve.contracts.taskgraphs.reading import read_task_graph
from megasolve.contracts.taskgraphs.stages import stages_of
from tests.support.profiles.task_graphs import LINEAR, NORM, NOTHING, graph_text

TASKS = [(NORM, NOTHING, 2), (LINEAR, 2, 3)]


def read(folder: Path, text: str) -> Any:
    file = folder / "task_graph.json"
    file.write_text(text)
    return read_task_graph(source(file))


def changed(*path: Any, value: object) -> str:
    """Return the graph with another value at *path*."""
    graph = json.loads(graph_text(TASKS))
    place = graph
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(graph)


def test_tasks_stand_in_their_order_with_the_events_that_they_wait_for_and_arrive_at(tmp_path: Path) -> None:
    graph = read(tmp_path, graph_text(TASKS))
    assert graph.kinds == (0, 10, NORM, LINEAR)
    assert graph.waits == (NO_EVENT, NO_EVENT, NO_EVENT, 2)
    assert graph.arrives == (NO_EVENT, 1, 2, 3)


def test_the_gpu_that_an_event_belongs_to_is_no_part_of_its_index(tmp_path: Path) -> None:
    assert read(tmp_path, changed("all_tasks", 3, "dependent_event", value=(3 << 32) | 2)).waits[3] == 2


def test_an_order_is_static_where_one_event_launches_all_tasks_ahead(tmp_path: Path) -> None:
    assert read(tmp_path, graph_text(TASKS)).is_launched_ahead
    assert not read(tmp_path, graph_text(TASKS, ahead=False)).is_launched_ahead
    assert not read(tmp_path, changed("all_events", 1, "last_task_id", value=3)).is_launched_ahead


def launched(*ranges: tuple[int, int, int]) -> str:
    """Return a graph whose tasks name no event; events of the kinds in *ranges* launch tasks from the second figure up to the third."""
    graph = json.loads(graph_text(TASKS))
    graph["all_tasks"][3]["dependent_event"] = NOTHING
    graph["all_events"][1].update(event_type=901, last_task_id=3)
    for event, (kind, first, last) in enumerate(ranges, start=2):
        graph["all_events"][event].update(event_type=kind, first_task_id=first, last_task_id=last)
    return json.dumps(graph)


@pytest.mark.parametrize("kind", [901, 902])
def test_tasks_wait_for_the_event_that_launches_them(tmp_path: Path, kind: int) -> None:
    graph = read(tmp_path, launched((kind, 3, 4)))
    assert graph.waits == (NO_EVENT, NO_EVENT, NO_EVENT, 2)
    assert not graph.is_launched_ahead
    (_, stage) = stages_of(graph)
    assert stage.after == (0,)


def test_a_task_that_an_event_launches_although_it_waits_for_another_is_refused(tmp_path: Path) -> None:
    graph = json.loads(graph_text([*TASKS, (NORM, 3, 4)]))
    graph["all_events"][2].update(event_type=901, first_task_id=4, last_task_id=5)
    with pytest.raises(ProfileRefused, match=r"all_tasks\[4\] is launched by event 2 and waits for event 3"):
        read(tmp_path, json.dumps(graph))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (graph_text(TASKS)[:-40], "is truncated"),
        (changed("all_tasks", 2, "task_type", value="norm"), r"all_tasks\[2\]\.task_type: expected a whole number"),
        (changed("all_tasks", 2, value=7), r"all_tasks\[2\] is no object"),
        (changed("all_events", 0, "num_triggers", value=-1), r"all_events\[0\]\.num_triggers: expected a whole number"),
        (changed("all_tasks", 0, "task_type", value=NORM), "does not begin with the tasks of type 0 and 10"),
        (graph_text([]), "has none behind them"),
        (json.dumps({"all_tasks": [], "all_events": []}), "without first_tasks"),
        (changed("first_tasks", value=[1, 4]), r"first_tasks\[1\]: expected the number of a task, and there are 4"),
        (changed("first_tasks", value=[True]), r"first_tasks\[0\]: expected the number of a task"),
        (changed("first_tasks", value=None), "first_tasks is no list of tasks"),
    ],
)
def test_what_is_no_whole_graph_is_refused_with_its_place(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(ProfileRefused, match=reason):
        read(tmp_path, text)
