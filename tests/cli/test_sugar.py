"""`megasolve SPEC` is `megasolve solve SPEC`, and a misspelt command stays one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import megasolve

SPEC = "specs/worked_example.yaml"


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])


@pytest.mark.parametrize(
    "words",
    [
        (SPEC,),
        ("--color", "never", SPEC),
        ("--color=never", SPEC),
        (SPEC, "--color", "never"),
        ("--batch", "32", SPEC),
        ("--debug", SPEC, "--batch", "32"),
    ],
)
def test_a_spec_as_the_first_word_is_solved(words: tuple[str, ...]) -> None:
    bare = megasolve(*words)
    assert bare.exit_code == 0
    assert bare.stdout == megasolve("solve", SPEC).stdout


def test_a_file_of_any_name_is_solved(tmp_path: Path) -> None:
    named = tmp_path / "spec"
    named.write_text("megasolve: spec/v1\n")
    assert megasolve(str(named)).stderr == megasolve("solve", str(named)).stderr


def test_a_misspelt_command_names_the_nearest_one() -> None:
    result = megasolve("chekc")
    assert result.exit_code == 2
    assert "No such command 'chekc'. Did you mean 'check'?" in result.stderr


def test_a_folder_is_no_spec() -> None:
    assert "No such command 'specs'" in megasolve("specs").stderr


def test_a_spec_that_does_not_exist_is_said_in_one_line() -> None:
    result = megasolve("specs/no_such.yaml")
    assert (result.exit_code, result.stderr) == (2, "Error: specs/no_such.yaml: no such file\n")
