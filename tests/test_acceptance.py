"""Every rule has a page, a file that it accepts and one that it rejects, and each file gives what it announces."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from megasolve.contracts import RULES, Rule, RuleKind, Severity
from megasolve.solver import EXCLUSION_RULES, PLAN_RULES
from tests.support.disk.rule_answers import answer_to, exit_code_on_warnings
from tests.support.disk.rule_files import ACCEPT, PAGES, REJECT, WARN, expected, files_in, found
from tests.support.disk.rule_pages import SECTIONS, head_of, row_of

FILE_RULES = [rule for rule in RULES if rule.kind is not RuleKind.EXCLUSION]
EVERY_RULE = sorted((*RULES, *EXCLUSION_RULES, *PLAN_RULES))
REJECTED = [*files_in(REJECT), *files_in(WARN)]


def name_of(path: Path) -> str:
    """Return the name of a file without its suffix, as the id of a test."""
    return path.stem


@pytest.mark.parametrize("file", files_in(ACCEPT), ids=name_of)
def test_an_accepted_file_is_clean(file: Path) -> None:
    assert answer_to(file).report.findings == ()


@pytest.mark.parametrize("file", REJECTED, ids=name_of)
def test_a_rejected_file_gives_exactly_what_it_announces(file: Path) -> None:
    announced = expected(file)
    assert announced
    assert found(answer_to(file).report) == announced


@pytest.mark.parametrize("file", REJECTED, ids=name_of)
def test_the_command_prints_what_a_rejected_file_announces(file: Path) -> None:
    answer = answer_to(file)
    assert answer.exit_code == (1 if file.parent == REJECT else 0)
    for announced in expected(file):
        code, place = announced.split()
        assert re.search(f"^{re.escape(place)}: .*{code} ", answer.stdout, re.MULTILINE), answer.stdout


@pytest.mark.parametrize("file", files_in(WARN), ids=name_of)
def test_the_command_fails_on_warnings_on_demand(file: Path) -> None:
    assert exit_code_on_warnings(file) == 1


@pytest.mark.parametrize("rule", FILE_RULES, ids=lambda rule: rule.code)
def test_the_rejected_file_of_a_rule_breaks_no_other_rule(rule: Rule) -> None:
    (file,) = (file for file in REJECTED if file.stem == f"{rule.code}-{rule.name}")
    assert {announced.split()[0] for announced in expected(file)} == {rule.code}


@pytest.mark.parametrize("file", REJECTED, ids=name_of)
def test_errors_stand_in_reject_and_warnings_in_warn(file: Path) -> None:
    severity = Severity.ERROR if file.parent == REJECT else Severity.WARNING
    assert {finding.severity for finding in answer_to(file).report.findings} == {severity}


def test_every_rule_has_an_accepted_file_of_its_code_and_name() -> None:
    missing = {f"{rule.code}-{rule.name}" for rule in FILE_RULES} - {file.stem for file in files_in(ACCEPT)}
    assert missing == set()


def test_every_rejected_file_is_named_after_a_rule() -> None:
    names = tuple(f"{rule.code}-{rule.name}" for rule in FILE_RULES)
    assert [file.stem for file in REJECTED if not file.stem.startswith(names)] == []


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert {file.stem for file in files_in(PAGES)} == {rule.code for rule in EVERY_RULE} | {"README"}


@pytest.mark.parametrize("rule", EVERY_RULE, ids=lambda rule: rule.code)
def test_a_page_is_named_after_its_rule_and_has_the_five_sections(rule: Rule) -> None:
    page = (PAGES / f"{rule.code}.md").read_text()
    assert page.startswith(f"# {rule.code} {rule.name}\n")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == SECTIONS


@pytest.mark.parametrize("rule", EVERY_RULE, ids=lambda rule: rule.code)
def test_a_page_says_under_its_title_what_the_rule_means_and_whether_solve_goes_on(rule: Rule) -> None:
    only_warns = any(file.stem.startswith(rule.code) for file in files_in(WARN))
    assert (PAGES / f"{rule.code}.md").read_text().splitlines()[:5] == head_of(rule, only_warns=only_warns)


@pytest.mark.parametrize("file", REJECTED, ids=name_of)
def test_a_page_prints_the_messages_that_its_rejected_file_gives(file: Path) -> None:
    page = (PAGES / f"{file.stem[:6]}.md").read_text()
    messages = [f"{finding.rule.code} {finding.message}" for finding in answer_to(file).report.findings]
    printed = re.findall(r"^```text\n(.*?)\n```$", page, re.MULTILINE | re.DOTALL)
    assert printed in ([], ["\n".join(messages)])


def test_the_index_of_the_rules_is_complete() -> None:
    index = (PAGES / "README.md").read_text()
    rows = re.findall(r"^\| \[.*$", index, re.MULTILINE)
    assert sorted(rows) == [row_of(rule) for rule in EVERY_RULE]


def test_the_index_names_the_rules_that_do_not_stop_solve() -> None:
    (sentence,) = re.findall(r"^These are (.+?)\.$", (PAGES / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert re.findall(r"[A-Z]+-\d+", sentence) == [rule.code for rule in RULES if rule.kind is RuleKind.LIMIT]
