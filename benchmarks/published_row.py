"""One figure of the table of published figures: what the model says, what was published, and what the first rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

REPEATS_MOVE = 0.02
"""What a second measurement of the same thing moves by, rounded up: that of the Llama step (specs/published/llama_1b_decode.yaml)."""


class Mark(Enum):
    """What a row is worth: only a predicted one counts, as right or as wrong."""

    PREDICTED = "predicted"
    FITTED = "fitted"
    MISSING = "missing input"


@dataclass(frozen=True, slots=True)
class Row:
    """A published figure beside the model's.

    *basis* says what a fitted row was fitted to, or what a missing one lacks; *reason* why a prediction is wrong, if that is known.
    *before* is what the model said without the mechanisms that it got last, where these change the row.
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
    before: float | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What the row rests on, in words."""
        return tuple(note for note in (self.source, self.basis, self.reason) if note)

    @property
    def error(self) -> float | None:
        """The relative error of the model; None where either side is no number."""
        if isinstance(self.predicted, str) or isinstance(self.published, str) or self.predicted is None:
            return None
        return self.predicted / self.published - 1

    @property
    def error_before(self) -> float | None:
        """The relative error of the model without its last mechanisms; that of today where they change nothing."""
        if self.before is None or isinstance(self.published, str):
            return self.error
        return self.before / self.published - 1


@dataclass(frozen=True, slots=True)
class Winner(Row):
    """The best design of one of the paper's cases, judged inside its pool. *is_counted* is false for a row that stands apart.

    A right one *is_close* where it leads by less than a repeat of a measurement moves, or the evidence is for either of two designs. It
    *rests_on* the one premise that a public measurement speaks against and without which another design would win; empty where none
    does. *was_right* says so of the model before, where that is worked out.
    """

    is_right: bool = False
    is_counted: bool = True
    is_close: bool = False
    rests_on: str = ""
    was_right: bool | None = None

    @property
    def verdict(self) -> str:
        """Whether the model chooses the published winner, alone, and whether that can be told."""
        if not self.is_right:
            return "wrong"
        return "close" if self.is_close else "right"

    @property
    def verdict_before(self) -> str:
        """Whether the model chose the published winner before; today's verdict where that is not worked out."""
        if self.was_right is None:
            return self.verdict
        return "right" if self.was_right else "wrong"


@dataclass(frozen=True, slots=True)
class Published:
    """Where rows come from: a *table* of *source*, in one *unit*."""

    table: str
    source: str
    unit: str

    def predicted(
        self, figure: str, published: float, ours: float, *, basis: str = "", reason: str = "", before: float | None = None
    ) -> Row:
        """Return the row of a prediction, with the *reason* where it is known to be wrong, and what was said *before*."""
        return Row(self.table, figure, published, ours, Mark.PREDICTED, self.source, self.unit, basis, reason, before)

    def fitted(self, figure: str, published: float, ours: float, *, basis: str, reason: str = "", before: float | None = None) -> Row:
        """Return the row of a figure that the model was fitted to, or that shares what was, and what was said *before*."""
        return Row(self.table, figure, published, ours, Mark.FITTED, self.source, self.unit, basis, reason, before)

    def missing(self, figure: str, published: float, *, lacks: str) -> Row:
        """Return the row of a figure that the model has no inputs for."""
        return Row(self.table, figure, published, None, Mark.MISSING, self.source, self.unit, lacks)


def lines_of(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of *rows*: figures, then what they rest on, which rows that rest on the same things say once."""
    before: tuple[str, ...] = ()
    for row in rows:
        yield _figures_line(row)
        if row.notes != before:
            yield from (f"{'':<9}{note}" for note in row.notes)
        before = row.notes


def _figures_line(row: Row) -> str:
    judged, before = (row.verdict, row.verdict_before) if isinstance(row, Winner) else (_signed(row.error), _signed(row.error_before))
    figures = f"{_shown(row.predicted, row.unit):>30} {_shown(row.published, row.unit):>30} {judged:>8} {before:>8}"
    return f"{row.table:<6} {row.figure:<58} {figures}  {row.mark.value}"


def heading() -> str:
    """Return the first line of the table."""
    return f"{'':<6} {'figure':<58} {'the model':>30} {'published':>30} {'error':>8} {'before':>8}  mark"


def _signed(error: float | None) -> str:
    return "" if error is None else f"{error:+.1%}"


def _shown(value: float | str | None, unit: str) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    digits = f"{value:.3f}" if abs(value) < 10 else f"{value:,.2f}"
    return f"{digits} {unit}".rstrip()


def before_line(rows: Sequence[Row]) -> str:
    """Return how many of the cases' winners were predicted before."""
    winners = [row for row in rows if isinstance(row, Winner) and row.is_counted]
    right = sum(row.mark is Mark.PREDICTED and row.verdict_before != "wrong" for row in winners)
    return f"before, with one stated tile for every product of a graph: {right} of {len(winners)}"


def count_line(rows: Sequence[Row]) -> str:
    """Return how many of the cases' winners are predicted, how many are only fitted, and what those that are predicted rest on."""
    winners = [row for row in rows if isinstance(row, Winner) and row.is_counted]
    predicted = [row for row in winners if row.mark is Mark.PREDICTED and row.is_right]
    fitted = sum(row.mark is Mark.FITTED for row in winners)
    close = sum(row.is_close for row in predicted)
    resting = sum(bool(row.rests_on) and not row.is_close for row in predicted)
    told = f"fitted: {fitted}, resting on one assumption: {resting}, too close: {close}"
    return f"winners predicted: {len(predicted)} of {len(winners)}, {told}"
