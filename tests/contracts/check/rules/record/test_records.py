"""Rules of a record alone, in the turns that its accepted and rejected files do not show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.disk.rule_files import RECORDS, changed, check_text, codes_of


def test_a_record_without_any_time_is_refused(tmp_path: Path) -> None:
    (finding,) = check_text(tmp_path, changed(RECORDS, ("    duration_us: 100\n", "")))
    assert finding == "REC-01 a record without a time; give duration_us or samples_us, exactly one of the two"


def test_every_faulty_record_of_a_file_is_reported(tmp_path: Path) -> None:
    record = RECORDS[RECORDS.index("  - group") :]
    broken = record.replace("    duration_us: 100\n", "    beside: codec\n")
    assert codes_of(check_text(tmp_path, RECORDS + broken + record + broken)) == ["REC-01", "REC-06", "REC-01", "REC-06"]


@pytest.mark.parametrize(("kind", "is_refused"), [("measured", True), ("profiled", True), ("tile-simulated", False)])
def test_only_a_claim_to_the_hardware_can_be_faked(tmp_path: Path, kind: str, is_refused: bool) -> None:
    provenance = f"{{kind: {kind}, source: invented, tool: events, date: 2026-11-04, fake: true}}"
    findings = check_text(tmp_path, changed(RECORDS, ("{kind: published, source: invented}", provenance)))
    assert codes_of(findings) == (["REC-05"] if is_refused else [])
