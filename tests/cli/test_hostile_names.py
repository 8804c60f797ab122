"""Texts whose writer means harm, in every place of a study that may hold text: whatever a command prints of them moves no terminal."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import CHECKOUT, megasolve
from tests.support.profiles.kineto_traces import annotation, call, kernel, trace_text
from tests.support.profiles.step_traces import GPU

MARKUP = "</script><img src=x onerror=alert(1)>|](javascript:alert(1))"
CONTROL = "a\x1b[2J\x1b]0;owned\x07b\x9bc\x7fd\x00e\u2028f\r\ng\x08"
COMMAND = "::error file=x::y\n##[error]z"
BACKWARDS = "\u202edrowssap\u2066\u05d0\u200f\u05d1"
NAME = f"{MARKUP}{CONTROL}{BACKWARDS}\n{COMMAND}".ljust(4_000, "x")
"""What a name may be that its reader did not choose: markup, orders to a terminal or to a log, letters in disorder, and no end."""

PLAN, TRACED, IDS = "plan.yaml", "traced.yaml", ("m:P/m:B+L/m:C@serial", "m:P/m:B+L/m:C@dynamic:88/44")
VARIED = "records[group=B,budget=88].duration_us"
# With which exit code each ends.
COMMANDS: dict[tuple[str, ...], int] = {
    ("solve", PLAN, "--variants", "--entries", "--all"): 0,
    ("solve", PLAN, "--set", f"{VARIED}=5000"): 0,
    ("solve", PLAN, "--solve-for", VARIED): 0,
    ("solve", PLAN, "--format", "csv"): 0,
    ("solve", PLAN, "--format", "markdown"): 0,
    ("solve", TRACED): 0,
    ("solve", "trace.json"): 2,
    ("solve", PLAN, "other.yaml"): 2,
    ("explain", PLAN, "best"): 0,
    ("explain", PLAN, "best", "--timeline"): 0,
    ("explain", PLAN, NAME): 1,
    ("explain", TRACED, "best"): 0,
    ("table", PLAN): 0,
    ("table", PLAN, "--format", "csv"): 0,
    ("table", TRACED): 0,
    ("headroom", TRACED): 0,
    ("headroom", TRACED, "--format", "csv"): 0,
    ("headroom", TRACED, "--format", "markdown"): 0,
    ("headroom", "trace.json"): 0,
    ("sweep", PLAN, "--vary", f"{VARIED}=3000..6000/3"): 0,
    ("sweep", PLAN, "--format", "csv"): 0,
    ("sweep", PLAN, "--format", "markdown"): 0,
    ("sweep", PLAN, "--robust"): 0,
    ("evaluate", PLAN, "runs.csv"): 0,
    ("evaluate", PLAN, "runs.csv", "--format", "csv"): 0,
    ("evaluate", PLAN, "runs.csv", "--format", "markdown"): 0,
    ("evaluate", PLAN, "runs.csv", "--plan", "frozen.json"): 0,
    ("measure", "streamlet.yaml", "--group", "C", "--batch", "1", "--backend", "cpu", "--dry-run"): 0,
    ("diff", "frozen.json", "changed.json"): 0,
    ("import", "trace.json"): 0,
    ("new", "again.yaml", "--from", "trace.json"): 0,
    ("check", PLAN, "faulty.yaml"): 1,
    ("check", "faulty.yaml", "--format", "github"): 1,
    ("check", "faulty.yaml", "--format", "junit"): 1,
    ("check", "faulty.yaml", "--statistics"): 1,
    ("check", "faulty.yaml", "--diff"): 1,
    ("trace", PLAN, "best", "--profile", "trace.json"): 0,
}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the worked example, every free text of which is hostile, with a trace of hostile kernels, and plans of both."""
    folder, text = tmp_path_factory.mktemp("hostile"), json.dumps(NAME)
    specs = CHECKOUT / "specs"
    shutil.copytree(specs / "worked_example", folder / "worked_example")
    shutil.copytree(specs / "streamlet", folder / "streamlet")
    titled = f"title: {text}\nnotes: {text}\noutside: [{{what: {text}, because: {text}, time_us: 3}}]\n"
    spec = _between(specs / "worked_example.yaml", "title:", "device:", titled).replace(
        "role: admission", f"role: admission, title: {text}"
    )
    lines = (specs / "devices/h100_nvl.yaml").read_text(encoding="utf-8").splitlines()
    device = "\n".join(f"title: {text}" if line.startswith("title:") else line for line in lines)
    trace = trace_text(*_events(), deviceProperties=[GPU])
    rows = [f"{one},32,block,{run},{time}" for one in IDS for run, time in enumerate((28000, 29000))]
    written = {
        PLAN: spec.replace("device: h100_nvl", "device: gpu.yaml"),
        "faulty.yaml": spec.replace("batches: [32]", f"batches: [32, 32, {text}]\n{json.dumps(NAME[:200])}: 1"),
        "other.yaml": spec.replace("device: h100_nvl", f"device: {text}"),
        "gpu.yaml": f"{device}\n",
        "streamlet.yaml": _between(specs / "streamlet.yaml", "title:", "device:", f"title: {text}\nnotes: {text}\n"),
        "trace.json": trace,
        "runs.csv": "\n".join(("candidate,batch,block,run,time_us", *rows, "")),
    }
    for name, content in written.items():
        (folder / name).write_text(content, encoding="utf-8")
    for contract in (folder / "worked_example/contracts").iterdir():
        added = f"title: {text}\nnotes: {text}\nobserved: {{kernels: [{text}]}}\n"
        contract.write_text(contract.read_text(encoding="utf-8") + added, encoding="utf-8")
    records = folder / "worked_example/records.yaml"
    sourced = records.read_text(encoding="utf-8").replace('source: "arXiv 2610.35336, section IV-E; the parts are ours"', f"source: {text}")
    records.write_text(sourced.replace("records/v1\n", f"records/v1\ntitle: {text}\n"), encoding="utf-8")
    plan = str(folder / PLAN)
    for words in (
        ("solve", plan, "-o", str(folder / "frozen.json")),
        ("solve", plan, "--set", f"{VARIED}=3100", "-o", str(folder / "changed.json")),
        ("new", str(folder / TRACED), "--from", str(folder / "trace.json")),
    ):
        assert megasolve(*words).exit_code == 0, words
    return folder


