"""Laying out a new rule: its function, its page and its files, which the registry and the tests of the rules find by themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from megasolve.contracts import Rule, RuleKind
from tests.new_rule import CHECKOUT, KNOWN, Layout, asked, lay_out
from tests.support.disk.rule_pages import row_of

ROOTS = ("contracts", "simulate", "solver", "gpu")
EVERY_RULE = """
from megasolve.contracts import RULES
from megasolve.solver import EXCLUSION_RULES, PLAN_RULES
for rule in (*RULES, *EXCLUSION_RULES, *PLAN_RULES):
    print(rule.code, rule.name, rule.kind.value, rule.summary)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for folder in (*ROOTS, "docs/rules", "tests/accept", "tests/reject", "tests/warn"):
        shutil.copytree(CHECKOUT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def stated_in(checkout: Path) -> list[str]:
    """Return what the sources in *checkout* know of each rule."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(checkout / root) for root in ROOTS)}
    command = [sys.executable, "-c", EVERY_RULE]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.splitlines()


def laid_out(checkout: Path, *words: str) -> set[str]:
    """Lay out the rule that *words* ask for, and return the files that were written."""
    return {str(path.relative_to(checkout)) for path in lay_out(replace(asked(words), root=checkout))}


RULES = "contracts/megasolve/contracts/check/rules"


@pytest.mark.parametrize(
    ("words", "kind", "module"),
    [
        (["CON-77", "new-rule", "It holds."], "file", f"{RULES}/contract.py"),
        (["CON-77", "new-rule", "It holds.", "--like", "CON-03", "--kind", "limit"], "limit", f"{RULES}/contract.py"),
        (["NEW-01", "new-rule", "It holds.", "--like", "OPR-14"], "file", f"{RULES}/operator/sizes.py"),
        (["NEW-01", "new-rule", "It holds.", "--like", "PRF-10"], "profile", f"{RULES}/profile/profiles.py"),
        (["LIM-77", "new-rule", "It holds.", "--like", "LIM-09"], "limit", "contracts/megasolve/contracts/limits/shapes.py"),
        (["YML-77", "new-rule", "It holds.", "--like", "YML-02"], "file", "contracts/megasolve/contracts/files/yaml/rules.py"),
    ],
)
def test_a_new_rule_is_found_where_it_was_laid_out(checkout: Path, words: list[str], kind: str, module: str) -> None:
    code = words[0]
    (suffix,) = (path.suffix for path in (checkout / "tests/accept").glob(f"{asked(words).like.code}-{asked(words).like.name}.*"))
    files = {f"tests/{folder}/{code}-new-rule{suffix}" for folder in ("accept", "reject")}
    assert laid_out(checkout, *words) == {module, f"docs/rules/{code}.md", "docs/rules/README.md", *files}
    assert f"{code} new-rule {kind} It holds." in stated_in(checkout)
    assert row_of(Rule(code, "new-rule", "It holds.")) in (checkout / "docs/rules/README.md").read_text()
    assert (f" {code}" in (checkout / "docs/rules/README.md").read_text().partition("\n## ")[0]) == (kind == "limit")


def test_a_new_reason_for_exclusion_has_no_files(checkout: Path) -> None:
    written = laid_out(checkout, "NEW-01", "out-of-words", "The plan keeps its limits.", "--like", "POL-04")
    assert written == {"simulate/megasolve/simulate/plan/cause.py", "docs/rules/NEW-01.md", "docs/rules/README.md"}
    assert "NEW-01 out-of-words exclusion The plan keeps its limits." in stated_in(checkout)


def test_the_file_of_a_rule_that_warns_stands_beside_the_others(checkout: Path) -> None:
    written = laid_out(checkout, "MEA-77", "new-rule", "It holds.", "--warning")
    assert "tests/warn/MEA-77-new-rule.yaml" in written
    assert (checkout / "tests/warn/MEA-77-new-rule.yaml").read_text().startswith("# expect: MEA-77 MEA-77-new-rule.yaml:1:1\n")
    assert "A warning: `check` fails on it only" in (checkout / "docs/rules/MEA-77.md").read_text()


def test_nothing_is_written_over(checkout: Path) -> None:
    (checkout / "tests/reject/CON-77-new-rule.yaml").write_text("mine")
    before = (checkout / "docs/rules/README.md").read_text()
    with pytest.raises(FileExistsError):
        lay_out(Layout(Rule("CON-77", "new-rule", "It holds."), KNOWN["CON-01"], only_warns=False, root=checkout))
    assert (checkout / "docs/rules/README.md").read_text() == before
    assert not (checkout / "docs/rules/CON-77.md").exists()


@pytest.mark.parametrize(
    ("words", "because"),
    [
        (["CON-01", "new-rule", "It holds."], "CON-01 is taken"),
        (["CON1", "new-rule", "It holds."], "CON1 is no code: three letters and two digits, CON-13"),
        (["CON-77", "member-repeated", "It holds."], "member-repeated is taken"),
        (["CON-77", "New_Rule", "It holds."], "New_Rule is taken, or no name"),
        (["CON-77", "new-rule", "it holds"], "a summary is one sentence"),
        (["NEW-01", "new-rule", "It holds."], "a new family needs it; families: CMP, CON"),
        (["CON-77", "new-rule", "It holds.", "--like", "CON-78"], "--like names a rule that is there"),
    ],
)
def test_what_is_no_new_rule_is_refused(words: list[str], because: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        asked(words)
    assert because in capsys.readouterr().err


def test_every_kind_of_rule_can_be_laid_out() -> None:
    assert {asked(["NEW-01", "new-rule", "It holds.", "--like", code]).rule.kind for code in KNOWN} == set(RuleKind)
