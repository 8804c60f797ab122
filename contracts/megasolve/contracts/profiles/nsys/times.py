"""The times of one column of a report of ``nsys stats``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...model.base import PS_PER_NS
from ..text.csv_table import TextLines, amount_at, resolution
from .csv.columns import ReportColumn


class Times:
    """The times of one column; *step_ps* is the coarsest step of their last digits."""

    def __init__(self, column: ReportColumn, lines: TextLines) -> None:
        self.step_ps = 1
        self._column = column
        self._lines = lines
        self._unit_ps = column.unit_ps(lines)

    def of(self, cells: list[str]) -> int:
        """Return the time on a row."""
        text = cells[self._column.index]
        time_ps = amount_at(self._lines, self._column.title, text, self._unit_ps)
        if self._unit_ps > PS_PER_NS:
            self.step_ps = max(self.step_ps, resolution(text, self._unit_ps))
        return time_ps


def rounding_notes(columns: Iterable[Times]) -> Iterator[str]:
    """Yield whether the unit of the report rounds times."""
    step_ps = max(column.step_ps for column in columns)
    if step_ps > PS_PER_NS:
        yield f"times are rounded to {step_ps // PS_PER_NS:,} ns by the unit of the report: make it without --timeunit"