def _between(file: Path, begin: str, end: str, instead: str) -> str:
    """Return the text of *file* with what stands from *begin* to *end* replaced."""
    text = file.read_text(encoding="utf-8")
    return text[: text.index(begin)] + instead + text[text.index(end) :]


def _events() -> Iterator[dict[str, Any]]:
    """Yield three steps of two kernels each, both of which are called something hostile."""
    for step in range(3):
        yield annotation(f"ProfilerStep#{step}", 100 * step, 90)
        for number, (name, at, lasts) in enumerate(((NAME, 10, 10), (f"second{NAME}", 21, 2))):
            correlation = 10 * step + number + 1
            yield call("cudaLaunchKernel", 100 * step + 1 + number, correlation)
            yield kernel(name, 100 * step + at, lasts, correlation=correlation)


@pytest.mark.parametrize(("words", "exit_code"), COMMANDS.items())
def test_nothing_that_is_printed_moves_a_terminal(
    study: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], exit_code: int
) -> None:
    monkeypatch.chdir(study)
    result = megasolve(*words)
    printed = result.stdout + result.stderr
    assert result.exit_code == exit_code, printed
    assert [char for char in printed if not char.isprintable() and char != "\n"] == []
    assert [line for line in printed.splitlines() if line.startswith("::error file=x") or "##[error]" in line] == []
    if "markdown" in words:
        assert "<img" not in printed
        assert "](javascript" not in printed
