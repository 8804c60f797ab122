"""`megasolve rule` shows the pages of the rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts.check.registry import every_rule
from megasolve.contracts.files import shipped
from tests.support.command import megasolve

PAGES = Path(__file__).parents[2] / "docs" / "rules"


@pytest.mark.parametrize("asked", ["LIM-09", "lim-09", "registers-exceed-sm", "Registers-Exceed-SM"])
def test_a_rule_is_found_by_its_code_and_by_its_name(asked: str) -> None:
    result = megasolve("rule", asked)
    assert (result.exit_code, result.stdout) == (0, (PAGES / "LIM-09.md").read_text(encoding="utf-8"))


def test_all_rules_are_listed_each_with_its_sentence() -> None:
    lines = megasolve("rule").stdout.splitlines()
    for one in every_rule():
        assert any(line.split() == [one.code, one.name, *one.summary.split()] for line in lines), one.code


@pytest.mark.parametrize(
    ("asked", "proposed"), [("lim-9", "LIM-09"), ("register-exceeds-sm", "registers-exceed-sm"), ("qqq", "lists them")]
)
def test_an_unknown_rule_proposes_the_nearest(asked: str, proposed: str) -> None:
    result = megasolve("rule", asked)
    assert result.exit_code == 2
    assert proposed in result.stderr


def test_an_installed_package_has_the_pages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed = tmp_path / "megasolve"
    monkeypatch.setattr(shipped, "__file__", str(installed / "contracts" / "files" / "shipped.py"))
    assert shipped.shipped_rules() == installed / "_rules"
