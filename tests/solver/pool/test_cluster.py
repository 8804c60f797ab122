"""A cluster of Dask does what the pool does: every task once, whatever becomes of workers, or of the scheduler."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from megasolve.solver.pool import cluster
from megasolve.solver.pool.cluster import Cluster, UnusableCluster
from tests.support.dask_cluster import LocalDask, local_dask
from tests.support.toolchain import needs_dask

pytestmark = needs_dask

HERE = os.getpid()


@pytest.fixture(scope="module")
def dask() -> Iterator[LocalDask]:
    with local_dask() as found:
        yield found


@pytest.fixture(scope="module")
def joined(dask: LocalDask) -> Iterator[Cluster]:
    having = Cluster(dask.address)
    yield having
    having.close()


def worker_of(number: int) -> tuple[int, int]:
    time.sleep(0.02)
    return number, os.getpid()


def failing_elsewhere(number: int) -> int:
    if os.getpid() != HERE:
        raise MemoryError
    return number


def killed_once(flag: str) -> str:
    if not Path(flag).exists():
        Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return flag


def killed_always(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def wait_for_workers(dask: LocalDask) -> None:
    """Wait until those that were killed are back, which takes long where the machine is busy."""
    from distributed import Client

    with Client(dask.address) as client:
        client.wait_for_workers(len(dask.workers), timeout=300)


def test_every_task_is_done_once_by_the_workers(dask: LocalDask, joined: Cluster) -> None:
    # In another order of tests one of them has just been killed.
    wait_for_workers(dask)
    found: list[tuple[int, tuple[int, int]]] = []
    joined.run(worker_of, [*range(12)], lambda number, answer: found.append((number, answer)))
    assert sorted((number, task) for number, (task, _) in found) == [(number, number) for number in range(12)]
    assert len({process for _, (_, process) in found} - {HERE}) == 2


def test_what_only_fails_elsewhere_is_done_here(joined: Cluster) -> None:
    found: dict[int, int] = {}
    joined.run(failing_elsewhere, [5, 6], found.__setitem__)
    assert found == {0: 5, 1: 6}


def test_nothing_is_taken_from_another_program(joined: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "program_digest", lambda: "another")
    found: dict[int, tuple[int, int]] = {}
    joined.run(worker_of, [1], found.__setitem__)
    assert found == {0: (1, HERE)}


def test_a_cluster_that_runs_another_program_is_refused(dask: LocalDask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "program_digest", lambda: "0123456789abcdef")
    with pytest.raises(
        UnusableCluster, match=r"^the worker tcp://\S+ of the cluster at \S+ runs another megasolve: .*, here .* \(0123456789ab\)$"
    ):
        Cluster(dask.address)


@pytest.mark.parametrize(
    ("address", "because"),
    [
        ("tcp://127.0.0.1:1", "Timed out trying to connect to tcp://127.0.0.1:1 after 0.1 s"),
        ("127.0.0.1", "missing port number in address '127.0.0.1'"),
        ("", "missing port number in address ''"),
    ],
)
def test_an_address_at_which_nobody_answers_is_said_in_one_line(address: str, because: str) -> None:
    with pytest.raises(UnusableCluster) as refused:
        Cluster(address, seconds=0.1)
    assert str(refused.value) == f"no scheduler of Dask answers at {address or repr(address)}: {because}"


def test_the_task_of_a_killed_worker_is_done_again(joined: Cluster, tmp_path: Path) -> None:
    found: dict[int, str] = {}
    joined.run(killed_once, [str(tmp_path / "one")], found.__setitem__)
    assert found == {0: str(tmp_path / "one")}


def test_a_task_that_kills_every_worker_is_told_and_without_its_scheduler_a_cluster_costs_a_line_but_no_result() -> None:
    lost: list[tuple[int, str]] = []
    told: list[str] = []
    found: dict[int, tuple[int, int]] = {}
    with local_dask() as dask:
        having = Cluster(dask.address, warn=told.append)
        having.run(killed_always, [0], lambda *_: None, lost=lambda number, fate: lost.append((number, fate)))
        wait_for_workers(dask)

        def seen(number: int, answer: tuple[int, int]) -> None:
            found[number] = answer
            if len(found) == 1:
                os.kill(dask.scheduler, signal.SIGKILL)

        having.run(worker_of, [*range(40)], seen)
    assert lost == [(0, "4 workers of the cluster died at it")]
    assert {number: task for number, (task, _) in found.items()} == {number: number for number in range(40)}
    assert HERE in {process for _, process in found.values()}
    assert told == ["the scheduler of the cluster is gone; what is left is done in this process alone, which takes longer"]
