"""The measured file: whole lines by one writer, and never runs of a stand-in among those of a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import Measured, MeasuredRun, read_document
from megasolve.gpu.harness.files.lines_file import LinesFileRefused
from megasolve.gpu.harness.files.measured_file import MeasuredFile


def run(session: str = "one", *, fake: bool = False) -> MeasuredRun:
    provenance = {"kind": "measured", "source": "a bench", "tool": "cuda events", "date": "2026-11-04"}
    values = {
        "session": session,
        "batch": 4,
        "precision": "bf16",
        "device": "gpu",
        "qualified": True,
        "composition": {"candidate": "m:P@serial", "entries": (("P",),), "samples_us": (412.500001,), "places": (1,)},
        "provenance": {**provenance, **({"fake": True} if fake else {})},
    }
    return MeasuredRun.model_validate(values, by_alias=True, by_name=False)


def runs_in(path: Path) -> tuple[MeasuredRun, ...]:
    document, findings = read_document(path)
    assert findings == ()
    assert document is not None
    assert isinstance(document.value, Measured)
    return document.value.runs


def test_runs_are_added_line_by_line_and_read_back_exactly(tmp_path: Path) -> None:
    target = tmp_path / "folder" / "runs.jsonl"
    with MeasuredFile(target, fake=False) as file:
        file.add(run("one"))
        assert runs_in(target) == (run("one"),)
        file.add(run("two"))
    with MeasuredFile(target, fake=False) as file:
        assert file.runs == (run("one"), run("two"))
        file.add(run("three"))
    assert runs_in(target) == (run("one"), run("two"), run("three"))
    assert target.read_text().count("measured/v1") == 1


def test_what_a_killed_writer_left_is_cut_and_the_rest_stays(tmp_path: Path) -> None:
    target = tmp_path / "runs.jsonl"
    with MeasuredFile(target, fake=False) as file:
        file.add(run("one"))
    with target.open("a") as torn:
        torn.write('{"session": "tw')
    with MeasuredFile(target, fake=False) as file:
        file.add(run("three"))
    assert runs_in(target) == (run("one"), run("three"))


def test_a_file_has_one_writer_at_a_time(tmp_path: Path) -> None:
    target = tmp_path / "runs.jsonl"
    with MeasuredFile(target, fake=False), pytest.raises(LinesFileRefused, match="is being written by another measurement"):
        MeasuredFile(target, fake=False)
    MeasuredFile(target, fake=False).close()


@pytest.mark.parametrize("fake", [False, True])
def test_runs_of_a_gpu_and_of_a_stand_in_never_share_a_file(tmp_path: Path, fake: bool) -> None:
    target = tmp_path / "runs.jsonl"
    with MeasuredFile(target, fake=fake) as file:
        file.add(run(fake=fake))
    with pytest.raises(LinesFileRefused, match="write them to another file with -o"):
        MeasuredFile(target, fake=not fake)
    MeasuredFile(target, fake=fake).close()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"megasolve": "records/v1"}\n', "is no measured file"),
        ('{"megasolve": "measured/v1"}\n{"batch": 1}\n', "missing key"),
        ('{"megasolve": "records/v1"}\n{"group": "B"', "is no measured file"),
        ("my own notes", "does not begin as a file of megasolve does; write to another file with -o"),
    ],
)
def test_a_file_that_is_not_ours_is_left_alone(tmp_path: Path, text: str, message: str) -> None:
    target = tmp_path / "runs.jsonl"
    target.write_text(text)
    with pytest.raises(LinesFileRefused, match=message):
        MeasuredFile(target, fake=False)
    assert target.read_text() == text
