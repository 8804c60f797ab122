"""Tables: aligned text and Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.report.text.paint import Paint
from megasolve.report.text.tables import Column, aligned, markdown, one_line, place_line

COLUMNS = [Column("n", is_number=True), Column("name"), Column("rest")]


def test_numbers_stand_right_and_text_left() -> None:
    assert aligned(COLUMNS, [["1", "ab", "x"], ["20", "c", "yy"]]) == [" n  name  rest", " 1  ab    x", "20  c     yy"]


def test_a_table_without_rows_is_its_titles() -> None:
    assert aligned(COLUMNS, []) == ["n  name  rest"]


def test_a_bold_row_is_as_wide_as_a_plain_one() -> None:
    rows = [["1", "a", "b"], ["2", "c", "d"]]
    plain, painted = aligned(COLUMNS, rows), aligned(COLUMNS, rows, Paint(is_on=True), bold=[1])
    assert painted == [plain[0], plain[1], f"\x1b[1m{plain[2]}\x1b[0m"]


ROWS = [["1", "ab", "x"], ["20", "a long name", "yy"]]


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        (25, [" n  name         rest", " 1  ab           x", "20  a long name  yy"]),
        (18, [" n  name", " 1  ab", "20  a long name"]),
        (14, [" n  name", " 1  ab", "20  a long..."]),
        (11, [" n", " 1", "20"]),
        (2, ["", "", ""]),
    ],
)
def test_in_a_narrow_terminal_columns_at_the_right_give_way_and_a_text_at_the_edge_is_cut(columns: int, lines: list[str]) -> None:
    assert aligned(COLUMNS, ROWS, Paint(columns=columns), indent=1) == lines


@given(st.lists(st.lists(st.text("ab1", max_size=30), min_size=3, max_size=3)), st.integers(1, 80))
def test_no_line_is_wider_than_the_terminal_and_no_number_is_cut(rows: list[list[str]], columns: int) -> None:
    for line, row in zip(aligned(COLUMNS, rows, Paint(columns=columns))[1:], rows, strict=True):
        assert len(line) <= max(columns - 2, 0)
        assert not line.strip() or row[0] in line


def test_a_cell_of_markdown_cannot_end_its_cell() -> None:
    assert markdown([Column("a"), Column("b", is_number=True)], [["x|y\n<b>", "1"]]) == [
        "| a | b |",
        "| --- | ---: |",
        "| x\\|y\\n&lt;b> | 1 |",
    ]


def test_a_cell_of_markdown_is_no_link_and_no_image() -> None:
    assert markdown([Column("a")], [["![x](http://elsewhere/)"]])[2] == "| ![x]\\(http://elsewhere/) |"


@given(st.text())
def test_no_line_is_a_command_of_github(text: str) -> None:
    assert not place_line(f"::{text}").lstrip().startswith("::")
    assert "##[" not in place_line(f"##[{text}")


@given(st.text())
def test_one_line_is_one_printable_line(text: str) -> None:
    shown = one_line(text)
    assert all(char.isprintable() for char in shown)
    assert one_line(shown) == shown
