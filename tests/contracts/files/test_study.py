"""Studies: what a spec names, resolved beside it, each file once."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import CheckFailed, UnknownDevice, UnreadableFile, load_spec, load_study, shipped_specs
from tests.support.disk.files import CONTRACT, DEVICE, RECORDS, SPEC, codes, write, write_study


def test_a_study_holds_the_files_that_its_spec_names(tmp_path: Path) -> None:
    study = load_spec(write_study(tmp_path))
    assert study.spec.value.name == "small"
    assert study.device.value.name == "h100"
    assert [document.value.entry for document in study.contracts] == ["talker"]
    assert [document.file for document in study.records] == [str(tmp_path / "records.yaml")]


def test_names_are_relative_to_the_folder_of_the_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_study(tmp_path / "specs")
    monkeypatch.chdir(tmp_path)
    study = load_spec("specs/small.yaml")
    assert study.contracts[0].file == "specs/contracts/talker.yaml"


def test_contracts_are_sorted_by_file_whatever_the_order_of_patterns(tmp_path: Path) -> None:
    spec = write_study(tmp_path, spec=SPEC.replace("contracts/*.yaml", "contracts/*.yaml, contracts/a*.yaml"))
    write(tmp_path, "contracts/another.yaml", CONTRACT.replace("entry: talker", "entry: another"))
    study, findings = load_study(spec)
    assert findings == ()
    assert study is not None
    assert [document.value.entry for document in study.contracts] == ["another", "talker"]


def test_a_pattern_that_matches_nothing_is_found_at_its_line(tmp_path: Path) -> None:
    study, findings = load_study(write_study(tmp_path, spec=SPEC.replace("[records.yaml]", "[records.yaml, absent/*.yaml]")))
    assert study is None
    assert codes(findings) == ["FIL-02"]
    assert (findings[0].place.line, findings[0].place.column) == (10, 25)


def test_a_pattern_that_names_a_folder_is_told_what_to_write(tmp_path: Path) -> None:
    _, findings = load_study(write_study(tmp_path, spec=SPEC.replace("[contracts/*.yaml]", "[contracts]")))
    assert "'contracts/*.yaml'" in findings[0].message


def test_a_file_of_another_kind_is_found_at_the_pattern(tmp_path: Path) -> None:
    _, findings = load_study(write_study(tmp_path, spec=SPEC.replace("[records.yaml]", "[records.yaml, h100.yaml]")))
    assert codes(findings) == ["FIL-03"]
    assert "is a device/v1 file, expected records/v1" in findings[0].message


def test_a_contract_given_as_a_spec_is_of_the_wrong_kind(tmp_path: Path) -> None:
    with pytest.raises(CheckFailed) as caught:
        load_spec(write(tmp_path, "talker.yaml", CONTRACT))
    assert codes(caught.value.findings) == ["FIL-03"]


@pytest.mark.parametrize("name", ["h1000.yaml", "h1000", "a/h100.yaml"])
def test_an_unknown_device_is_found_at_its_line(tmp_path: Path, name: str) -> None:
    _, findings = load_study(write_study(tmp_path, spec=SPEC.replace("h100.yaml", name)))
    assert codes(findings) == ["FIL-01"]
    assert findings[0].place.line == 3


def test_a_bare_device_name_is_looked_up_beside_the_spec_first(tmp_path: Path) -> None:
    spec = write_study(tmp_path, spec=SPEC.replace("h100.yaml", "h100_nvl"))
    write(tmp_path, "devices/h100_nvl.yaml", DEVICE.replace("name: h100", "name: ours"))
    study, _ = load_study(spec)
    assert study is not None
    assert study.device.value.name == "ours"


def test_a_bare_device_name_is_looked_up_among_the_shipped_ones_next(tmp_path: Path) -> None:
    study, findings = load_study(write_study(tmp_path, spec=SPEC.replace("h100.yaml", "h100_nvl")))
    assert findings == ()
    assert study is not None
    assert study.device.file == str(shipped_specs() / "devices" / "h100_nvl.yaml")


def test_another_device_is_chosen_by_name_or_path(tmp_path: Path) -> None:
    spec = write_study(tmp_path, spec=SPEC.replace("device: h100.yaml", "device: h100.yaml\nother_devices: [two.yaml]"))
    two = write(tmp_path, "two.yaml", DEVICE.replace("name: h100", "name: second"))
    for wanted in ("second", two):
        study, _ = load_study(spec, device=wanted)
        assert study is not None
        assert study.device.value.name == "second"
        assert "h100" in [other.value.name for other in study.other_devices]


def test_an_unknown_wanted_device_is_an_error_with_the_nearest_name(tmp_path: Path) -> None:
    spec = write_study(tmp_path)
    write(tmp_path, "devices/turbo9.yaml", DEVICE)
    with pytest.raises(UnknownDevice, match="did you mean 'turbo9'"):
        load_study(spec, device="turbo8")
    with pytest.raises(UnknownDevice, match="is a spec/v1 file, not a device"):
        load_study(spec, device=spec)


def test_findings_of_every_file_are_collected(tmp_path: Path) -> None:
    spec = write_study(tmp_path, contract=CONTRACT.replace("512", "x"), records=RECORDS.replace("12.5", "x"))
    with pytest.raises(CheckFailed) as caught:
        load_spec(spec)
    assert codes(caught.value.findings) == ["SCH-03", "SCH-05"]


def test_an_unreadable_file_of_a_study_is_named(tmp_path: Path) -> None:
    spec = write_study(tmp_path, contract="")
    with pytest.raises(UnreadableFile, match=r"talker\.yaml: is empty"):
        load_spec(spec)


def test_limits_of_the_device_do_not_block_a_study(tmp_path: Path) -> None:
    study = load_spec(write_study(tmp_path, device=DEVICE.replace("sms: 132", "sms: 8").replace("ctas_per_sm: 32", "ctas_per_sm: 1")))
    assert study.device.value.sms == 8


def test_a_study_is_the_same_on_every_reading(tmp_path: Path) -> None:
    spec = write_study(tmp_path)
    assert load_spec(spec) == load_spec(spec)


def test_a_device_name_that_begins_several_is_answered_with_all_of_them(tmp_path: Path) -> None:
    with pytest.raises(UnknownDevice, match="did you mean 'h100_nvl' or 'h100_sxm'"):
        load_study(write_study(tmp_path), device="H100_")


@pytest.mark.parametrize(("key", "old"), [("device", "h100.yaml"), ("contracts", "[contracts/*.yaml]"), ("records", "[records.yaml]")])
def test_a_name_of_thousands_of_characters_is_cut_in_its_finding(tmp_path: Path, key: str, old: str) -> None:
    long = "y" * 20_000
    changed = SPEC.replace(f"{key}: {old}", f"{key}: {f'[{long}]' if old.startswith('[') else long}")
    _, findings = load_study(write_study(tmp_path, spec=changed))
    assert findings
    assert all(len(finding.message) < 600 for finding in findings)
