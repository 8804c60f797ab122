"""CSV: a header, then one row per line; a column that a row lacks stays empty.

Cells hold names and sources that others wrote. People open the file in a spreadsheet, which runs what looks like a formula, and print it on
a terminal, which obeys control characters.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence

from .tables import one_line

# What makes a formula of a cell; the wide forms do so where Japanese is written, and spaces before them are skipped.
_FORMULA = re.compile(r" *[-=+@\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[-+]?[0-9][0-9,]*(\.[0-9]+)?([eE][-+]?[0-9]+)?( ?%)?")


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Return *rows* as CSV text under a header of *columns*; a cell that a spreadsheet would run begins with an apostrophe.

    A control character is written as its escape, so that every row is one line.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({column: _harmless(one_line(str(value))) for column, value in row.items()} for row in rows)
    return text.getvalue()


def _harmless(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell
