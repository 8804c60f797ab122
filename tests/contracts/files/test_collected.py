"""Findings that are equal are one with a count; all others stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import check_paths
from tests.support.disk.files import RECORD_HEAD, RECORD_LINE, codes, write, write_study

UNTIMED = RECORD_LINE.replace('"tool": "a timer", ', "")


def test_1340_equal_findings_of_a_file_are_one_with_a_count(tmp_path: Path) -> None:
    report = check_paths([write(tmp_path, "records.jsonl", RECORD_HEAD + 1340 * UNTIMED)])
    (finding,) = report.findings
    assert (finding.rule.code, finding.count, report.count(finding.severity)) == ("REC-04", 1340, 1340)
    assert (finding.place.line, [one.place.line for one in finding.also[:3]]) == (2, [3, 4, 5])
    assert finding.times == "  (1,340 times, also on lines 3, 4, 5, ...)"


@pytest.mark.parametrize(("repeats", "listed"), [(1, 1), (3, 3), (4, 1)])
def test_a_few_equal_findings_are_lines_of_their_own(tmp_path: Path, repeats: int, listed: int) -> None:
    assert len(check_paths([write(tmp_path, "records.jsonl", RECORD_HEAD + repeats * UNTIMED)]).findings) == listed


def test_equal_findings_of_two_files_are_told_of_each(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path, f"{name}.jsonl", RECORD_HEAD + 5 * UNTIMED)
    assert [(Path(one.place.file).name, one.count) for one in check_paths([tmp_path]).findings] == [("a.jsonl", 5), ("b.jsonl", 5)]


def test_a_name_that_is_proposed_only_at_first_is_the_same_finding(tmp_path: Path) -> None:
    spec = write_study(tmp_path)
    (tmp_path / "records.yaml").unlink()
    lines = (
        RECORD_LINE.replace('"group": "P"', '"group": "p"').replace('"duration_us": 12.5', f'"duration_us": {n}') for n in range(1, 202)
    )
    write(tmp_path, "records.jsonl", RECORD_HEAD + "".join(lines))
    text = Path(spec).read_text().replace("records.yaml", "records.jsonl")
    report = check_paths([write(tmp_path, "small.yaml", text)])
    (finding,) = (one for one in report.findings if one.rule.code == "REC-10")
    assert (finding.count, finding.message.endswith("did you mean 'P'?")) == (201, True)


def test_different_findings_beyond_the_first_thousand_are_not_taken_for_equal_ones(tmp_path: Path) -> None:
    odd = UNTIMED.replace('"date": "2026-10-19"', '"date": "2026-02-30"')
    report = check_paths([write(tmp_path, "records.jsonl", RECORD_HEAD + 1340 * UNTIMED + 7 * odd)])
    assert codes(report.findings) == ["REC-04"]
    assert (report.findings[0].count, sum(report.further.values())) == (1347, 7)
