"""A service table for a person: one line per key, with what each time is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..solve.wording import without_words
from ..text.numbers import US
from ..text.paint import PLAIN, Paint
from ..text.tables import Column, aligned, indented, one_line
from .rows import factors_text, over_bound_text, shapes_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from megasolve.solver import ServiceRow, ServiceTable

_BOUNDS = {"bandwidth": "bytes", "critical path": "path", "work": "work"}
_COLUMNS = (
    Column("group"),
    Column("backend"),
    Column("entry"),
    Column("CTAs", is_number=True),
    Column("batch", is_number=True),
    Column("shapes"),
    Column("time (µs)", is_number=True),
    Column("evidence"),
    Column("HBM bytes", is_number=True),
    Column("bound (µs)", is_number=True),
    Column("by"),
    Column("over bound", is_number=True),
    Column("factors"),
    Column("notes"),
)
_MAY_BE_EMPTY = ("shapes", "factors", "notes")


def table_text(table: ServiceTable, *, paint: Paint = PLAIN) -> str:
    """Return *table* as text; rows without a time say why below it."""
    about = [_remarks(row) for row in table.rows]
    numbers = {note: number for number, note in enumerate(dict.fromkeys(note for notes in about for note in notes), 1)}
    rows = [_cells(row, [numbers[note] for note in notes]) for row, notes in zip(table.rows, about, strict=True)]
    columns, rows = _without_empty(_COLUMNS, rows)
    known = f"{table.valued} of {counted(len(rows), 'row')} known"
    head = f"{table.spec} on {table.device}: time of one call, {known}{without_words(table.without)}"
    legend = [f"[{number}] {one_line(note)}" for note, number in numbers.items()]
    return "\n".join(
        [head, "", *indented([*_painted(aligned(columns, rows, Paint(columns=paint.columns)), table.rows, paint), *legend]), ""]
    )


def _remarks(row: ServiceRow) -> tuple[str, ...]:
    return row.notes if row.missing is None else (row.missing,)


def _cells(row: ServiceRow, notes: Sequence[int]) -> list[str]:
    key, bound = row.key, row.bound
    return [
        *(key.group, key.backend, key.entry, str(key.budget_ctas), str(key.batch), shapes_text(key.shapes)),
        *_service(row),
        US.number(bound.time_ps) if bound else "",
        _BOUNDS[bound.kind] if bound else "",
        over_bound_text(row),
        factors_text(row),
        " ".join(f"[{number}]" for number in notes),
    ]


def _service(row: ServiceRow) -> tuple[str, str, str]:
    if row.use is None:
        return "-", "none", ""
    record = row.use.record
    return US.number(record.time_ps), record.provenance.label, "unknown" if record.hbm_bytes is None else f"{record.hbm_bytes:,}"


def _without_empty(columns: Sequence[Column], rows: Sequence[list[str]]) -> tuple[list[Column], list[list[str]]]:
    """Leave out the optional columns in which no row has anything."""
    kept = [index for index, column in enumerate(columns) if column.title not in _MAY_BE_EMPTY or any(row[index] for row in rows)]
    return [columns[index] for index in kept], [[row[index] for index in kept] for row in rows]


def _painted(lines: Sequence[str], rows: Sequence[ServiceRow], paint: Paint) -> list[str]:
    titles, *others = lines
    return [paint.bold(titles), *(_colored(line, row, paint) for line, row in zip(others, rows, strict=True))]


def _colored(line: str, row: ServiceRow, paint: Paint) -> str:
    if row.use is None or row.flag == "below bound":
        return paint.red(line)
    return paint.yellow(line) if row.flag else line
