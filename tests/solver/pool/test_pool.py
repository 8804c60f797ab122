"""The pool: every task once, whichever process does it, and whatever becomes of that process."""

from __future__ import annotations

import errno
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from megasolve.solver.pool import crew, pool
from megasolve.solver.pool.pool import ProcessPool

HERE = os.getpid()
DEATH = "a process that worked beside this one was killed by SIGKILL"
AGAIN = f"{DEATH}; its task is done again"
KILLED = [AGAIN, f"{DEATH}; what is left is done in this process alone, which takes longer"]


@pytest.fixture(autouse=True)
def _starting_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "SECONDS_TO_START", {"fork": 0, "spawn": 0})


def worker_of(number: int) -> tuple[int, int]:
    time.sleep(0.002)
    return number, os.getpid()


def killed_elsewhere(number: int) -> int:
    if multiprocessing.parent_process():
        os.kill(os.getpid(), 9)
    return number


def failing_elsewhere(number: int) -> int:
    if multiprocessing.parent_process():
        raise MemoryError
    return number


def failing_at_three(number: int) -> int:
    if number == 3:
        raise KeyError(number)
    return number


def sleeping_elsewhere(number: int) -> int:
    if multiprocessing.parent_process():
        time.sleep(600)
    return number


def run(work: Callable[[int], int], tasks: list[int], jobs: int = 2) -> tuple[dict[int, int], list[str]]:
    found: dict[int, int] = {}
    told: list[str] = []
    with ProcessPool(jobs, warn=told.append) as having:
        having.run(work, tasks, found.__setitem__)
    return found, told


def test_every_task_is_done_once_and_bears_its_number() -> None:
    found: list[tuple[int, tuple[int, int]]] = []
    with ProcessPool(3) as having:
        having.run(worker_of, [*range(20)], lambda number, answer: found.append((number, answer)))
    assert sorted((number, task) for number, (task, _) in found) == [(number, number) for number in range(20)]
    processes = {process for _, (_, process) in found}
    assert HERE in processes
    assert len(processes) == 4


def test_what_processes_take_with_them_is_prepared_once_before_they_start() -> None:
    told: list[float] = []
    with ProcessPool(2) as having:
        for _ in range(2):
            having.run(worker_of, [*range(6)], lambda *_: None, prepare=told.append)
    (left,) = told
    assert left >= 5 * 0.002
    with ProcessPool(1) as having:
        having.run(worker_of, [*range(6)], lambda *_: None, prepare=told.append)
    assert len(told) == 1


def test_tasks_that_are_alike_follow_each_other() -> None:
    found: list[int] = []
    with ProcessPool(1) as having:
        having.run(worker_of, [1, 2, 3, 4, 5], lambda _, answer: found.append(answer[0]), lambda number: number % 2)
    assert found == [1, 3, 5, 2, 4]


def test_one_job_is_done_here_and_in_order() -> None:
    found: list[tuple[int, int]] = []
    with ProcessPool(1) as having:
        having.run(worker_of, [*range(5)], lambda _, answer: found.append(answer))
    assert found == [(number, HERE) for number in range(5)]


def test_nothing_is_started_for_what_is_done_sooner_than_it_would_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "SECONDS_TO_START", {"fork": 60, "spawn": 60})
    processes = set()
    with ProcessPool(2) as having:
        having.run(worker_of, [*range(5)], lambda _, answer: processes.add(answer[1]))
    assert processes == {HERE}


def test_the_processes_of_one_run_serve_the_next() -> None:
    seen: list[list[int]] = [[], []]
    with ProcessPool(2) as having:
        for processes in seen:
            having.run(worker_of, [*range(12)], lambda _, answer: processes.append(answer[1]))  # noqa: B023 - it is called before the next
    assert {*seen[1]} == {*seen[0]} - {HERE}


