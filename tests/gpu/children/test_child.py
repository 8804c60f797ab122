from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from megasolve.gpu.children.child import Crashed, Failed, Finished, TimedOut, run_in_child
from megasolve.gpu.standin import driver_double as stand_in
from tests.support.command import CHECKOUT, environment
from tests.support.standin.probes import shipped_device

CHILDREN = "tests.support.standin.children"


def test_a_child_returns_what_its_function_does() -> None:
    assert run_in_child(f"{CHILDREN}:talkative", {"a": [1, None]}, deadline_s=30) == Finished({"asked": {"a": [1, None]}})


def test_an_exception_comes_back_by_its_class_and_message() -> None:
    result = run_in_child(f"{CHILDREN}:failing", "for a reason", deadline_s=30)
    assert isinstance(result, Failed)
    assert str(result) == "KeyError: 'for a reason'"
    assert "Traceback" in result.stderr


def test_a_function_that_does_not_exist_is_a_failure() -> None:
    result = run_in_child(f"{CHILDREN}:absent", None, deadline_s=30)
    assert isinstance(result, Failed)
    assert result.error == "AttributeError"


@pytest.mark.parametrize("variable", [{}, {"PYTHONPATH": ""}, {"PYTHONPATH": "."}], ids=["plain", "empty path", "path of here"])
def test_nothing_that_lies_in_the_current_folder_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: dict[str, str]) -> None:
    for module in ("megasolve", "json", "ctypes", "numpy", "sitecustomize", "usercustomize", "tests"):
        (tmp_path / f"{module}.py").write_text(f"open('{module} was run', 'w')\n")
    before = sorted(tmp_path.iterdir())
    monkeypatch.chdir(tmp_path)
    assert isinstance(run_in_child(f"{CHILDREN}:talkative", None, deadline_s=30, environment=variable), Finished)
    assert sorted(tmp_path.iterdir()) == before


def test_a_child_imports_from_where_its_parent_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "far_away.py").write_text("def answer(asked):\n    return [asked]\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert run_in_child("far_away:answer", 1, deadline_s=30) == Finished([1])


@pytest.mark.parametrize("inherited", ["", ":", "/one::/two:"])
def test_a_stand_in_adds_no_empty_folder_to_where_libraries_are_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inherited: str
) -> None:
    monkeypatch.setattr(stand_in, "build_stand_in", lambda _: Path("/built"))
    monkeypatch.setenv("LD_LIBRARY_PATH", inherited)
    searched = stand_in.StandIn(shipped_device("h200")).environment(tmp_path)["LD_LIBRARY_PATH"].split(":")
    assert searched == ["/built", *(["/one", "/two"] if "one" in inherited else [])]


@pytest.mark.parametrize(("ending", "text"), [("SIGKILL", "died of signal SIGKILL"), ("exit", "died of exit code 3: last words")])
def test_a_child_that_dies_is_told_with_its_signal_or_code_and_last_words(ending: str, text: str) -> None:
    result = run_in_child(f"{CHILDREN}:dying", ending, deadline_s=30)
    assert isinstance(result, Crashed)
    assert str(result) == text


def test_a_child_and_what_it_started_are_killed_at_the_deadline(tmp_path: Path) -> None:
    start = time.monotonic()
    result = run_in_child(f"{CHILDREN}:spinning", str(tmp_path / "pids"), deadline_s=5)
    assert isinstance(result, TimedOut)
    assert str(result) == "killed after 5 s"
    assert time.monotonic() - start < 15
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    assert all(gone(pid) for pid in pids)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent died")
def test_a_child_dies_with_its_parent(tmp_path: Path) -> None:
    call = f"run_in_child('{CHILDREN}:spinning', {str(tmp_path / 'pids')!r}, deadline_s=60)"
    code = f"from megasolve.gpu.children.child import run_in_child; {call}"
    inherited = {**environment(), "PYTHONPATH": os.pathsep.join([environment()["PYTHONPATH"], str(CHECKOUT)])}
    with subprocess.Popen([sys.executable, "-c", code], env=inherited) as parent:
        pids = waited_for(tmp_path / "pids")
        parent.send_signal(signal.SIGKILL)
    assert gone(pids[0])
    os.kill(pids[1], signal.SIGKILL)


def waited_for(path: Path) -> list[int]:
    end = time.monotonic() + 300
    while not path.exists() or len(path.read_text().split()) < 2:
        assert time.monotonic() < end
        time.sleep(0.02)
    return [int(pid) for pid in path.read_text().split()]


def gone(pid: int) -> bool:
    """Whether the process ends soon; one that is dead but not yet collected by its new parent counts."""
    end = time.monotonic() + 300
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False
