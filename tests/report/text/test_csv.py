"""CSV that is opened in a spreadsheet: nothing in it runs, and numbers stay numbers."""

from __future__ import annotations

import csv
import io

import pytest

from megasolve.report.text.csv import csv_text


def cell(value: object) -> str:
    (row,) = csv.DictReader(io.StringIO(csv_text(["a"], [{"a": value}]), newline=""))
    return row["a"]


@pytest.mark.parametrize("beginning", ["=", "+", "-", "@", " =", "\uff1d", "\uff20"])
def test_a_cell_that_a_spreadsheet_would_run_begins_with_an_apostrophe(beginning: str) -> None:
    formula = f'{beginning}HYPERLINK("http://elsewhere/","x")'
    assert cell(formula) == f"'{formula}"


@pytest.mark.parametrize(
    ("beginning", "shown"), [("\t=", "\\t="), ("\r", "\\r"), ("\n@", "\\n@"), ("\u00a0@", "\\xa0@"), ("\x1b[2J", "\\x1b[2J")]
)
def test_no_cell_has_a_control_character(beginning: str, shown: str) -> None:
    assert cell(f"{beginning}1") == f"{shown}1"


@pytest.mark.parametrize("number", [-1, 0, -2.5, "-1.500000", "+0.43 %", "1e-7", "-3.2E+10", "-1,465", "+3"])
def test_a_number_stays_one(number: object) -> None:
    assert cell(number) == str(number)


@pytest.mark.parametrize("text", ["-1+cmd|' /C calc'!A1", "+1-1", "-", "=1", "-1e", "--1"])
def test_what_only_begins_like_a_number_is_none(text: str) -> None:
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "m:P/m:B+L/m:C@dynamic:88/44", "a = b", "paper, table 2", "'quoted'"])
def test_other_text_is_as_it_was(text: str) -> None:
    assert cell(text) == text
