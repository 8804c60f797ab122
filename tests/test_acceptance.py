"""Every rule has a page, a file that it accepts and one that it rejects, and each file gives what it announces."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from megasolve.contracts import RULES, Rule, RuleKind, Severity, check_paths
from tests.support.rule_files import ACCEPT, PAGES, REJECT, WARN, expected, files_in, found

SECTIONS = ["What it rejects", "Why", "Accepted", "Rejected", "Repair"]
FILE_RULES = [rule for rule in RULES if rule.kind is not RuleKind.EXCLUSION]
REJECTED = [*files_in(REJECT), *files_in(WARN)]


def name_of(path: Path) -> str:
    """Return the name of a file without its suffix, as the id of a test."""
    return path.stem


@pytest.mark.parametrize("file", files_in(ACCEPT), ids=name_of)
def test_an_accepted_file_is_clean(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    assert check_paths([file.name]).findings == ()


@pytest.mark.parametrize("file", REJECTED, ids=name_of)
def test_a_rejected_file_gives_exactly_what_it_announces(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    announced = expected(file)
    assert announced
    assert found(check_paths([file.name])) == announced


@pytest.mark.parametrize("file", REJECTED, ids=name_of)
def test_a_rejected_file_breaks_the_rule_that_it_is_named_after_and_no_other(file: Path) -> None:
    assert {announced.split()[0] for announced in expected(file)} == {file.stem[:6]}


@pytest.mark.parametrize("file", REJECTED, ids=name_of)
def test_errors_stand_in_reject_and_warnings_in_warn(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    severity = Severity.ERROR if file.parent == REJECT else Severity.WARNING
    assert {finding.severity for finding in check_paths([file.name]).findings} == {severity}


def test_every_rule_has_an_accepted_file_of_its_code_and_name() -> None:
    assert [file.stem for file in files_in(ACCEPT)] == [f"{rule.code}-{rule.name}" for rule in FILE_RULES]


def test_every_rule_has_a_rejected_file_of_its_code_and_name() -> None:
    assert sorted(file.stem for file in REJECTED) == [f"{rule.code}-{rule.name}" for rule in FILE_RULES]


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    pages = {file.stem for file in files_in(PAGES)} - {"README"}
    without_page = [rule.code for rule in FILE_RULES if rule.code not in pages]
    assert without_page == []
    # Reasons for exclusion have pages, too, but belong to no file.
    unknown = [page for page in sorted(pages - {rule.code for rule in RULES}) if page[:3] in {rule.code[:3] for rule in FILE_RULES}]
    assert unknown == []


@pytest.mark.parametrize("rule", FILE_RULES, ids=lambda rule: rule.code)
def test_a_page_is_named_after_its_rule_and_has_the_five_sections(rule: Rule) -> None:
    page = (PAGES / f"{rule.code}.md").read_text()
    assert page.startswith(f"# {rule.code} {rule.name}\n")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == SECTIONS


@pytest.mark.parametrize("file", REJECTED, ids=name_of)
def test_a_page_prints_the_messages_that_its_rejected_file_gives(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    page = (PAGES / f"{file.stem[:6]}.md").read_text()
    messages = [f"{finding.rule.code} {finding.message}" for finding in check_paths([file.name]).findings]
    printed = re.findall(r"^```text\n(.*?)\n```$", page, re.MULTILINE | re.DOTALL)
    assert printed in ([], ["\n".join(messages)])


def test_the_index_of_the_rules_is_complete() -> None:
    index = (PAGES / "README.md").read_text()
    rows = re.findall(r"^\| \[(\S+)\]\((\S+)\) \| (\S+) \| (.+) \|$", index, re.MULTILINE)
    listed = sorted(row for row in rows if row[0] in {rule.code for rule in FILE_RULES})
    assert listed == [(rule.code, f"{rule.code}.md", rule.name, rule.summary) for rule in FILE_RULES]
