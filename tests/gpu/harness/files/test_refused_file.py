"""Samples that are not accepted stay to be looked at, and are evidence nowhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from megasolve.contracts import check_paths, load_spec
from megasolve.gpu.harness.acceptance import Verdict
from megasolve.gpu.harness.files import refused_file
from megasolve.gpu.harness.files.lines_file import LinesFile
from megasolve.gpu.harness.files.refused_file import keep_refused
from megasolve.gpu.harness.results import BlockResult
from tests.support.command import megasolve
from tests.support.standin.measuring import write_small
from tests.support.standin.timed import device_facts, samples, timed, wanted_of

BROKEN = (Verdict("scatter", False, "samples scatter by 9.0%"),)
RAW_US = (100.0, 150.5, 90.25)


def keep(folder: Path) -> Path | None:
    study = load_spec(write_small(folder / "spec"))
    result = BlockResult(device_facts(), {"driver": "13"})
    return keep_refused(folder / "records.jsonl", wanted_of(study, "L"), timed(samples(RAW_US)), result, BROKEN, tool="a test")


def test_samples_stand_beside_their_verdict_one_line_for_each(tmp_path: Path) -> None:
    path = keep(tmp_path)
    assert path == keep(tmp_path) == tmp_path / "refused.jsonl"
    head, *lines = map(json.loads, path.read_text().splitlines())
    assert head == {"megasolve": "refused/v1"}
    assert [(one["raw_us"], one["rules"][0]["rule"], one["tool"]) for one in lines] == [(list(RAW_US), "scatter", "a test")] * 2


def test_a_file_that_cannot_be_written_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "refused.jsonl").mkdir()
    assert keep(tmp_path) is None
    (tmp_path / "refused.jsonl").rmdir()
    monkeypatch.setattr(refused_file, "_PATIENCE_S", 0.1)
    with LinesFile(tmp_path / "refused.jsonl"):
        assert keep(tmp_path) is None


def test_no_wildcard_and_no_search_takes_them_for_records(tmp_path: Path) -> None:
    spec = write_small(tmp_path, records='["records/*.jsonl"]')
    (tmp_path / "records").mkdir()
    (tmp_path / "records/measured.jsonl").write_text('{"megasolve": "records/v1"}\n')
    before = [str(finding) for finding in check_paths([tmp_path]).findings]
    (tmp_path / "records/refused.jsonl").write_text('{"megasolve": "refused/v1"}\n{"group": "L"}\n')
    assert [str(finding) for finding in check_paths([tmp_path]).findings] == before
    assert [Path(document.file).name for document in load_spec(spec).records] == ["measured.jsonl"]


def test_records_are_never_added_to_the_file_of_what_is_refused(tmp_path: Path) -> None:
    done = megasolve("measure", str(write_small(tmp_path)), "--backend", "cpu", "-o", str(tmp_path / "refused.jsonl"))
    assert done.exit_code == 2
    assert "refused.jsonl keeps samples that are not accepted; choose another name" in done.stderr
    assert not (tmp_path / "refused.jsonl").exists()
