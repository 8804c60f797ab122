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
    notes = next((number for number, line in enumerate(found) if line.lstrip().startswith(("[", "..."))), len(found))
    return found[:notes]


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


def test_prose_ends_between_words_and_one_that_nobody_measures_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = megasolve("solve", SPEC).stdout
    monkeypatch.setenv("COLUMNS", "60")
    narrow = megasolve("solve", SPEC).stdout
    assert max(map(len, narrow.splitlines())) <= 60 < max(map(len, whole.splitlines()))
    assert "NOTE: every record is reconstructed from published totals:\n    this ranking is a regression" in narrow
    markdown = megasolve("solve", SPEC, "--format", "markdown").stdout
    assert max(map(len, markdown.splitlines())) > 60


def test_bars_are_as_wide_as_the_terminal_and_keep_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("sweep", "specs/nh_tts.yaml", "--plot")
    whole = megasolve(*words).stdout.splitlines()
    monkeypatch.setenv("COLUMNS", "50")
    narrow = megasolve(*words).stdout.splitlines()
    bars, cut = ([line.split() for line in lines if " mmm" in line or " ccc" in line] for lines in (whole, narrow))
    assert max(map(len, narrow)) <= 50
    assert [bar[-1] for bar in cut] == [bar[-1] for bar in bars]
    assert len(cut) == 6
