"""What a shell proposes after `megasolve`."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from megasolve.cli.app import program

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)


def proposed(*words: str) -> list[str]:
    *before, begun = words
    return [item.value for item in ShellComplete(program, {}, "megasolve", "_X").get_completions(before, begun)]


@pytest.mark.parametrize("command", ["solve", "explain", "table", "measure"])
def test_specs_are_proposed_and_folders_that_may_hold_some(command: str) -> None:
    found = proposed(command, "specs/w")
    assert found == ["specs/worked_example/", "specs/worked_example.yaml"]


def test_a_file_that_is_no_spec_is_not_proposed() -> None:
    assert proposed("solve", "specs/devices/h") == []
    assert proposed("solve", "pyproj") == []


def test_candidates_are_proposed_by_what_is_begun() -> None:
    every = proposed("explain", "specs/worked_example.yaml", "")
    assert len(every) > 1
    assert proposed("explain", "specs/worked_example.yaml", every[0][:5])[0] == every[0]


def test_nothing_is_proposed_of_a_spec_that_cannot_be_used(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("megasolve: spec/v1\nname: [", encoding="utf-8")
    assert proposed("explain", str(broken), "") == []
    assert proposed("solve", str(tmp_path / "none" / "x")) == []


def test_commands_are_proposed() -> None:
    assert "solve" in proposed("so")
    assert isinstance(program, click.Group)
