"""Checking files and folders: everything found, each file once, in a fixed order."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import megasolve.contracts
from megasolve.contracts import RULES, CheckIncomplete, RuleKind, Severity, UnknownDevice, UnreadableFile, check_paths
from tests.support.disk.files import CONTRACT, DEVICE, RECORD_HEAD, RECORD_LINE, RECORDS, SPEC, codes, write, write_study

TOO_WIDE = CONTRACT.replace("[132, 88]", "[100000]")


def test_a_valid_study_is_clean_and_every_file_of_it_counts(tmp_path: Path) -> None:
    report = check_paths([write_study(tmp_path)])
    assert report.findings == ()
    assert report.files_checked == 4


def test_a_folder_is_searched_for_files_that_are_not_hidden(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yml", "deep/c.yaml", ".hidden/d.yaml", ".e.yaml", "f.txt"):
        write(tmp_path, name, CONTRACT)
    write(tmp_path, "g.jsonl", RECORD_HEAD + RECORD_LINE)
    assert check_paths([tmp_path]).files_checked == 4


def test_a_file_reached_twice_is_read_and_reported_once(tmp_path: Path) -> None:
    write_study(tmp_path, contract=CONTRACT + "titel: x\n")
    write(tmp_path, "second.yaml", SPEC.replace("name: small", "name: second"))
    (tmp_path / "linked.yaml").symlink_to(tmp_path / "contracts" / "talker.yaml")
    report = check_paths([tmp_path, tmp_path / "small.yaml", tmp_path / "contracts"])
    assert codes(report.findings) == ["SCH-01"]
    assert report.files_checked == 5


def test_limits_of_a_contract_shared_by_specs_are_reported_once(tmp_path: Path) -> None:
    write_study(tmp_path, contract=TOO_WIDE)
    write(tmp_path, "second.yaml", SPEC.replace("name: small", "name: second"))
    limits = [finding for finding in check_paths([tmp_path]).findings if finding.rule.kind is RuleKind.LIMIT]
    assert len(limits) == 1


def test_findings_come_by_file_line_column_and_code(tmp_path: Path) -> None:
    write(tmp_path, "b.yaml", CONTRACT.replace("512", "x") + "titel: x\n")
    write(tmp_path, "a.yaml", CONTRACT + "titel: x\n")
    places = [(Path(finding.place.file).name, finding.place.line) for finding in check_paths([tmp_path]).findings]
    assert places == [("a.yaml", 9), ("b.yaml", 6), ("b.yaml", 9)]


def test_the_report_does_not_depend_on_the_order_of_paths(tmp_path: Path) -> None:
    paths = [write(tmp_path, f"{name}.yaml", CONTRACT + f"titel: {name}\n") for name in "cab"]
    assert check_paths(paths) == check_paths(reversed(paths))


def test_yaml_of_other_tools_is_a_warning_in_a_folder_and_an_error_by_name(tmp_path: Path) -> None:
    write(tmp_path, "ours.yaml", CONTRACT)
    foreign = write(tmp_path, "workflow.yaml", "on: push\njobs: {build: {}, build: {}}\n")
    (searched,) = check_paths([tmp_path]).findings
    assert (searched.rule.code, searched.severity) == ("SCH-06", Severity.WARNING)
    named = check_paths([foreign]).findings
    assert [(finding.rule.code, finding.severity) for finding in named] == [("SCH-06", Severity.ERROR), ("YML-02", Severity.ERROR)]


def test_yaml_of_other_tools_that_a_spec_names_is_an_error(tmp_path: Path) -> None:
    write_study(tmp_path, contract="on: push\n")
    (finding,) = check_paths([tmp_path]).findings
    assert (finding.rule.code, finding.severity) == ("SCH-06", Severity.ERROR)


def test_a_folder_without_any_file_to_check_is_unreadable(tmp_path: Path) -> None:
    write(tmp_path, "notes.txt", "x")
    with pytest.raises(UnreadableFile, match="holds no file to check"):
        check_paths([tmp_path])


def test_an_unreadable_file_does_not_hide_what_is_wrong_elsewhere(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", "")
    write(tmp_path, "b.yaml", CONTRACT + "titel: x\n")
    with pytest.raises(CheckIncomplete, match=r"a\.yaml: is empty") as caught:
        check_paths([tmp_path])
    assert codes(caught.value.report.findings) == ["SCH-01"]


def test_a_contract_alone_is_checked_for_limits_only_with_a_device(tmp_path: Path) -> None:
    contract, device = write(tmp_path, "talker.yaml", TOO_WIDE), write(tmp_path, "h100.yaml", DEVICE)
    assert check_paths([contract]).findings == ()
    assert check_paths([contract], device=device).findings[0].rule.kind is RuleKind.LIMIT


def test_a_fault_of_the_wanted_device_is_reported(tmp_path: Path) -> None:
    contract, device = write(tmp_path, "talker.yaml", CONTRACT), write(tmp_path, "h100.yaml", DEVICE + "smz: 3\n")
    assert codes(check_paths([contract], device=device).findings) == ["SCH-01"]


def test_an_unknown_wanted_device_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnknownDevice):
        check_paths([write(tmp_path, "talker.yaml", CONTRACT)], device="nothing-like-it")


def test_rules_between_files_look_at_what_stands_of_each(tmp_path: Path) -> None:
    records = RECORDS.replace("entries: [talker]", "entries: [stranger]")
    assert codes(check_paths([write_study(tmp_path / "whole", records=records)]).findings) == ["REC-11"]
    other_key = write_study(tmp_path / "other_key", records=records, contract=CONTRACT + "titel: x\n")
    assert codes(check_paths([other_key]).findings) == ["SCH-01", "REC-11"]


@pytest.mark.parametrize("entry", ["entry: [stranger]", "entyr: stranger", "entry: talker\nentry: stranger", "entry: !x talker"])
def test_nothing_is_said_that_depends_on_a_value_that_nobody_knows(tmp_path: Path, entry: str) -> None:
    records = RECORDS.replace("entries: [talker]", "entries: [stranger]")
    spec = write_study(tmp_path, records=records, contract=CONTRACT.replace("entry: talker", entry))
    assert "REC-11" not in codes(check_paths([spec]).findings)


@pytest.mark.parametrize("text", ["megasolve: contract/v1\nentry: [", "megasolve: contract/v2\n", "entry: stranger\n"])
def test_nothing_is_said_that_depends_on_a_file_that_nobody_can_read(tmp_path: Path, text: str) -> None:
    spec = write_study(tmp_path, records=RECORDS.replace("entries: [talker]", "entries: [stranger]"))
    assert "REC-11" in codes(check_paths([spec]).findings)
    write(tmp_path, "contracts/other.yaml", text)
    assert "REC-11" not in codes(check_paths([spec]).findings)


def test_every_rule_has_its_own_code_and_name() -> None:
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)
    assert list(RULES) == sorted(RULES, key=lambda rule: rule.code)


def test_the_front_door_is_sorted_and_complete() -> None:
    names = megasolve.contracts.__all__
    constants = sorted(name for name in names if name.isupper())
    classes = sorted(name for name in names if not name.isupper() and name[0].isupper())
    functions = sorted(name for name in names if name[0].islower())
    assert names == [*constants, *classes, *functions]
    assert all(hasattr(megasolve.contracts, name) for name in names)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_name_that_is_not_unicode_is_read(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"talker\xff.yaml")
    path.write_text(CONTRACT)
    assert check_paths([path]).files_checked == 1
