"""Tables: aligned text and Markdown."""

from __future__ import annotations

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
