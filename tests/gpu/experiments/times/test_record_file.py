"""The records file: one writer, whole lines, and nothing that was finished is ever lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from megasolve.cli.outputs.output import write_file
from megasolve.contracts import Record, Severity, read_document
from megasolve.contracts.scaffold import records_json_lines
from megasolve.gpu.experiments.times.record_file import RecordFile, records_in
from megasolve.gpu.harness.files.lines_file import LinesFileRefused
from tests.support.command import CHECKOUT, environment
from tests.support.disk.record_writers import record
from tests.support.standin.measuring import lines_of

KILLS = 6


def nothing(_: Record) -> bool:
    return False


def add(path: Path, *records: Record) -> None:
    with RecordFile(path) as held:
        for one in records:
            held.add(one, nothing)


def test_a_new_file_begins_with_its_head_and_gets_a_line_for_each_record(tmp_path: Path) -> None:
    path = tmp_path / "new/records.jsonl"
    add(path, record(1), record(2))
    assert [line["batch"] for line in lines_of(path)] == [1, 2]
    document, findings = read_document(path)
    assert document is not None
    assert document.value.records == (record(1), record(2))
    assert [finding for finding in findings if finding.severity is Severity.ERROR] == []


def test_a_file_in_which_nothing_was_written_goes_and_an_empty_one_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    add(path)
    assert not path.exists()
    path.touch()
    assert records_in(path) == ()
    add(path, record(1))
    assert records_in(path) == (record(1),)


def test_what_is_there_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    add(path, record(1))
    before = path.read_bytes()
    add(path, record(2))
    assert path.read_bytes().startswith(before)
    assert records_in(path) == (record(1), record(2))


def test_a_last_line_without_an_end_never_happened(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    add(path, record(1), record(2))
    whole = path.read_bytes()
    for cut in (1, 40, len(whole.splitlines()[-1])):
        path.write_bytes(whole[:-cut])
        add(path, record(3))
        assert [line["batch"] for line in lines_of(path)] == [1, 3]


def test_a_head_without_an_end_never_happened_either(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(b'{"megasolve": "rec')
    add(path, record(1))
    assert [line["batch"] for line in lines_of(path)] == [1]


def test_a_record_takes_the_place_of_those_that_it_replaces(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    add(path, record(1), record(2), record(3))
    kept = path.read_bytes().splitlines(keepends=True)
    with RecordFile(path) as held:
        held.add(record(2, us="99"), lambda other: other.batch == 2)
        held.add(record(4), nothing)
        assert [one.batch for one in held.records] == [1, 3, 2, 4]
    assert path.read_bytes().splitlines(keepends=True)[:3] == [kept[0], kept[1], kept[3]]
    assert records_in(path) == (record(1), record(3), record(2, us="99"), record(4))
    assert [file.name for file in tmp_path.iterdir()] == ["records.jsonl"]


def test_only_one_writer_has_the_file_also_after_it_was_replaced(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with RecordFile(path) as held:
        for batch in (1, 1):
            held.add(record(batch), lambda other: other.batch == 1)
            with pytest.raises(LinesFileRefused, match="is being written by another measurement"):
                RecordFile(path)
    add(path, record(2))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"megasolve": "records/v1"}\n{"group": "L"}\n', "SCH-"),
        (b'{"megasolve": "records/v1"}\nnot json\n{}\n', "is not a complete JSON object"),
        (b'{"megasolve": "measured/v2"}\n', "records/v1"),
        (b"\xff\xfe\n", "UTF-8"),
    ],
)
def test_a_file_that_holds_something_else_is_refused_and_left_alone(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(content)
    with pytest.raises(LinesFileRefused, match=message):
        RecordFile(path)
    assert path.read_bytes() == content


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "records.jsonl"
    add(path, record(1))
    before = path.read_bytes()
    write = os.write
    with RecordFile(path) as held:
        # The disk is full after ten bytes.
        monkeypatch.setattr(os, "write", lambda descriptor, content: write(descriptor, content[:10]))
        with pytest.raises(OSError, match="is the disk full"):
            held.add(record(2), nothing)
        assert path.read_bytes() == before
        with pytest.raises(OSError, match="is the disk full"):
            held.add(record(1, us="9"), lambda other: other.batch == 1)
        monkeypatch.undo()
        assert path.read_bytes() == before
        held.add(record(3), nothing)
    assert [line["batch"] for line in lines_of(path)] == [1, 3]


@pytest.mark.parametrize("mode", ["append", "replace"])
def test_a_writer_that_is_killed_at_any_moment_loses_nothing_that_it_finished(tmp_path: Path, mode: str) -> None:
    path, draw = tmp_path / "records.jsonl", random.Random(7)
    finished: dict[int, int] = {}
    for _ in range(KILLS):
        command = [sys.executable, "-m", "tests.support.disk.record_writers", str(path), *(["replace"] if mode == "replace" else [])]
        inherited = {**environment(), "PYTHONPATH": os.pathsep.join([environment()["PYTHONPATH"], str(CHECKOUT)])}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=inherited, cwd=CHECKOUT) as writer:
            assert writer.stdout is not None
            said = [writer.stdout.readline()]
            time.sleep(draw.uniform(0, 0.05))
            writer.send_signal(signal.SIGKILL)
            said += writer.stdout.readlines()
        for line in said:
            if line.endswith(b"\n"):
                batch, number = map(int, line.split())
                finished[batch] = number
        held = {one.batch: one.time_ps for one in records_in(path)}
        assert all(held[batch] >= number * 10**6 for batch, number in finished.items())
    with RecordFile(path) as again:
        assert len(again.records) == len({one.batch for one in again.records})
    assert lines_of(path)
    assert [file.name for file in tmp_path.iterdir()] == ["records.jsonl"]


def replaced(path: Path) -> None:
    write_file(path, records_json_lines((record(7),)).encode())


def grown(path: Path) -> None:
    path.write_bytes(path.read_bytes() + records_json_lines((record(7),)).encode().splitlines(keepends=True)[1])


@pytest.mark.parametrize(("meddle", "what"), [(replaced, "replaced"), (Path.unlink, "removed"), (grown, "changed")])
def test_a_file_that_others_meddle_with_is_noticed_before_the_next_record(
    tmp_path: Path, meddle: Callable[[Path], None], what: str
) -> None:
    path = tmp_path / "records.jsonl"
    with RecordFile(path) as held:
        held.add(record(1), nothing)
        meddle(path)
        left = path.read_bytes() if path.exists() else None
        for replaces in (nothing, lambda _: True):
            with pytest.raises(LinesFileRefused, match=f"was {what} by somebody else while this run wrote it"):
                held.add(record(2), replaces)
        assert len(held.records) == 1
    assert (path.read_bytes() if path.exists() else None) == left
    assert [one.name for one in tmp_path.iterdir()] == ([] if left is None else [path.name])


def test_a_writer_that_wrote_nothing_removes_no_file_of_another(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with RecordFile(path):
        replaced(path)
    assert len(records_in(path)) == 1


def test_a_name_is_no_pattern(tmp_path: Path) -> None:
    other = tmp_path / ".h1.jsonl.999.part"
    other.write_text("another run's")
    with RecordFile(tmp_path / "h[1].jsonl") as held:
        held.add(record(1), nothing)
    assert other.exists()
