"""Many specs: lines of JSON, the same bytes whoever works, and nothing that is finished is lost or done again."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from megasolve.report.shapes.failure import FailureShape
from megasolve.report.shapes.result import ResultShape
from tests.support.command import CHECKOUT, environment, megasolve
from tests.support.dask_cluster import local_dask
from tests.support.disk.derived_files import write_steps
from tests.support.disk.many_specs import BATCHES, write_many
from tests.support.toolchain import needs_dask

SPECS = 40
linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc, and are copies of this one")

# Runs the command again and again in copies of itself, so that loading takes no time, and kills it each time that the store holds so many
# results.
KILLER = """
import os, signal, sys, time
from pathlib import Path
import megasolve.solver.optimize.solving, megasolve.solver.search.model, megasolve.cli.solve
from megasolve.cli import main
store, moments, *words = sys.argv[1:]

def kept():
    return sum(1 for _ in Path(store).glob("??/*.json"))

def start():
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        main(words)
    return child

child = start()
for moment in map(int, moments.split(",")):
    while kept() < moment:
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print(kept(), flush=True)
    child = start()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
# Those that work for this process are killed at their first attempt at some tasks, each before or after the work. A killer that watches
# from outside would now and then take the second attempt as well, and that is told as a failure.
DYING = """
import functools, os, signal, sys
from pathlib import Path
from megasolve.cli import main
from megasolve.solver.optimize.studies import planning, solving
flags, here, deadly, plan = Path(sys.argv[1]), os.getpid(), set(sys.argv[2].split(",")), planning.planned

@functools.wraps(plan)
def planned(task):
    name = f"{Path(task.file).stem}-{task.batch}"
    dies = name in deadly and os.getpid() != here and not (flags / name).exists()
    found = None if dies and task.batch % 2 else plan(task)
    if dies:
        (flags / name).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return found

planning.planned = solving.planned = planned
main(sys.argv[3:])
"""


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_many(tmp_path_factory.mktemp("specs"), SPECS)


