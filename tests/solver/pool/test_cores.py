"""How many cores may be used: those that the process is bound to, within what its container grants."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from megasolve.solver.pool.cores import usable_cores


@pytest.fixture
def _sixteen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {*range(16)}, raising=False)


@pytest.mark.usefixtures("_sixteen")
@pytest.mark.parametrize(
    ("granted", "cores"),
    [
        ("max 100000\n", 16),
        ("400000 100000\n", 4),
        ("150000 100000\n", 2),
        ("1000 100000\n", 1),
        ("6400000 100000\n", 16),
        ("0 100000\n", 16),
        ("100000 0\n", 16),
        ("rubbish", 16),
        ("", 16),
    ],
)
def test_a_container_may_grant_fewer_than_it_shows(tmp_path: Path, granted: str, cores: int) -> None:
    quota = tmp_path / "cpu.max"
    quota.write_text(granted)
    assert usable_cores(quota) == cores


@pytest.mark.usefixtures("_sixteen")
def test_without_a_container_all_that_the_process_is_bound_to_are_usable(tmp_path: Path) -> None:
    assert usable_cores(tmp_path / "cpu.max") == 16


def test_where_nobody_can_tell_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cores(tmp_path / "cpu.max") == 1
