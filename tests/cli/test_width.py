"""Tables on a terminal of sixty columns: what is at the right gives way, numbers stay whole, and nothing is wrapped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import megasolve

SPEC = "specs/worked_example.yaml"
# Each with how the line of titles of its table begins.
TABLES = (
    (("solve", SPEC), "  place  score (ms)"),
    (("explain", SPEC, "best"), "      ms"),
    (("explain", SPEC, "best"), "  group  given (ms)"),
    (("table", SPEC), "  group"),
    (("headroom", "specs/qwen3_tts.yaml"), "  region"),
    (("sweep", SPEC), "  batch"),
    (("rule",), "rule"),
)


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])


def table(text: str, begins: str) -> list[str]:
    """Return the lines of the first table whose titles begin so."""
    lines = [*text.splitlines(), ""]
    first = next((number for number, line in enumerate(lines) if line.startswith(begins)), None)
    assert first is not None, text
    found = lines[first : lines.index("", first)]
    return [line for line in found if not line.lstrip().startswith(("[", "..."))]


@pytest.mark.parametrize(("words", "begins"), TABLES)
def test_a_table_is_as_wide_as_the_terminal_at_most_and_its_columns_still_align(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], begins: str
) -> None:
    whole = table(megasolve(*words).stdout, begins)
    monkeypatch.setenv("COLUMNS", "60")
    narrow = table(megasolve(*words).stdout, begins)
    assert len(narrow) == len(whole)
    assert max(map(len, narrow)) <= 60
    for cut, line in zip(narrow, whole, strict=True):
        assert line.startswith(cut.removesuffix("..."))


def test_a_file_is_as_wide_as_it_needs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    target = tmp_path / "plan.txt"
    assert megasolve("solve", SPEC, "-o", str(target)).exit_code == 0
    monkeypatch.delenv("COLUMNS")
    assert target.read_text(encoding="utf-8") == megasolve("solve", SPEC).stdout


@pytest.mark.parametrize("columns", ["", "0", "-3", "wide", "1"])
def test_no_width_is_too_odd(monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert megasolve("solve", SPEC).exit_code == 0