@pytest.fixture(scope="module")
def alone(specs: list[str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """What one process says of all specs."""
    found = megasolve("solve", *specs, "--jobs", "1", "--store", str(tmp_path_factory.mktemp("alone")))
    assert (found.exit_code, found.stderr) == (0, "")
    return found.stdout


def run(program: Sequence[str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *program, *words]
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment(), cwd=CHECKOUT)


def stored(store: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in store.glob("??/*.json")}


def test_every_batch_of_every_spec_is_a_line_in_the_order_asked(alone: str) -> None:
    lines = list(map(json.loads, alone.splitlines()))
    names = [f"step{number}" for number in range(1, SPECS + 1)]
    assert [(line["spec"], line["results"][0]["batch"]) for line in lines] == [(name, batch) for name in names for batch in BATCHES]
    assert ResultShape.model_validate_json(alone.splitlines()[0]).spec == "step1"


def test_a_line_is_the_json_of_that_batch_alone(specs: list[str], alone: str) -> None:
    whole = megasolve("solve", specs[2], "--batch", "5", "--format", "json")
    assert json.loads(alone.splitlines()[2 * len(BATCHES) + 4]) == json.loads(whole.stdout)
    assert megasolve("solve", specs[2], "--batch", "5", "--format", "jsonl", "--no-cache").stdout == alone.splitlines()[24] + "\n"


def test_two_processes_say_the_same_to_the_byte_and_the_store_goes_on_where_it_ended(specs: list[str], alone: str, tmp_path: Path) -> None:
    beside = run(["-m", "megasolve.cli"], *specs, "--jobs", "2", "--store", str(tmp_path / "store"))
    assert (beside.returncode, beside.stdout == alone, beside.stderr) == (0, True, "")
    kept = stored(tmp_path / "store")
    assert len(kept) == SPECS * len(BATCHES)
    again = megasolve("solve", *specs, "--jobs", "1", "--store", str(tmp_path / "store"), "--resume")
    assert (again.exit_code, again.stdout == alone, again.stderr) == (0, True, "")
    assert stored(tmp_path / "store") == kept


@needs_dask
def test_a_cluster_says_the_same_to_the_byte(specs: list[str], alone: str, tmp_path: Path) -> None:
    with local_dask() as dask:
        found = run(["-m", "megasolve.cli"], *specs, "--dask", dask.address, "--store", str(tmp_path))
        # Relative paths are those of whoever asks: the workers run in another folder.
        command = [sys.executable, "-m", "megasolve.cli", *(Path(spec).name for spec in specs[:2]), "--dask", dask.address, "--no-cache"]
        near = subprocess.run(command, check=False, capture_output=True, text=True, env=environment(), cwd=Path(specs[0]).parent)
        steps = write_steps(tmp_path)
        derived: dict[tuple[str, ...], subprocess.CompletedProcess[str]] = {}
        # What other commands have a cluster do is to derive times.
        for words in (("table", steps, "-f", "json"), ("explain", steps, "m:D@serial", "--batch", "8"), ("solve", steps)):
            derived[words] = run(["-m", "megasolve.cli"], *words, "--no-cache", "--dask", dask.address)
    assert (near.returncode, len(near.stdout.splitlines()), near.stderr) == (0, 2 * len(BATCHES), "")
    assert (found.returncode, found.stdout == alone, found.stderr) == (0, True, "")
    assert len(stored(tmp_path)) == SPECS * len(BATCHES)
    for asked, answer in derived.items():
        assert (answer.returncode, answer.stdout, answer.stderr) == (0, megasolve(*asked, "--no-cache", "--jobs", "1").stdout, "")


@linux
def test_processes_that_are_killed_at_ten_tasks_cost_a_line_and_no_result(specs: list[str], alone: str, tmp_path: Path) -> None:
    (flags := tmp_path / "flags").mkdir()
    # The first tasks are done before any process is started.
    deadly = sorted(f"step{spec:02}-{batch}" for spec, batch in zip(range(4, SPECS + 1, 4), BATCHES, strict=True))
    words = [*specs, "--jobs", "2", "--store", str(tmp_path / "store"), "-o", str(tmp_path / "lines.jsonl")]
    found = run(["-c", DYING, str(flags), ",".join(deadly)], *words)
    assert found.stderr == "Warning: a process that worked beside this one was killed by SIGKILL; its task is done again\n"
    assert (found.returncode, found.stdout) == (0, "")
    assert (tmp_path / "lines.jsonl").read_text() == alone
    assert sorted(path.name for path in flags.iterdir()) == deadly


@linux
def test_a_run_that_is_killed_at_ten_moments_loses_nothing_that_was_finished(specs: list[str], alone: str, tmp_path: Path) -> None:
    store = tmp_path / "store"
    moments = sorted(random.Random(6).sample(range(1, 400), 10))
    words = [*specs, "--jobs", "2", "--store", str(store), "--resume", "-o", str(tmp_path / "lines.jsonl")]
    found = run(["-c", KILLER, str(store), ",".join(map(str, moments))], *words)
    *counts, code = map(int, found.stdout.split())
    assert (code, found.stderr) == (0, "")
    # What was there at one end is there at the next, and each run did some of the rest.
    assert counts == sorted(counts)
    assert all(count >= moment for count, moment in zip(counts, moments, strict=True))
    assert (tmp_path / "lines.jsonl").read_text() == alone
    assert len(stored(store)) == SPECS * len(BATCHES)
    assert not [*store.rglob("*.part")]


def test_what_is_wrong_with_one_is_said_in_a_line_and_the_others_are_solved(specs: list[str], tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").touch()
    words = ("--batch", "2", "--no-cache")
    found = megasolve("solve", specs[0], "nowhere.yaml", str(tmp_path / "empty.yaml"), specs[1], *words)
    assert found.exit_code == 2
    assert found.stderr == f"Error: nowhere.yaml: no such file\nError: {tmp_path / 'empty.yaml'}: is empty\n"
    lines = list(map(json.loads, found.stdout.splitlines()))
    assert [line["megasolve"] for line in lines] == ["result/v1", "failure/v1", "failure/v1", "result/v1"]
    assert (lines[1]["file"], lines[1]["batch"], lines[1]["because"]) == ("nowhere.yaml", None, "nowhere.yaml: no such file")
    assert FailureShape.model_validate_json(found.stdout.splitlines()[1]).version == lines[0]["version"]


def test_nothing_feasible_is_an_answer_with_its_exit_code(specs: list[str]) -> None:
    found = megasolve("solve", *specs[:2], "--batch", "1", "--where", "first_publication_us<=50", "--no-cache")
    assert (found.exit_code, found.stderr) == (1, "")
    assert [json.loads(line)["results"][0]["best"] for line in found.stdout.splitlines()] == [["c:S@serial"], []]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-f", "csv"), "several specs give JSON lines: leave out --format csv, or name one spec"),
        (("--solve-for", "x"), "--solve-for is of one spec, in another form than JSON lines"),
        (("-",), "JSON lines are of files: a spec from stdin is solved alone, in another form"),
        (("--dask", "tcp://127.0.0.1:1", "--jobs", "2"), "--jobs is of this machine, and --dask of a cluster: say one of them"),
        (("--resume", "--no-cache"), "--resume needs a store, and --no-cache leaves the default one alone: name one with --store"),
    ],
)
def test_what_makes_no_sense_together_is_refused(specs: list[str], words: tuple[str, ...], message: str) -> None:
    found = megasolve("solve", *specs[:2], *words)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.endswith(f"Error: {message}\n")


def test_a_store_is_of_lines(specs: list[str], tmp_path: Path) -> None:
    found = megasolve("solve", specs[0], "--store", str(tmp_path))
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.endswith("Error: --store and --resume keep JSON lines: say --format jsonl, or name several specs\n")


def test_a_store_of_another_version_is_refused_in_one_line(specs: list[str], tmp_path: Path) -> None:
    (tmp_path / "megasolve-store.json").write_text('{"megasolve": "store/v1", "version": "0.0.7"}\n')
    found = megasolve("solve", *specs[:2], "--store", str(tmp_path), "--resume")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.startswith(f"Error: the store {tmp_path} was written by 0.0.7, and this is ")
    assert found.stderr.count("\n") == 1


def test_lines_replace_lines_and_nothing_else(specs: list[str], tmp_path: Path) -> None:
    output = tmp_path / "lines.jsonl"
    words = ("--batch", "1", "--no-cache", "-o", str(output))
    assert megasolve("solve", "nowhere.yaml", specs[0], *words).exit_code == 2
    assert megasolve("solve", *specs[:2], *words).exit_code == 0
    assert len(output.read_text().splitlines()) == 2
    output.write_text("dear diary\n")
    found = megasolve("solve", *specs[:2], *words)
    assert (found.exit_code, output.read_text()) == (2, "dear diary\n")
    assert megasolve("solve", *specs[:2], "--no-cache", "-o", specs[0]).exit_code == 2


@needs_dask
@pytest.mark.parametrize("address", ["nowhere", "foo://127.0.0.1:8786"])
def test_an_address_at_which_no_scheduler_can_be_is_said_in_one_line(specs: list[str], address: str) -> None:
    found = run(["-m", "megasolve.cli"], *specs[:2], "--dask", address)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith(f"Error: --dask: no scheduler of Dask answers at {address}: ")
    assert found.stderr.count("\n") == 1


def test_a_terminal_shows_how_many_answers_are_left_and_then_nothing(specs: list[str]) -> None:
    master, slave = os.openpty()
    command = [sys.executable, "-m", "megasolve.cli", *specs[:2], "--batch", "1", "--batch", "2", "--jobs", "1", "--no-cache"]
    told = {**environment(), "TERM": "xterm"}
    process = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=slave, env=told, cwd=CHECKOUT)
    os.close(slave)
    shown = os.read(master, 1 << 16).decode()
    os.close(master)
    assert process.stdout.count(b"\n") == 4
    parts = shown.split("\r")
    assert parts[1] == "planning [------------------------] 2 of 2 left\x1b[K"
    assert any(part.startswith("planning [############------------] 2 of 4 left, about ") for part in parts)
    assert parts[-1] == "\x1b[K"
