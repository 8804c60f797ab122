"""Turns: every task once, and those that are alike by one process, as far as that keeps nobody waiting."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from megasolve.solver.pool.turns import TaskTurns, in_runs


def letter(task: str) -> str:
    return task[0]


def taken(turns: TaskTurns[str], workers: str) -> list[str]:
    return [turns.take(worker)[1] for worker in workers]


def test_runs_stand_where_their_first_number_does() -> None:
    kinds: Callable[[int], str] = "abacb".__getitem__
    assert [[*run] for run in in_runs(range(5), kinds)] == [[0, 2], [1, 4], [3]]


def test_a_process_goes_on_with_what_is_like_its_last_task() -> None:
    turns = TaskTurns(dict(enumerate(("a1", "b1", "a2", "b2"))), letter)
    assert taken(turns, "xyxy") == ["a1", "b1", "a2", "b2"]


def test_who_has_nothing_of_its_own_helps_where_most_is_left() -> None:
    turns = TaskTurns(dict(enumerate(("a1", "a2", "a3", "a4", "b1"))), letter)
    assert taken(turns, "xyyxy") == ["a1", "b1", "a2", "a3", "a4"]


def test_what_is_put_back_is_taken_when_nothing_else_is_left() -> None:
    turns = TaskTurns(dict(enumerate(("a1", "a2", "b1", "b2"))), letter)
    first, _ = turns.take("x")
    turns.put_back(first)
    assert turns.left == 4
    assert taken(turns, "yxx") == ["b1", "a2", "b2"]
    assert taken(turns, "y") == ["a1"]
    turns.put_back(first)
    assert (turns.left, taken(turns, "x"), turns.left) == (1, ["a1"], 0)


@given(st.lists(st.sampled_from(("a1", "a2", "b1", "c1", "c2"))), st.lists(st.sampled_from("xyz")))
def test_every_task_is_taken_once(tasks: list[str], workers: list[str]) -> None:
    turns = TaskTurns(dict(enumerate(tasks)), letter)
    order = (workers + ["x"] * len(tasks))[: len(tasks)]
    found = [turns.take(worker) for worker in order]
    assert sorted(found) == [*enumerate(tasks)]
    assert turns.left == 0
