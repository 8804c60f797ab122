"""What a file asks to be left out: with a reason, where it is found, and only what plans can go on with."""

from __future__ import annotations

from pathlib import Path

from megasolve.contracts import check_paths, check_spec
from tests.support.disk.files import CONTRACT, RECORD_HEAD, RECORD_LINE, RECORDS, SPEC, codes, write, write_study

UNUSED = RECORDS.replace("batch: 1", "batch: 7")
WISH = 'ignore: [{rule: REC-15, because: "for later"}]\n'


def test_a_warning_is_left_out_of_the_file_that_asks_so_and_counted(tmp_path: Path) -> None:
    report = check_paths([write_study(tmp_path, records=UNUSED + WISH)])
    assert report.findings == ()
    assert [(one.finding.rule.code, one.because) for one in report.ignored] == [("REC-15", "for later")]


def test_a_file_leaves_nothing_out_of_another_one(tmp_path: Path) -> None:
    report = check_paths([write_study(tmp_path, records=UNUSED, spec=SPEC + WISH)])
    assert codes(report.findings) == ["REC-15", "IGN-01"]


def test_a_path_leaves_out_what_stands_at_it_and_below(tmp_path: Path) -> None:
    def left(at: str) -> list[str]:
        wish = f'ignore: [{{rule: REC-15, at: "{at}", because: "for later"}}]\n'
        return codes(check_paths([write_study(tmp_path, records=UNUSED + wish)]).findings)

    assert left("records[0]") == left("records[0].batch") == left("records") == []
    assert left("records[1]") == left("records[0].bat") == ["REC-15", "IGN-01"]


def test_the_head_of_json_lines_may_ask_too(tmp_path: Path) -> None:
    spec = write_study(tmp_path, spec=SPEC.replace("records.yaml", "records.jsonl"))
    head = RECORD_HEAD.replace("}", ', "ignore": [{"rule": "REC-15", "because": "for later"}]}')
    write(tmp_path, "records.jsonl", head + 1340 * RECORD_LINE.replace('"batch": 1', '"batch": 7').replace("12.5", "13"))
    report = check_paths([spec])
    assert codes(report.findings) == ["REC-21"]
    assert sum(one.finding.count for one in report.ignored) == 1340


def test_a_launch_that_a_device_cannot_hold_may_be_left_out(tmp_path: Path) -> None:
    wish = 'ignore: [{rule: LIM-12, because: "for the next device"}]\n'
    spec = write_study(tmp_path, contract=CONTRACT.replace("[132, 88]", "[100000, 132]") + wish)
    assert codes(check_paths([spec]).findings) == []
    assert codes(check_spec(spec)[1]) == []


def test_what_plans_stop_on_is_not_left_out(tmp_path: Path) -> None:
    wish = 'ignore: [{rule: REC-10, because: "it is right"}]\n'
    report = check_paths([write_study(tmp_path, records=RECORDS.replace("group: P", "group: Q") + wish)])
    assert {"REC-10", "IGN-01"} <= set(codes(report.findings))
    assert "REC-10 cannot be ignored here" in next(one.message for one in report.findings if one.rule.code == "IGN-01")


def test_a_reason_is_asked_for(tmp_path: Path) -> None:
    assert codes(check_paths([write_study(tmp_path, records=UNUSED + "ignore: [{rule: REC-15}]\n")]).findings) == ["REC-15", "SCH-02"]


def test_a_code_that_no_rule_has_is_found_in_a_file_alone_and_a_rule_between_files_is_not(tmp_path: Path) -> None:
    def said(code: str) -> list[str]:
        return codes(check_paths([write(tmp_path, "talker.yaml", CONTRACT + f"ignore: [{{rule: {code}, because: x}}]\n")]).findings)

    assert (said("ABC-99"), said("REC-15"), said("rec-15")) == (["IGN-01"], [], ["SCH-04"])
