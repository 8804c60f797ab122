"""`megasolve trace` and `explain --timeline`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import megasolve

SPEC = "specs/worked_example.yaml"
NOTHING = """\
megasolve: spec/v1
name: nothing
device: h100_nvl
precision: bf16
batches: [1]
groups: [{name: P, role: admission}]
publication: {group: P}
contracts: []
records: []
"""


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])


def test_a_trace_goes_to_a_file_or_to_stdout_and_is_the_same(tmp_path: Path) -> None:
    target = tmp_path / "trace.json"
    assert megasolve("trace", SPEC, "best", "-o", str(target)).exit_code == 0
    assert target.read_text(encoding="utf-8") == megasolve("trace", SPEC, "best").stdout
    assert json.loads(target.read_text(encoding="utf-8"))["otherData"]["spec"] == "worked_example"


@pytest.mark.parametrize("names", [("best", "m:nothing@serial"), ("x",)])
def test_an_unknown_id_is_said_and_nothing_is_written(tmp_path: Path, names: tuple[str, ...]) -> None:
    target = tmp_path / "trace.json"
    result = megasolve("trace", SPEC, *names, "-o", str(target))
    assert (result.exit_code, result.stdout, target.exists()) == (1, "", False)
    assert f"no candidate has the id {names[-1]!r}" in result.stderr


def test_a_folder_that_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    result = megasolve("trace", SPEC, "best", "-o", str(tmp_path / "none" / "t.json"))
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_explain_draws_behind_all_else_and_takes_best_for_an_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    plain, drawn = megasolve("explain", SPEC, "best"), megasolve("explain", SPEC, "best", "--timeline")
    assert drawn.stdout.startswith(plain.stdout)
    tracks = drawn.stdout.removeprefix(plain.stdout).splitlines()
    assert tracks[1] == "what runs when:"
    assert len(tracks[2]) == 70


def test_a_drawing_is_no_json() -> None:
    result = megasolve("explain", SPEC, "best", "--timeline", "--format", "json")
    assert result.exit_code == 2
    assert "--timeline draws in characters" in result.stderr


def test_a_profile_stands_beside_the_schedule(tmp_path: Path) -> None:
    profile = tmp_path / "trace_of_mine.json"
    kernel = {"ph": "X", "cat": "kernel", "name": "k", "ts": 5, "dur": 2, "args": {"device": 0, "stream": 7}}
    profile.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [kernel]}), encoding="utf-8")
    events = json.loads(megasolve("trace", SPEC, "best", "--profile", str(profile)).stdout)["traceEvents"]
    (shown,) = (event for event in events if event["name"] == "k")
    assert (shown["pid"], shown["ts"], shown["dur"]) == (2, 0, 2)


def test_a_file_that_is_no_profile_is_refused(tmp_path: Path) -> None:
    result = megasolve("trace", SPEC, "best", "--profile", SPEC, "-o", str(tmp_path / "t.json"))
    assert result.exit_code == 2
    assert result.stderr == f"Error: {SPEC}: is a YAML file of megasolve, not a profile\n"


def test_tiles_are_asked_for_where_nothing_was_derived() -> None:
    result = megasolve("trace", SPEC, "best", "--tiles")
    assert result.exit_code == 0
    assert "no tiles to show" in result.stderr


@pytest.mark.parametrize("words", [("trace",), ("explain", "--timeline"), ("explain", "--format", "json")])
def test_where_nothing_is_feasible_there_is_no_best(tmp_path: Path, words: tuple[str, ...]) -> None:
    spec = tmp_path / "nothing.yaml"
    spec.write_text(NOTHING, encoding="utf-8")
    command, *options = words
    result = megasolve(command, str(spec), "best", *options)
    said = "Error: nothing is feasible at batch 1, so no candidate is the best; megasolve SPEC says what excludes each\n"
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", said)
