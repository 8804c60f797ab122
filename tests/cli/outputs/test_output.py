"""Results in files: whole or not there; colour: only decoration."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from megasolve.cli.app import program
from megasolve.cli.outputs.output import write_file
from tests.support.command import CHECKOUT, megasolve

SPEC = "specs/worked_example.yaml"
ANSI = re.compile(r"\x1b\[\d+m")


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_a_file_gets_what_stdout_would(form: str, tmp_path: Path) -> None:
    target = tmp_path / "result"
    result = megasolve(SPEC, "--format", form, "--output", str(target))
    assert (result.exit_code, result.stdout) == (0, "")
    assert target.read_bytes() == megasolve(SPEC, "--format", form).stdout_bytes
    assert list(tmp_path.iterdir()) == [target]


def test_an_existing_file_is_replaced_through_a_link_and_keeps_its_mode(tmp_path: Path) -> None:
    target, link = tmp_path / "result", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    assert megasolve(SPEC, "-o", str(link)).exit_code == 0
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert target.read_text(encoding="utf-8").startswith("worked_example on h100_nvl")


def test_a_file_that_cannot_be_written_is_a_refusal_and_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "missing" / "result"
    result = megasolve(SPEC, "-o", str(target))
    assert result.exit_code == 2
    assert result.stderr == f"Error: cannot write {target}: No such file or directory\n"
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "result"
    target.write_text("old")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="No space left"):
        write_file(target, b"new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_device_is_written_to_and_never_replaced() -> None:
    assert megasolve(SPEC, "-o", "/dev/null").exit_code == 0
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize(
    ("words", "variables", "is_coloured"),
    [
        ((), {}, False),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_is_as_the_user_says(words: tuple[str, ...], variables: dict[str, str], is_coloured: bool) -> None:
    runner = CliRunner(env={"NO_COLOR": None, "FORCE_COLOR": None, **variables})
    assert bool(ANSI.search(runner.invoke(program, [SPEC, *words]).stdout)) is is_coloured


@pytest.mark.parametrize("words", [(SPEC,), ("check", "tests/cli/fixtures/faulty.yaml"), ("explain", SPEC, "m:P/m:B+L/m:C@serial")])
def test_colour_only_decorates(words: tuple[str, ...]) -> None:
    coloured, plain = megasolve(*words, "--color", "always").stdout, megasolve(*words).stdout
    assert coloured != plain
    assert ANSI.sub("", coloured) == plain


def test_a_file_is_never_coloured(tmp_path: Path) -> None:
    target = tmp_path / "plan.txt"
    assert megasolve(SPEC, "--color", "always", "-o", str(target)).exit_code == 0
    assert not ANSI.search(target.read_text(encoding="utf-8"))