@pytest.mark.parametrize("tasks", [[], [4], [4, 5]])
def test_few_tasks_or_none_are_done(tasks: list[int]) -> None:
    assert run(failing_at_three, tasks, 8) == (dict(enumerate(tasks)), [])


def killed_once(flag: str) -> int:
    if multiprocessing.parent_process() and not Path(flag).exists():
        Path(flag).touch()
        os.kill(os.getpid(), 9)
    return os.getpid()


def test_the_task_of_a_dead_process_is_done_again_by_one_in_its_place(tmp_path: Path) -> None:
    told: list[str] = []
    found: dict[int, int] = {}
    tasks = [str(tmp_path / f"flag{number}") for number in range(5)]
    with ProcessPool(2, warn=told.append) as having:
        having.run(killed_once, tasks, found.__setitem__)
    assert [*sorted(found)] == [*range(5)]
    assert {number: process for number, process in found.items() if process == HERE} == {0: HERE}
    assert told == [AGAIN]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["flag1", "flag2", "flag3", "flag4"]


def killed_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), 9)
    return number


def test_a_task_that_takes_two_processes_along_is_told_and_the_others_are_done() -> None:
    found: dict[int, int] = {}
    lost: list[tuple[int, str]] = []
    told: list[str] = []
    with ProcessPool(2, warn=told.append) as having:
        having.run(killed_at_three, [*range(8)], found.__setitem__, lost=lambda number, fate: lost.append((number, fate)))
    assert (found, lost, told) == ({number: number for number in range(8) if number != 3}, [(3, DEATH)], [AGAIN])


def test_what_takes_every_process_along_is_done_here_and_said_in_a_line() -> None:
    assert run(killed_elsewhere, [*range(6)]) == ({number: number for number in range(6)}, KILLED)


def test_after_that_nothing_is_started_any_more() -> None:
    told: list[str] = []
    processes = set()
    with ProcessPool(2, warn=told.append) as having:
        having.run(killed_elsewhere, [*range(6)], lambda *_: None)
        having.run(worker_of, [*range(6)], lambda _, answer: processes.add(answer[1]))
    assert (processes, told) == ({HERE}, KILLED)


def test_what_only_fails_elsewhere_is_done_here() -> None:
    assert run(failing_elsewhere, [*range(6)]) == ({number: number for number in range(6)}, [])


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_fails_everywhere_fails_here(jobs: int) -> None:
    with pytest.raises(KeyError, match="3"):
        run(failing_at_three, [*range(6)], jobs)


def living() -> Iterator[BaseProcess]:
    return (process for process in multiprocessing.active_children() if process.is_alive())


def test_no_process_outlives_an_error_of_the_one_who_hears_of_results() -> None:
    having = ProcessPool(2)

    def refuse(number: int, _: int) -> None:
        if number:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        having.run(failing_at_three, [*range(3), *range(4, 9)], refuse)
    assert not [*living()]
    found: dict[int, int] = {}
    having.run(failing_at_three, [5, 6, 7], found.__setitem__)
    assert found == {0: 5, 1: 6, 2: 7}


def test_leaving_ends_what_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    class Enough(BaseException):
        pass

    def stop(*_: object) -> list[object]:
        raise Enough

    monkeypatch.setattr(crew, "wait", stop)
    with pytest.raises(Enough):
        run(sleeping_elsewhere, [*range(4)])
    assert not [*living()]


def test_a_system_without_further_processes_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(BaseProcess, "start", refused)
    found, told = run(failing_at_three, [0, 1, 2, 4])
    assert found == {0: 0, 1: 1, 2: 2, 3: 4}
    because = "no further process can be started: Resource temporarily unavailable"
    assert told == [f"{because}; what is left is done in this process alone, which takes longer"]


def test_processes_that_are_no_copies_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "start_method", lambda: "spawn")
    assert run(abs, [-1, -2, 3, -4]) == ({0: 1, 1: 2, 2: 3, 3: 4}, [])
