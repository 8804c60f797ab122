"""Findings for code hosts: GitHub commands, SARIF and JUnit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from megasolve.contracts import CheckReport, Finding, IgnoredFinding, Place, Recurrence, Rule, Severity, UnreadableFile
from megasolve.report import check_github, check_json, check_junit, check_sarif, check_statistics, check_text, github_summary
from tests.support.command import CHECKOUT
from tests.support.disk.rule_answers import answer_to
from tests.support.disk.rule_files import REJECT, files_in

RULE = Rule("TST-01", "made-up", "A rule of this test.")


def finding(message: str = "wrong", *, file: str = "a.yaml", line: int = 1, severity: Severity = Severity.ERROR) -> Finding:
    return Finding(RULE, Place(file, line, 2), "$.x", message, severity, end_column=5)


def report_of(*findings: Finding) -> CheckReport:
    return CheckReport(findings, 3)


@pytest.fixture(scope="module")
def rejected() -> CheckReport:
    return CheckReport(tuple(sorted((one for file in files_in(REJECT) for one in _named_in_full(file)), key=lambda one: one.place)), 3)


def _named_in_full(file: Path) -> Iterator[Finding]:
    for one in answer_to(file).report.findings:
        yield replace(one, place=replace(one.place, file=str(file.parent / one.place.file)))


def test_a_text_finding_is_one_line_whatever_it_quotes() -> None:
    lines = check_text(report_of(finding("found 'a\nb\x1b[31m'"))).splitlines()
    assert lines == ["a.yaml:1:2: TST-01 found 'a\\nb\\x1b[31m'  [$.x]", "1 error, 0 warnings in 3 files"]


FLOOD = CheckReport(
    (finding(),), 3, further={(RULE, Severity.ERROR): 49_000, (Rule("TST-02", "other", "Another rule."), Severity.WARNING): 7}
)
NOT_LISTED = "... and 49,007 more findings, not listed: 49,000 of TST-01, 7 of TST-02"


def test_findings_that_are_not_listed_are_counted_in_every_form() -> None:
    assert check_text(FLOOD).splitlines()[1:] == [NOT_LISTED, "49,001 errors, 7 warnings in 3 files"]
    as_json = json.loads(check_json(FLOOD))
    assert (as_json["errors"], as_json["warnings"], len(as_json["findings"])) == (49_001, 7, 1)
    assert as_json["further"][0] == {"rule": "TST-01", "severity": "error", "findings": 49_000}
    assert "… and 49,007 more findings, the first 1,000 in the log below" in check_github(FLOOD)
    assert NOT_LISTED in github_summary(FLOOD)
    (notification,) = json.loads(check_sarif(FLOOD, "1.0"))["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"] == NOT_LISTED
    suite = ET.fromstring(check_junit(FLOOD))[0]
    assert suite.get("failures") == "49001"
    assert NOT_LISTED in [failure.get("message") for failure in suite.iter("failure")]


def test_a_warning_says_that_it_is_one() -> None:
    assert check_text(report_of(finding(severity=Severity.WARNING))).startswith("a.yaml:1:2: TST-01 warning: wrong  [$.x]\n")


def test_an_annotation_escapes_what_would_end_it() -> None:
    line = check_github(report_of(finding("50 % of\na, b: c", file="x,y:z%.yaml"))).splitlines()[0]
    assert line == "::error file=x%2Cy%3Az%25.yaml,line=1,col=2,endColumn=4,title=TST-01 made-up::50 %25 of%0Aa, b: c [$.x]"


@pytest.mark.parametrize("name", ["::add-mask::x.yaml", " ::stop-commands::x.yaml", "##[add-matcher]x.yaml", "a\n::error::x.yaml"])
def test_no_file_name_and_no_text_becomes_a_command_of_github(name: str) -> None:
    text = check_github(report_of(finding(f"found {name!r}", file=name), finding("\n::debug::x ##[debug]y")))
    annotations, log = text.splitlines()[:2], text.splitlines()[2:]
    assert all(line.startswith("::error file=") for line in annotations)
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in log)


def test_at_most_ten_errors_and_ten_warnings_are_annotated_errors_first() -> None:
    warnings = [finding(f"w{n}", file=f"a{n}.yaml", severity=Severity.WARNING) for n in range(12)]
    errors = [finding(f"e{n}", file=f"b{n}.yaml") for n in range(12)]
    lines = check_github(report_of(*warnings, *errors)).splitlines()
    kinds = [line.split()[0] for line in lines if line.startswith("::")]
    assert kinds == ["::error"] * 10 + ["::warning"] * 10
    assert "… and 4 more findings, all in the log below" in lines
    assert sum("TST-01" in line and not line.startswith("::") for line in lines) == 24


def test_the_summary_of_github_is_a_table_of_all_findings() -> None:
    text = github_summary(report_of(finding("a|b"), finding("c")))
    assert text.count("| TST-01 made-up |") == 2
    assert "a\\|b" in text


def test_sarif_of_every_rejected_file_is_valid(rejected: CheckReport, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    text = check_sarif(rejected, "1.2.3")
    run = Sarif.model_validate_json(text).runs[0]
    assert run.results is not None
    assert len(run.results) == len(rejected.findings) > 100
    told = json.loads(text)["runs"][0]
    assert told["columnKind"] == "unicodeCodePoints"
    rules = told["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in told["results"])
    assert all(rule["shortDescription"]["text"] for rule in rules)


def test_sarif_holds_no_path_of_this_machine(rejected: CheckReport, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    assert any(Path(one.place.file).is_absolute() for one in rejected.findings)
    for result in json.loads(check_sarif(rejected, "1"))["runs"][0]["results"]:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.startswith("tests/")


def test_a_fingerprint_survives_lines_above_it_and_is_unique() -> None:
    def fingerprints(*findings: Finding) -> list[str]:
        results = json.loads(check_sarif(report_of(*findings), "1"))["runs"][0]["results"]
        return [result["partialFingerprints"]["primaryLocationLineHash"] for result in results]

    twice = fingerprints(finding(line=3), finding(line=9))
    assert twice == fingerprints(finding(line=4), finding(line=10))
    assert len(set(twice)) == 2
    assert fingerprints(finding("other")) != twice[:1]


def test_an_odd_file_name_is_a_valid_uri() -> None:
    text = check_sarif(report_of(finding(file="./with space/µ#1.yaml")), "1")
    assert '"uri": "with%20space/%C2%B5%231.yaml"' in text


def test_junit_has_a_case_per_file_and_a_failure_per_error(rejected: CheckReport) -> None:
    suite = ET.fromstring(check_junit(rejected)).find("testsuite")
    assert suite is not None
    files = {one.place.file for one in rejected.findings}
    assert [case.get("file") for case in suite if case.get("file")] == sorted(files)
    assert len(list(suite.iter("failure"))) == int(suite.get("failures", "0")) == len(rejected.findings)
    assert int(suite.get("tests", "0")) == len(suite)
    assert all(f"{case.get('file')}:" in (failure.text or "") for case in suite for failure in case)


def test_junit_is_xml_whatever_a_finding_quotes() -> None:
    text = check_junit(report_of(finding("found '\x00 <&> \ud800'"), finding("w", severity=Severity.WARNING)))
    suite = ET.fromstring(text.encode()).find("testsuite")
    assert suite is not None
    assert len(list(suite.iter("failure"))) == 1
    assert len(list(suite.iter("system-out"))) == 1


UNREADABLE = CheckReport((finding(file="b.yaml"),), 1, (UnreadableFile("a.yaml", "is empty"),))


def test_an_unreadable_file_makes_a_sarif_run_unsuccessful() -> None:
    text = check_sarif(UNREADABLE, "1")
    (invocation,) = Sarif.model_validate_json(text).runs[0].invocations or []
    assert invocation.executionSuccessful is False
    (told,) = json.loads(text)["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert told["message"] == {"text": "is empty"}
    assert told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a.yaml"
    assert json.loads(check_sarif(report_of(), "1"))["runs"][0]["invocations"][0]["executionSuccessful"] is True


def test_an_unreadable_file_is_an_error_of_junit() -> None:
    suite = ET.fromstring(check_junit(UNREADABLE)).find("testsuite")
    assert suite is not None
    assert (suite.get("errors"), suite.get("failures"), suite.get("tests")) == ("1", "1", "2")
    assert [(case.get("file"), error.get("message")) for case in suite for error in case.iter("error")] == [("a.yaml", "is empty")]


def test_an_unreadable_file_is_annotated_and_stands_in_the_summary() -> None:
    assert check_github(UNREADABLE).startswith("::error file=a.yaml,title=unreadable::is empty\n::error file=b.yaml,")
    assert "| `a.yaml` | error | unreadable | is empty |" in github_summary(UNREADABLE)
    assert check_text(UNREADABLE).endswith("1 error, 0 warnings in 1 file, 1 path unreadable\n")


FOLDED = report_of(
    replace(finding(), count=1340, also=tuple(Recurrence(Place("a.yaml", line, 2), f"$.x[{line}]", 5) for line in range(2, 1000))),
    finding("other", line=7, severity=Severity.WARNING),
)


def test_a_finding_that_stands_for_several_says_how_many_in_every_form() -> None:
    times = "(1,340 times, also on lines 2, 3, 4, ...)"
    assert check_text(FOLDED).splitlines()[0].endswith(times)
    assert check_text(FOLDED).splitlines()[-1] == "1,340 errors, 1 warning in 3 files"
    annotations = check_github(FOLDED)
    assert times in annotations.splitlines()[0]
    assert "more finding" not in annotations
    assert times in github_summary(FOLDED)
    first, _ = json.loads(check_json(FOLDED))["findings"]
    assert (first["count"], first["also"][0]) == (1340, {"line": 2, "column": 2, "end_column": 5, "path": "$.x[2]"})
    result, single = json.loads(check_sarif(FOLDED, "1.0"))["runs"][0]["results"]
    assert (result["occurrenceCount"], len(result["relatedLocations"]), "occurrenceCount" in single) == (1340, 100, False)
    Sarif.model_validate_json(check_sarif(FOLDED, "1.0"))
    suite = ET.fromstring(check_junit(FOLDED)).find("testsuite")
    assert suite is not None
    assert suite.get("failures") == "1340"
    assert times in (suite.findtext("testcase/failure") or "")


def test_statistics_count_each_rule_the_most_frequent_first() -> None:
    rare = Rule("TST-02", "other", "Another rule.")
    report = replace(FOLDED, further={(rare, Severity.WARNING): 7})
    assert check_statistics(report).splitlines() == [
        "errors  warnings  files  rule",
        " 1,340         1      1  TST-01 made-up: A rule of this test.",
        "     0         7      0  TST-02 other: Another rule.",
        "",
        "1,340 errors, 8 warnings in 3 files",
    ]
    assert [one["rule"] for one in json.loads(check_json(report))["statistics"]] == ["TST-01", "TST-02"]


def test_what_is_left_out_is_told_apart_in_every_form() -> None:
    report = replace(report_of(), ignored=(IgnoredFinding(finding(severity=Severity.WARNING), "for later"),))
    assert check_text(report) == "no findings, 1 ignored in 3 files\n"
    told = json.loads(check_json(report))
    assert (told["warnings"], told["findings"], told["ignored"][0]["because"]) == (0, [], "for later")
    (result,) = json.loads(check_sarif(report, "1.0"))["runs"][0]["results"]
    assert result["suppressions"] == [{"kind": "inSource", "justification": "for later"}]
    Sarif.model_validate_json(check_sarif(report, "1.0"))
    assert "failure" not in check_junit(report).replace("failures", "")
    assert "::warning" not in check_github(report)
