"""From the rows of a table, whatever its format, to timed runs: every cell judged, everything that is wrong with them collected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import PurePath

from ..model.base import MOST_COUNT, MOST_US, PS_PER_US, Place
from ..model.closest import nearest
from ..model.wording import shown
from .columns import FILE_NAME, PS_PER_UNIT, REQUIRED, TIME, Columns, unit_named_by
from .timed_run import TimedRun
from .unusable import RunFault

_LONGEST_NUMBER = 64


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one row by the names of their columns, and the line on which it begins."""

    line: int
    cells: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of *file*; *header* are the names of its columns, where it says them once for all rows."""

    file: str
    rows: Sequence[Row]
    header: tuple[str, ...] | None = None


class UnusableCell(ValueError):
    """What stands in a cell is nothing that belongs there; the message says what was found and what is expected."""


def runs_of(table: Table, columns: Columns, faults: list[RunFault]) -> tuple[TimedRun, ...]:
    """Return the runs in *table*; what is wrong with a row joins *faults*, and the row is left out."""
    if table.header is not None and (missing := list(_missing(table.header, columns))):
        faults += [RunFault(Place(table.file, 1), message) for message in missing]
        return ()
    return tuple(_runs(table, columns, faults))


def _runs(table: Table, columns: Columns, faults: list[RunFault]) -> Iterator[TimedRun]:
    reader = _Reader(table.file, columns)
    for number, row in enumerate(table.rows, start=1):
        try:
            yield from reader.runs(row, number)
        except UnusableCell as error:
            faults.append(RunFault(Place(table.file, row.line), str(error)))


def _missing(names: Iterable[str], columns: Columns) -> Iterator[str]:
    """Yield what is to be said of each column that must be there and is not."""
    there = list(names)
    for ours in REQUIRED:
        name = columns.name(ours)
        if name in there or ours in columns.constants or name == FILE_NAME:
            continue
        yield _no_column(ours, name, there)


def _no_column(ours: str, name: str, there: Sequence[str]) -> str:
    if ours == TIME and name == TIME and (timed := [one for one in there if unit_named_by(one)]):
        return f"no column {TIME!r}; {timed[0]} may be it: --column {TIME}={timed[0]}:{unit_named_by(timed[0])}"
    return f"no column {name!r}{nearest(name, there)}; --column {ours}=NAME says which one it is"


class _Reader:
    """Reads rows of one file."""

    def __init__(self, file: str, columns: Columns) -> None:
        self._file = file
        self._columns = columns
        self._scale = PS_PER_UNIT[columns.unit]

    def runs(self, row: Row, number: int) -> Iterator[TimedRun]:
        """Yield the run of a row, or each of those that its time lists; *number* names them where no column does."""
        if strange := self._strange_time(row):
            raise UnusableCell(strange)
        candidate = self._text(row, "candidate")
        batch = self._batch(row)
        times = self._cell(row, TIME)
        if times is None and self._columns.name(TIME) not in row.cells:
            raise UnusableCell(self._lacks(row, TIME))
        run = self._optional(row, "run") or f"row {number}"
        listed = times if isinstance(times, list | tuple) else [times]
        if not listed:
            raise UnusableCell(f"{self._columns.name(TIME)}: an empty list; leave the row out, or give its times")
        for index, time in enumerate(listed, start=1):
            yield TimedRun(
                candidate=candidate,
                batch=batch,
                block=self._optional(row, "block") or "",
                run=run if len(listed) == 1 else f"{run}, {index}",
                time_ps=self._time(time),
                place=Place(self._file, row.line),
                group=self._optional(row, "group"),
                entries=self._entries(row),
                device=self._optional(row, "device"),
                precision=self._optional(row, "precision"),
            )

    def _strange_time(self, row: Row) -> str:
        """Return what is wrong with a row that has its time under another name, or in two units at once; nothing where all is well."""
        name = self._columns.name(TIME)
        if name != TIME or TIME in self._columns.constants:
            return ""
        others = [one for one in row.cells if one != TIME and one.startswith("time_") and unit_named_by(one) and _has(row, one)]
        if not others:
            return ""
        said = f"{TIME} and {others[0]}: mixed units" if _has(row, TIME) else f"no {TIME}, but {others[0]}: another unit than expected"
        return f"{said}; --column {TIME}={others[0]}:{unit_named_by(others[0])} reads that one"

    def _cell(self, row: Row, ours: str) -> object:
        if ours in self._columns.constants:
            return self._columns.constants[ours]
        name = self._columns.name(ours)
        if name == FILE_NAME:
            return PurePath(self._file).name
        return row.cells[name] if name in row.cells else _inside(row.cells, name)

    def _optional(self, row: Row, ours: str) -> str | None:
        cell = self._cell(row, ours)
        return None if cell is None or cell == "" else str(cell).strip()

    def _text(self, row: Row, ours: str) -> str:
        cell = self._optional(row, ours)
        if not cell:
            raise UnusableCell(self._lacks(row, ours))
        return cell

    def _lacks(self, row: Row, ours: str) -> str:
        name = self._columns.name(ours)
        if name in row.cells:
            return f"no {name}"
        or_file = ", and ID=FILE whose runs a file holds" if ours == "candidate" else ""
        return f"no {name}{nearest(name, row.cells)}; --column {ours}=NAME says where it is{or_file}"

    def _entries(self, row: Row) -> tuple[str, ...] | None:
        cell = self._optional(row, "entries")
        return None if cell is None else tuple(part.strip() for part in cell.replace(";", ",").split(","))

    def _batch(self, row: Row) -> int:
        text, name = self._text(row, "batch"), self._columns.name("batch")
        number = _decimal(text)
        if number is None or number != number.to_integral_value() or not 1 <= number <= MOST_COUNT:
            raise UnusableCell(f"{name}: found {shown(text)}, expected a whole number above 0")
        return int(number)

    def _time(self, cell: object) -> int:
        name, unit = self._columns.name(TIME), self._columns.unit
        if cell is None or cell == "":
            raise UnusableCell(f"no {name}: a run without a time is left out of the file, or says it")
        number = _decimal(cell)
        if number is None:
            raise UnusableCell(f"{name}: found {shown(cell)}, expected a finite number of {unit}, without its unit")
        # To the picosecond: nobody measures more, and a second in a binary fraction has no exact one.
        time_ps = round(number * self._scale)
        if not 0 < time_ps <= MOST_US * PS_PER_US:
            raise UnusableCell(f"{name}: found {shown(cell)}, expected a time above 0 and at most {MOST_US:,} us")
        return time_ps


def _decimal(cell: object) -> Decimal | None:
    """Return the finite number in *cell*, None where there is none; NaN and infinity are no times."""
    if isinstance(cell, bool) or not isinstance(cell, str | int | float | Decimal) or len(str(cell)) > _LONGEST_NUMBER:
        return None
    try:
        number = Decimal(str(cell).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < 30 else None


def _inside(cells: Mapping[str, object], name: str) -> object:
    """Return what a dotted *name* leads to in nested cells: ``time_to_first_token.avg``; None where it leads nowhere."""
    here: object = cells
    for step in name.split("."):
        if not isinstance(here, Mapping) or step not in here:
            return None
        here = here[step]
    return here


def _has(row: Row, name: str) -> bool:
    return row.cells.get(name) not in (None, "")
