"""Shared values: themselves where they were made, and read once for all tasks of a process."""

from __future__ import annotations

import pickle

from megasolve.solver.pool.shared import REMEMBERED, Shared


class Counted:
    """A value that counts how often it is written and read."""

    written = 0
    read = 0

    def __init__(self, name: str) -> None:
        self.name = name

    def __getstate__(self) -> str:
        Counted.written += 1
        return self.name

    def __setstate__(self, name: str) -> None:
        Counted.read += 1
        self.name = name


def sent(shared: Shared[Counted]) -> Shared[Counted]:
    other: Shared[Counted] = pickle.loads(pickle.dumps(shared))
    return other


def test_where_it_was_made_it_is_the_value_itself() -> None:
    value = Counted("own")
    shared = Shared(value)
    sent(shared)
    assert shared.value is value


def test_it_is_written_once_and_read_once_however_many_tasks_take_it_along() -> None:
    shared = Shared(Counted("once"))
    Counted.written = Counted.read = 0
    tasks = [sent(shared) for _ in range(5)]
    assert {task.value.name for task in tasks} == {"once"}
    assert (Counted.written, Counted.read) == (1, 1)
    assert len({id(task.value) for task in tasks}) == 1


def test_what_was_not_read_goes_on_as_it_came() -> None:
    shared = Shared(Counted("on its way"))
    Counted.written = Counted.read = 0
    assert sent(sent(sent(shared))).value.name == "on its way"
    assert (Counted.written, Counted.read) == (1, 1)


def test_only_the_last_values_are_kept() -> None:
    tasks = [sent(Shared(Counted(f"kept {number}"))) for number in range(REMEMBERED + 1)]
    for task in tasks:
        assert task.value.name
    Counted.read = 0
    assert tasks[-1].value.name
    assert Counted.read == 0
    assert tasks[0].value.name == "kept 0"
    assert Counted.read == 1
