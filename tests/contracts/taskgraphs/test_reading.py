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
    ],
)
def test_what_is_no_whole_graph_is_refused_with_its_place(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(ProfileRefused, match=reason):
        read(tmp_path, text)
