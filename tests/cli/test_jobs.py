"""Times side by side: the same bytes, progress for who watches, and an end that leaves no process and loses nothing that was done."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.command import CHECKOUT, environment, megasolve
from tests.support.disk.derived_files import write_steps

# Starting processes costs nothing here, so that small specs do it; those that were started first do what a test asks of them.
PROGRAM = """
import os, signal, sys, time
from megasolve.cli import main
from megasolve.solver.evidence import tasks
from megasolve.solver.pool import pool
pool.SECONDS_TO_START = dict.fromkeys(pool.SECONDS_TO_START, 0)
derive, here = tasks.derive, os.getpid()
def derived(*asked):
    if os.getpid() != here:
        {elsewhere}
    return derive(*asked)
tasks.derive = derived
main(sys.argv[1:])
"""
DEATH = "a process that worked beside this one was killed by SIGKILL"
AGAIN = f"Warning: {DEATH}; its task is done again\n"
KILLED = f"{AGAIN}Warning: {DEATH}; what is left is done in this process alone, which takes longer\n".encode()
linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc, and are copies of this one")


@pytest.fixture
def steps(tmp_path: Path) -> str:
    return write_steps(tmp_path)


def command(*words: str, elsewhere: str = "pass") -> list[str]:
    return [sys.executable, "-c", PROGRAM.format(elsewhere=elsewhere), *words]


def done(*words: str, elsewhere: str = "pass") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command(*words, elsewhere=elsewhere), check=False, capture_output=True, env=environment(), cwd=CHECKOUT)


@contextmanager
def at_work(*words: str) -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    """Start a command whose first time is derived, and whose others never will be; yield it with the processes that try."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command(*words, elsewhere="time.sleep(600)"), stdout=pipe, stderr=pipe, env=environment()) as process:
        try:
            yield process, children(process.pid, 2)
        finally:
            process.kill()


