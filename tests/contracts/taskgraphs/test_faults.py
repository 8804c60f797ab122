"""Task graphs that no kernel could run, and what is only odd about one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from megasolve.contracts.profiles import ProfileRefused
from megasolve.contracts.taskgraphs.faults import graph_notes, refuse_impossible_graph
from megasolve.contracts.taskgraphs.graph import NO_EVENT, TaskEvent, TaskGraph
from tests.support.profiles.task_graphs import LINEAR, NORM, SILU

UNKNOWN = 999


def graph(tasks: Sequence[tuple[int, int, int]], *triggers: int) -> TaskGraph:
    """Return a graph of *tasks* whose events from 2 on want *triggers* arrivals."""
    events = (TaskEvent(911, 1, 0, 0), TaskEvent(903, 1, 2, 2 + len(tasks)), *(TaskEvent(900, many, 0, 0) for many in triggers))
    kinds, waits, arrives = zip((0, NO_EVENT, NO_EVENT), (10, NO_EVENT, 1), *tasks, strict=True)
    return TaskGraph("graph.json", "0", kinds, waits, arrives, events)


def refusal_of(asked: TaskGraph) -> str | None:
    """Return why a graph cannot run, None where it can."""
    try:
        refuse_impossible_graph(asked)
    except ProfileRefused as refused:
        return str(refused)
    return None


def test_a_chain_runs() -> None:
    assert refusal_of(graph([(NORM, NO_EVENT, 2), (LINEAR, 2, 3), (SILU, 3, 4)], 1, 1, 1)) is None


def test_a_cycle_is_named_task_by_task() -> None:
    circle = graph([(NORM, 4, 2), (LINEAR, 2, 3), (SILU, 3, 4)], 1, 1, 1)
    with pytest.raises(ProfileRefused, match=r"has a cycle: .*task 2 \(norm_rope\).* waits for .*task 4 \(silu_mul\)"):
        refuse_impossible_graph(circle)


def test_a_task_that_waits_for_itself_is_a_cycle() -> None:
    with pytest.raises(ProfileRefused, match=r"has a cycle: task 2 \(norm_rope\) waits for task 2 \(norm_rope\)"):
        refuse_impossible_graph(graph([(NORM, 2, 2)], 1))


def test_a_long_cycle_is_shortened() -> None:
    size = 50
    tasks = [(LINEAR, 2 + (at - 1) % size, 2 + at) for at in range(size)]
    with pytest.raises(ProfileRefused, match="a circle of 50, shortened"):
        refuse_impossible_graph(graph(tasks, *[1] * size))


def test_a_task_that_waits_for_one_behind_it_is_no_cycle_and_still_cannot_be_queued() -> None:
    with pytest.raises(ProfileRefused, match=r"task 2 \(norm_rope\) waits for task 3 \(linear\) behind it"):
        refuse_impossible_graph(graph([(NORM, 3, 2), (LINEAR, NO_EVENT, 3)], 1, 1))


def test_an_event_that_never_opens_is_named() -> None:
    with pytest.raises(ProfileRefused, match=r"task 3 \(linear\) waits for event 2, at which 1 of 2 tasks arrive"):
        refuse_impossible_graph(graph([(NORM, NO_EVENT, 2), (LINEAR, 2, 3)], 2, 1))


def test_an_event_that_is_not_there_is_named() -> None:
    with pytest.raises(ProfileRefused, match=r"task 2 \(norm_rope\) names event 9, and there are 3"):
        refuse_impossible_graph(graph([(NORM, NO_EVENT, 9)], 1))


def test_an_event_that_launches_an_unknown_task_is_named() -> None:
    one = graph([(NORM, NO_EVENT, 2)], 1)
    events = (one.events[0], TaskEvent(903, 1, 2, 8), one.events[2])
    with pytest.raises(ProfileRefused, match="event 1 launches task 7, which is unknown: there are 3"):
        refuse_impossible_graph(TaskGraph(one.file, one.sha256, one.kinds, one.waits, one.arrives, events))


def test_a_type_that_is_not_known_is_a_note_and_goes_by_its_number() -> None:
    one = graph([(UNKNOWN, NO_EVENT, 2)], 1)
    refuse_impossible_graph(one)
    assert graph_notes(one) == ("1 task of type 999, which is not known here: called task_999",)


def test_an_event_that_opens_early_is_a_note() -> None:
    (note,) = graph_notes(graph([(NORM, NO_EVENT, 2), (NORM, NO_EVENT, 2), (LINEAR, 2, 3)], 1, 1))
    assert note.startswith("1 event opens before all that arrive have arrived (event 2: 1 of 2)")


def test_an_event_that_wants_no_arrival_and_gets_some_opens_early_too() -> None:
    (note,) = graph_notes(graph([(NORM, NO_EVENT, 2), (LINEAR, 2, 3)], 0, 0))
    assert note.startswith("1 event opens before all that arrive have arrived (event 2: 0 of 1)")
