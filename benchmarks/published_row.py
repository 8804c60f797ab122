"""One figure of the table of published figures: what the model says, what was published, and what the first rests on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Mark(Enum):
    """What a row is worth: only a predicted one counts, as right or as wrong."""

    PREDICTED = "predicted"
    FITTED = "fitted"
    MISSING = "missing input"


@dataclass(frozen=True, slots=True)
class Row:
    """A published figure beside the model's.

    *basis* says what a fitted row was fitted to, or what a missing one lacks; *reason* why a prediction is wrong, if that is known.
    """

    table: str
    figure: str
    published: float | str
    predicted: float | str | None
    mark: Mark
    source: str
    unit: str = ""
    basis: str = ""
    reason: str = ""

    @property
    def error(self) -> float | None:
        """The relative error of the model; None where either side is no number."""
        if isinstance(self.predicted, str) or isinstance(self.published, str) or self.predicted is None:
            return None
        return self.predicted / self.published - 1


@dataclass(frozen=True, slots=True)
class Winner(Row):
    """The best design of one of the paper's cases, judged inside its pool. *is_counted* is false for a row that stands apart."""

    is_right: bool = False
    is_counted: bool = True

    @property
    def verdict(self) -> str:
        """Whether the model chooses the published winner, alone."""
        return "right" if self.is_right else "wrong"


def missing(table: str, figure: str, published: float | str, source: str, *, unit: str = "", lacks: str) -> Row:
    """Return a row that the model has no inputs for."""
    return Row(table, figure, published, None, Mark.MISSING, source, unit, basis=lacks)


def lines_of(row: Row) -> list[str]:
    """Return *row* as lines: the figures, then what they rest on."""
    judged = row.verdict if isinstance(row, Winner) else "" if row.error is None else f"{row.error:+.1%}"
    figures = f"{_shown(row.predicted, row.unit):>30} {_shown(row.published, row.unit):>30} {judged:>8}"
    notes = (row.source, row.basis, row.reason)
    return [f"{row.table:<6} {row.figure:<58} {figures}  {row.mark.value}", *(f"{'':<9}{note}" for note in notes if note)]


def heading() -> str:
    """Return the first line of the table."""
    return f"{'':<6} {'figure':<58} {'the model':>30} {'published':>30} {'error':>8}  mark"


def _shown(value: float | str | None, unit: str) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    digits = f"{value:.3f}" if abs(value) < 10 else f"{value:,.2f}"
    return f"{digits} {unit}".rstrip()


def count_line(rows: list[Row]) -> str:
    """Return how many of the cases' winners are predicted, and how many are only fitted."""
    winners = [row for row in rows if isinstance(row, Winner) and row.is_counted]
    predicted = sum(row.mark is Mark.PREDICTED and row.is_right for row in winners)
    fitted = sum(row.mark is Mark.FITTED for row in winners)
    return f"winners predicted: {predicted} of {len(winners)}, fitted: {fitted}"
