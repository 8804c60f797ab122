"""Tables of comma-separated values inside the output of a profiler: lines, headers, rows, each with its place."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from ..errors import ProfileRefused
from ..wording import LONGEST_REASON, shortened
from .decimals import decimal_ps, ungrouped, whole_number

_LONGEST_LINE_BYTES = 16 * 2**20
_LONG_DIGITS = 20
_DELIMITERS = (",", "\t", ";")


@dataclass(frozen=True, slots=True)
class Header:
    """The row that names the columns, and how the rows below it are written."""

    columns: tuple[str, ...]
    line: int
    delimiter: str
    quoted: bool

    def index(self, column: str) -> int | None:
        """Return where *column* stands, or None where the table has none of that name."""
        return self.columns.index(column) if column in self.columns else None


class TextLines:
    """The lines of a stream as text; *number* is the one that was taken last, counted from 1."""

    def __init__(self, stream: BinaryIO, file: str) -> None:
        self.file = file
        self.number = 0
        self._rest = self._read(partial(stream.readline, _LONGEST_LINE_BYTES))

    def __iter__(self) -> Iterator[str]:
        """Return the lines that were not taken yet, each with its end."""
        return self._rest

    def refused(self, reason: str, line: int | None = None) -> ProfileRefused:
        """Return the refusal of *line*, or of the one that was taken last."""
        return ProfileRefused(self.file, f"line {line or self.number}: {shortened(reason, LONGEST_REASON)}")

    def _read(self, readline: Callable[[], bytes]) -> Iterator[str]:
        for raw in iter(readline, b""):
            self.number += 1
            if not raw.endswith((b"\n", b'"')):
                raise self._endless(raw)
            try:
                text = raw.decode()
            except UnicodeDecodeError as error:
                raise self.refused(f"byte {error.start + 1} is not UTF-8") from None
            yield text if self.number > 1 else text.removeprefix("\ufeff")

    def _endless(self, raw: bytes) -> ProfileRefused:
        if len(raw) == _LONGEST_LINE_BYTES:
            return self.refused(f"is longer than {_LONGEST_LINE_BYTES // 2**20} MiB, so this is no table")
        # Every profiler ends its lines; other programs may not, and then only a closing quote tells that the last cell is whole.
        return self.refused("the last line has no end, so the file is truncated; copy or export it again, or end the line if it is whole")


def header_of(text: str, line: int) -> Header:
    """Return *text* as a header, by the delimiter that splits it most; a line that is none has odd columns."""
    splits = [(delimiter, _cells(text, delimiter)) for delimiter in _DELIMITERS]
    delimiter, cells = max(splits, key=lambda split: len(split[1]))
    return Header(tuple(cell.strip() for cell in cells), line, delimiter, quoted=text.startswith('"'))


def rows_below(header: Header, lines: TextLines) -> Iterator[list[str]]:
    """Yield the cells of every row below *header*, none for an empty line; `Lines.number` is where the row ends.

    Raises ProfileRefused where quotes do not pair or a cell is longer than 128 KiB.
    """
    try:
        yield from csv.reader(lines, delimiter=header.delimiter, strict=True)
    except csv.Error as error:
        raise lines.refused(f"is no row of a table ({error})") from None


def amount_at(lines: TextLines, column: str, text: str, unit: int, line: int | None = None) -> int:
    """Return the cell *text* of *column*, counted in *unit*, in whole base units; refuse it with its line where it is none."""
    try:
        if len(text) < _LONG_DIGITS and text.isascii() and text.isdigit():
            return int(text) * unit
        amount = decimal_ps(ungrouped(text.strip()), unit)
    except ValueError as error:
        raise lines.refused(f"{column}: {error}", line) from None
    if amount < 0:
        raise lines.refused(f"{column} is negative ({text.strip()})", line)
    return amount


def count_at(lines: TextLines, column: str, text: str, line: int | None = None) -> int | None:
    """Return the cell *text* of *column* as a count, or None where it is empty; refuse it with its line where it is none."""
    try:
        if len(text) < _LONG_DIGITS and text.isascii() and text.isdigit():
            return int(text)
        if not text.strip():
            return None
        count = whole_number(ungrouped(text.strip()))
    except ValueError as error:
        raise lines.refused(f"{column}: {error}", line) from None
    if count < 0:
        raise lines.refused(f"{column} is negative ({text.strip()})", line)
    return count


def resolution(text: str, unit: int) -> int:
    """Return what one step of the last digit of the decimal *text* is worth, at least 1."""
    places = len(text.partition(".")[2])
    step: int = unit // 10**places
    return max(step, 1)


def _cells(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []
