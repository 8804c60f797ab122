"""The CSV of Nsight Compute: the details page (a row per metric) and the raw page (a row per kernel), versions 2020 to 2026."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.wording import counted
from ..errors import ProfileRefused
from ..execution import Execution, Format, Granularity
from ..text.csv_table import Header, TextLines, header_of, rows_below
from ..text.source import ProfileSource
from .failures import ERROR_LINE, failure_of, is_said
from .kernel import NcuKernels
from .table import DetailsTable, RawTable, is_details, is_ncu_header, table_below

_REPLAYED = "durations are of kernels replayed one by one with flushed caches, not run times: take times from a timeline"


def read_ncu_csv(source: ProfileSource) -> Execution:
    """Return the kernels of the table in *source*: shape, bytes and the time of a replay, but no start.

    Raises
    ------
    ProfileRefused
        There is no table, it has no kernels, or a row cannot be read or belongs to another export.
    """
    with source.open() as stream:
        lines = TextLines(stream, source.file)
        header = _header(lines)
        table = table_below(header, lines)
        said = _take_rows(table, rows_below(header, lines))
        made = NcuKernels(lines)
        kernels = table.kernels(made)
    return Execution(
        source.file,
        source.sha256,
        Format.NCU_DETAILS if is_details(header) else Format.NCU_RAW,
        Granularity.KERNEL,
        kernels=kernels,
        devices=tuple(made.devices[number] for number in sorted(made.devices)),
        versions={"tool": "Nsight Compute"},
        notes=(_REPLAYED, *table.notes(), *made.notes(), *_failure_notes(said)),
    )


def _header(lines: TextLines) -> Header:
    said: list[tuple[int, str]] = []
    for text in lines:
        header = header_of(text, lines.number)
        if is_ncu_header(header):
            return header
        if is_said(text):
            said.append((lines.number, text))
    failure = failure_of(said)
    if failure is not None:
        raise ProfileRefused(lines.file, failure.reason)
    raise ProfileRefused(lines.file, 'has no table of ncu, which begins with "ID"; export it with --csv')


def _take_rows(table: DetailsTable | RawTable, rows: Iterator[list[str]]) -> list[tuple[int, str]]:
    """Give the rows to *table*, without what ncu itself reports between them; return those lines."""
    said: list[tuple[int, str]] = []
    for cells in rows:
        if not cells:
            continue
        if is_said(cells[0]):
            said.append((table.lines.number, ",".join(cells)))
        else:
            table.take(cells)
    return said


def _failure_notes(said: list[tuple[int, str]]) -> Iterator[str]:
    errors = sum(text.startswith(ERROR_LINE) for _, text in said)
    failure = failure_of(said)
    if errors and failure is not None:
        yield f"ncu reported {counted(errors, 'error')} below the table's header, so kernels may be missing: {failure.text}"
