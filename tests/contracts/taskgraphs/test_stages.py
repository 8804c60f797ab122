"""Stages of a task graph, and what repeats among them."""

from __future__ import annotations

from megasolve.contracts.taskgraphs.graph import NO_EVENT, TaskEvent, TaskGraph
from megasolve.contracts.taskgraphs.stages import StageRepeat, TaskStage, repeat_of, stages_of
from tests.support.profiles.task_graphs import CONV, LINEAR, NORM, SILU


def chain(*kinds: int) -> list[TaskStage]:
    """Return stages of one task each, each of which waits for the one before."""
    return [TaskStage(kind, 1, (at - 1,) if at else ()) for at, kind in enumerate(kinds)]


def test_a_stage_is_a_run_of_one_type_with_the_same_events() -> None:
    kinds, waits, arrives = (0, 10, NORM, LINEAR, LINEAR, LINEAR), (-1, -1, -1, 2, 2, 2), (-1, 1, 2, 3, 3, 4)
    graph = TaskGraph("", "", kinds, waits, arrives, (TaskEvent(900, 1, 0, 0),) * 5)
    assert stages_of(graph) == (TaskStage(NORM, 1, ()), TaskStage(LINEAR, 2, (0,)), TaskStage(LINEAR, 1, (0,)))


def test_an_event_without_work_before_it_is_no_wait() -> None:
    graph = TaskGraph("", "", (0, 10, NORM), (NO_EVENT, NO_EVENT, 1), (NO_EVENT, 1, 2), (TaskEvent(900, 1, 0, 0),) * 3)
    assert stages_of(graph) == (TaskStage(NORM, 1, ()),)


def test_a_chain_of_layers_repeats_behind_what_begins_it() -> None:
    stages = chain(CONV, *(NORM, LINEAR, SILU) * 4, CONV)
    assert repeat_of(stages) == StageRepeat(1, 3, 4)


def test_what_differs_in_size_is_no_repeat() -> None:
    stages = chain(*(NORM, LINEAR) * 3)
    stages[3] = TaskStage(LINEAR, 2, (2,))
    assert repeat_of(stages) is None or repeat_of(stages) == StageRepeat(2, 2, 2)


def test_stages_that_wait_further_back_than_the_repeat_before_do_not_repeat() -> None:
    stages = [TaskStage(NORM, 1, (at - 3,) if at >= 3 else ()) for at in range(9)]
    found = repeat_of(stages)
    assert found is None or found.period >= 3


def test_what_waits_for_an_early_repeat_from_behind_forbids_it() -> None:
    stages = [*chain(*(NORM, LINEAR) * 4), TaskStage(SILU, 1, (3, 7))]
    found = repeat_of(stages)
    assert found is None or found.first > 3 or found.last <= 3


def test_a_graph_without_layers_has_no_repeat() -> None:
    assert repeat_of(chain(NORM, LINEAR, SILU, CONV)) is None
