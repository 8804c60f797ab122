"""The script that checks a GPU: tried out as it is, on the stand-in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from megasolve.contracts import Severity, check_paths
from tests.support.command import CHECKOUT
from tests.support.disk.small_specs import CONSUMER_CTAS, PRODUCER_CTAS, write_small_spec
from tests.support.toolchain import needs_no_driver, needs_stand_in

SCRIPT = CHECKOUT / "gpu" / "device_check.sh"
SPLIT = f"{PRODUCER_CTAS}/{CONSUMER_CTAS}"
pytestmark = pytest.mark.skipif(shutil.which("bash") is None or sys.platform != "linux", reason="needs bash, on Linux")


def device_check(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHON": sys.executable, **environment}
    return subprocess.run([str(SCRIPT), *words], capture_output=True, text=True, check=False, cwd="/", env=variables)


def test_the_script_is_well_formed_and_says_how_it_is_used() -> None:
    assert subprocess.run(["bash", "-n", str(SCRIPT)], check=False).returncode == 0
    shown = device_check("--help")
    assert shown.returncode == 0
    assert shown.stdout.splitlines()[3].strip() == (
        "gpu/device_check.sh [--backend cpu] [--quick] [--dry-run] [--spec FILE] [--device NAME] [--split X/Y] [RESULTS]"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--fast",), "unknown option --fast; see --help"),
        (("--backend", "tpu"), "--backend tpu: it is gpu or cpu"),
        (("--split",), "--split needs a value; see --help"),
        (("--spec", "absent.yaml"), "there is no spec absent.yaml"),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...], message: str) -> None:
    refused = device_check(*words)
    assert (refused.returncode, refused.stderr) == (2, f"device_check: {message}\n")


def test_a_dry_run_prints_every_command_and_runs_none(tmp_path: Path) -> None:
    done = device_check("--dry-run", str(tmp_path / "results"))
    assert done.returncode == 0, done.stderr
    parts = ("guards", "--entry=P ", "--entry=C_tanh", "--co-run=", "--candidate=")
    commands = [line for line in done.stdout.splitlines() if line.startswith(sys.executable)]
    assert tuple(next(part for part in parts if part in line) for line in commands) == parts
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["versions.txt"]


@needs_no_driver
def test_without_a_gpu_it_stops_and_says_what_is_missing(tmp_path: Path) -> None:
    stopped = device_check(str(tmp_path))
    assert stopped.returncode == 1
    assert "guards: no NVIDIA driver: " in stopped.stderr
    assert stopped.stderr.endswith("device_check: stopped: there is nothing to run on (above)\n")


def test_without_packages_it_says_what_would_help(tmp_path: Path) -> None:
    stopped = device_check(str(tmp_path), PYTHON="", PATH=f"{_tools(tmp_path / 'tools')}")
    assert stopped.returncode == 1
    assert "set PYTHON to a Python that has megasolve[gpu]" in stopped.stderr


def _tools(folder: Path) -> Path:
    """Make a folder with the tools of the script, and a python3 that can make nothing."""
    folder.mkdir()
    for tool in ("bash", "env", "dirname", "mkdir", "sed"):
        (folder / tool).symlink_to(shutil.which(tool) or tool)
    (folder / "python3").write_text("#!/bin/sh\nexit 1\n")
    (folder / "python3").chmod(0o755)
    return folder


@needs_stand_in
def test_the_whole_check_runs_on_the_stand_in_and_ends_with_its_tables(tmp_path: Path) -> None:
    spec, results = write_small_spec(tmp_path), tmp_path / "results"
    words = ("--backend", "cpu", "--quick", "--spec", str(spec), "--device", "small", "--split", SPLIT)
    done = device_check(*words, str(results))
    assert done.returncode == 0, done.stderr + done.stdout
    assert sorted(path.name for path in results.iterdir()) == [
        *("candidates.txt", "co_runs.txt", "guards.txt", "records.jsonl", "records.txt", "runs.jsonl", "table.txt", "versions.txt"),
    ]
    table = (results / "table.txt").read_text()
    assert "held    two cooperative grids meet: 6 of 6 CTAs met, on 4 and 2 SMs, of which 0 are the same" in table
    assert "held    a kernel leaves at the stop word: gave up: CTA " in table
    assert f"m:P/m:B+L/m:C@dynamic:{SPLIT}" in table
    assert "wrote 2 runs to " in table
    errors = [finding for finding in check_paths([results / "runs.jsonl"]).findings if finding.severity is Severity.ERROR]
    assert errors == []
