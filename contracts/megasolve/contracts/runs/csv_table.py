"""Tables in CSV: a header, then a row per line; the delimiter is the one that the header has."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator

from ..model.base import Place
from ..model.wording import shown
from .rows import Row, Table
from .unusable import RunFault

_DELIMITERS = ",;\t"


def csv_table(file: str, text: str, faults: list[RunFault]) -> Table:
    """Return the rows in *text*; a row with more or fewer cells than the header has joins *faults*. Lines that begin with # are notes."""
    lines = [line if not line.startswith("#") else "\n" for line in io.StringIO(text, newline="")]
    first = next((line for line in lines if line.strip()), "")
    reader = csv.reader(lines, delimiter=max(_DELIMITERS, key=first.count), strict=True, skipinitialspace=True)
    rows = _numbered(reader, file, faults)
    _, header = next(rows, (1, []))
    names = tuple(name.strip() for name in header)
    repeated = [name for name, count in Counter(names).items() if count > 1]
    faults += [RunFault(Place(file, 1), f"column {shown(name)} stands in the header twice") for name in repeated[:1]]
    return Table(file, tuple(_whole(rows, names, file, faults)), names)


def _numbered(reader: Iterator[list[str]], file: str, faults: list[RunFault]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, each with the line on which it begins; text that is no CSV ends them."""
    line = 0
    while True:
        begins = getattr(reader, "line_num", line) + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            faults.append(RunFault(Place(file, begins), f"is no CSV: {error}"))
            return
        if row is None:
            return
        if any(cell.strip() for cell in row):
            yield begins, row


def _whole(rows: Iterator[tuple[int, list[str]]], names: tuple[str, ...], file: str, faults: list[RunFault]) -> Iterator[Row]:
    for line, cells in rows:
        if len(cells) != len(names):
            faults.append(RunFault(Place(file, line), f"{len(cells)} cells under a header of {len(names)} columns"))
        else:
            yield Row(line, dict(zip(names, (cell.strip() for cell in cells), strict=True)))
