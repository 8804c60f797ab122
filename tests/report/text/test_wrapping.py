"""Prose on a terminal ends between two words; what fits, and what is one word, stays as it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from megasolve.report.text.wrapping import wrapped

NOTE = "  [2] launch limits of 4 entries are not verified: 12.50 % of them, and 3.250 ms more"


def test_a_note_goes_on_a_little_further_in_and_a_number_stays_with_its_unit() -> None:
    assert wrapped(NOTE, 51).splitlines() == [
        "  [2] launch limits of 4 entries are not verified:",
        "      12.50 % of them, and 3.250 ms more",
    ]
    assert wrapped("a gain of 71.29 % in all, not more", 24).splitlines() == ["a gain of 71.29 % in", "    all, not more"]


def test_what_fits_keeps_its_spaces_and_where_nobody_says_how_wide_all_stays() -> None:
    row = "  batch      1    32\n"
    assert wrapped(row, 24) == row
    assert wrapped(NOTE, None) == wrapped(NOTE, 5) == NOTE


def test_paint_takes_no_room() -> None:
    painted = "\x1b[33mNOTE: every record is\x1b[0m"
    assert wrapped(painted, 24) == painted


@given(st.text("ab  %\n", max_size=200), st.integers(24, 40))
def test_no_word_is_lost_and_only_a_word_of_its_own_is_wider(text: str, columns: int) -> None:
    shown = wrapped(text, columns)
    assert shown.split() == text.split()
    wide = [line for line in shown.split("\n") if len(line) > columns]
    assert [line for line in wide if len(line.replace(" %", "%").split()) > 1] == []