def children(pid: int, count: int) -> list[int]:
    while True:
        found = [*map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
        if len(found) == count:
            return found
        time.sleep(0.02)


def wait_for_the_end_of(processes: list[int]) -> None:
    deadline = time.monotonic() + 300
    while any(Path(f"/proc/{one}").exists() and "Z (zombie)" not in Path(f"/proc/{one}/status").read_text() for one in processes):
        assert time.monotonic() < deadline, "a process was left behind"
        time.sleep(0.02)


def test_batches_of_one_spec_are_planned_side_by_side_to_the_same_bytes() -> None:
    asked = ("solve", "specs/nh_tts.yaml", "--no-cache")
    alone, beside = (done(*asked, "--jobs", jobs) for jobs in ("1", "3"))
    assert alone.returncode == 0
    assert (beside.returncode, beside.stdout, beside.stderr) == (0, alone.stdout, b"")


@pytest.mark.parametrize("words", [("solve",), ("table", "-f", "json"), ("explain", "m:D@serial", "--batch", "8")])
def test_the_result_is_the_same_for_any_number_of_jobs(steps: str, words: tuple[str, ...]) -> None:
    name, *others = words
    alone = megasolve(name, steps, *others, "--no-cache", "--jobs", "1")
    assert alone.exit_code == 0
    beside = done(name, steps, *others, "--no-cache", "--jobs", "3")
    assert (beside.returncode, beside.stdout.decode(), beside.stderr) == (0, alone.stdout, b"")


@pytest.mark.parametrize(
    "words",
    [
        ("sweep", "specs/nh_tts.yaml", "--robust", "--draws", "20"),
        ("sweep", "specs/nh_tts.yaml", "--batch", "1", "--batch", "32", "--vary", "device.launch.graph.gap_us=0.5..1.5/2"),
        ("evaluate", "specs/nh_tts.yaml", "specs/nh_tts/published_totals.csv"),
        ("sweep", "STEPS"),
        ("sweep", "STEPS", "--vary", "symbols.layers=1..5/2"),
    ],
)
def test_plans_of_a_sweep_and_of_an_evaluation_are_the_same_for_any_number_of_jobs(
    steps: str, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(CHECKOUT)
    asked = [steps if word == "STEPS" else word for word in words]
    alone = megasolve(*asked, "--no-cache", "--jobs", "1", "-f", "json")
    assert alone.exit_code == 0, alone.stderr
    beside = done(*asked, "--no-cache", "--jobs", "2", "-f", "json")
    assert (beside.returncode, beside.stdout.decode(), beside.stderr) == (0, alone.stdout, b"")


def test_what_is_derived_side_by_side_is_kept_as_what_is_not(steps: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = []
    for jobs in ("1", "3"):
        folder = tmp_path / f"cache{jobs}"
        monkeypatch.setenv("MEGASOLVE_CACHE_DIR", str(folder))
        assert done("table", steps, "--jobs", jobs).returncode == 0
        kept.append({file.name: file.read_bytes() for file in folder.rglob("*.json")})
    assert kept[0] == kept[1] != {}


@pytest.mark.parametrize("name", ["solve", "table"])
@pytest.mark.parametrize(
    ("jobs", "message"),
    [
        ("0", "0 is not in the range x>=1"),
        ("-1", "-1 is not in the range x>=1"),
        ("abc", "'abc' is not a valid integer range"),
        ("1.5", "'1.5' is not a valid integer range"),
        ("", "'' is not a valid integer range"),
    ],
)
def test_jobs_are_a_number_of_at_least_one(steps: str, name: str, jobs: str, message: str) -> None:
    refused = megasolve(name, steps, "--jobs", jobs)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.endswith(f"Error: Invalid value for '--jobs': {message}.\n")


@linux
def test_processes_that_die_cost_lines_and_time_but_no_result(steps: str) -> None:
    found = done("table", steps, "--jobs", "2", elsewhere="os.kill(os.getpid(), signal.SIGKILL)")
    assert (found.returncode, found.stdout.decode(), found.stderr) == (0, megasolve("table", steps, "--no-cache").stdout, KILLED)


@linux
def test_an_interrupt_keeps_what_is_done_and_leaves_no_process(steps: str, cache_folder: Path) -> None:
    with at_work("table", steps, "--jobs", "2") as (process, workers):
        kept = [*cache_folder.rglob("*.json")]
        process.send_signal(signal.SIGINT)
        told, said = process.communicate(timeout=300)
        wait_for_the_end_of(workers)
    assert (process.returncode, told, said) == (130, b"", b"interrupted\n")
    assert kept
    assert [*cache_folder.rglob("*.json")] == kept


@linux
def test_an_interrupt_from_the_keyboard_reaches_all_and_is_said_once(steps: str) -> None:
    pipe = subprocess.PIPE
    asked = command("table", steps, "--jobs", "2", elsewhere="time.sleep(600)")
    with subprocess.Popen(asked, stdout=pipe, stderr=pipe, env=environment(), start_new_session=True) as process:
        workers = children(process.pid, 2)
        os.killpg(process.pid, signal.SIGINT)
        told, said = process.communicate(timeout=300)
        wait_for_the_end_of(workers)
    assert (process.returncode, told, said) == (130, b"", b"interrupted\n")


@linux
@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_outlives_one_that_is_killed(steps: str, signum: signal.Signals) -> None:
    with at_work("table", steps, "--jobs", "2") as (process, workers):
        process.send_signal(signum)
        process.wait(300)
        wait_for_the_end_of(workers)
    assert process.returncode == -signum


@linux
def test_a_folder_that_cannot_be_written_costs_one_line(steps: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MEGASOLVE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    found = done("table", steps, "--jobs", "2")
    assert (found.returncode, found.stderr.count(b"\n")) == (0, 1)
    assert found.stderr.startswith(b"Warning: derived values are not kept: cannot write to ")
    assert found.stdout.decode() == megasolve("table", steps, "--no-cache").stdout


def test_a_broken_entry_of_the_cache_is_derived_again(steps: str, cache_folder: Path) -> None:
    whole = megasolve("table", steps).stdout
    kept = {file: file.read_bytes() for file in cache_folder.rglob("*.json")}
    for number, file in enumerate(sorted(kept)):
        file.write_bytes([b"", b"{", kept[file][:-20], b'{"megasolve": "cached/v1"}', b"\xff\x00"][number % 5])
    found = done("table", steps, "--jobs", "2")
    assert (found.returncode, found.stdout.decode(), found.stderr) == (0, whole, b"")
    assert {file: file.read_bytes() for file in cache_folder.rglob("*.json")} == kept


def on_a_terminal(*words: str, terminal: str) -> tuple[bytes, bytes]:
    """Return what a command writes to stdout, and to stderr, which is a terminal of this kind."""
    master, slave = os.openpty()
    told = {**environment(), "TERM": terminal}
    process = subprocess.run(command(*words), check=True, stdout=subprocess.PIPE, stderr=slave, env=told, cwd=CHECKOUT)
    os.close(slave)
    try:
        return process.stdout, os.read(master, 1 << 16)
    except OSError:
        return process.stdout, b""
    finally:
        os.close(master)


def test_a_terminal_shows_how_many_times_are_left_and_then_nothing(steps: str) -> None:
    shown, told = on_a_terminal("table", steps, "--no-cache", "--jobs", "2", terminal="xterm")
    assert shown.decode() == megasolve("table", steps).stdout
    lines = told.decode().split("\r")
    assert lines[1] == "calibrating [------------------------] 1 of 1 left\x1b[K"
    assert lines[3] == "deriving times [------------------------] 5 of 5 left\x1b[K"
    assert lines[4].startswith("deriving times [####--------------------] 4 of 5 left, about ")
    assert lines[-1] == "\x1b[K"


def test_a_terminal_without_control_sequences_is_sent_none(steps: str) -> None:
    told = on_a_terminal("table", steps, "--no-cache", terminal="dumb")[1]
    # Where deriving takes more than ten seconds, there are whole lines, and nothing else.
    assert re.fullmatch(rb"((calibrating|deriving times): [0-5] of [15] left(, about \d+ s)? \.\.\.\r\n)*", told)


def test_what_is_at_hand_has_no_progress(steps: str) -> None:
    megasolve("table", steps)
    assert on_a_terminal("table", steps, terminal="xterm")[1] == b""
