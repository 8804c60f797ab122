"""Records of a stand-in for the hardware: refused as measurements, allowed on demand, and never called anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import CheckFailed, check_paths, check_spec, checked, load_spec
from tests.support.disk.files import RECORDS, codes, write_study

FAKE = RECORDS.replace('date: "2026-10-19"', 'date: "2026-10-19", fake: true')


def test_a_run_on_a_stand_in_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    spec = write_study(tmp_path, records=FAKE)
    assert codes(check_paths([spec]).findings) == ["REC-05"]
    with pytest.raises(CheckFailed) as caught:
        check_spec(spec)
    assert codes(caught.value.findings) == ["REC-05"]
    study, findings = check_spec(spec, allow_simulated_hardware=True)
    assert findings == ()
    assert load_spec(spec, allow_simulated_hardware=True).records == study.records


def test_what_was_only_read_is_refused_or_allowed_alike_when_it_is_checked(tmp_path: Path) -> None:
    spec = write_study(tmp_path, records=FAKE)
    with pytest.raises(CheckFailed) as caught:
        checked(load_spec(spec))
    assert codes(caught.value.findings) == ["REC-05"]
    assert checked(load_spec(spec, allow_simulated_hardware=True)) == check_spec(spec, allow_simulated_hardware=True)[0]


def test_allowing_them_allows_nothing_else(tmp_path: Path) -> None:
    spec = write_study(tmp_path, records=FAKE.replace("batch: 1\n", "batch: 1\n    beside: other work\n"))
    with pytest.raises(CheckFailed) as caught:
        check_spec(spec, allow_simulated_hardware=True)
    assert codes(caught.value.findings) == ["REC-06"]


def test_what_ran_on_a_stand_in_is_labelled_so_whatever_its_kind(tmp_path: Path) -> None:
    for records, label in ((FAKE, "simulated-hardware"), (RECORDS, "measured")):
        study = load_spec(write_study(tmp_path, records=records), allow_simulated_hardware=True)
        assert [record.provenance.label for record in study.records[0].value.records] == [label]
