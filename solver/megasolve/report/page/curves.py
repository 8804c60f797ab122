"""Scores from batch to batch: each design over the best of its batch, so that one sees where the answer changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..sweep.wins import best_text
from ..text.numbers import percent
from ..text.short_ids import short_id
from ..text.tables import one_line
from .plots import Frame, Tick

if TYPE_CHECKING:
    from megasolve.solver import BatchResult, Change

LEFT, RIGHT, TOP, BOTTOM = 90, 680, 20, 225
LEADERS, LINES = 3, 8
# A design that is far behind would press all others together: it leaves the picture at the top.
MOST_OVER = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class LineView:
    """A design: its points, one for each batch at which it is feasible."""

    id: str
    color: int
    points: tuple[tuple[int, int], ...]

    @property
    def short_id(self) -> str:
        """The id for a line."""
        return short_id(self.id)


@dataclass(frozen=True, slots=True)
class CrossingView:
    """Two neighbouring batches, as places in the picture, between which the best design changes, and how in words."""

    left: int
    right: int
    words: str


@dataclass(frozen=True, slots=True)
class CurvesView:
    """Lines of designs, a column for each batch, a row for each share over the best, and where the best changes."""

    columns: tuple[Tick, ...]
    rows: tuple[Tick, ...]
    lines: tuple[LineView, ...]
    crossings: tuple[CrossingView, ...]


def curves_view(results: Sequence[BatchResult], changes: Sequence[Change] = ()) -> CurvesView | None:
    """Return how the leading designs stand from batch to batch; None where fewer than two batches have any."""
    ranked = sorted((result for result in results if result.ranking), key=lambda one: one.batch)
    if len(ranked) < 2:
        return None
    leading = dict.fromkeys(row.id for result in ranked for row in [one for one in result.ranking if one.same_as is None][:LEADERS])
    over = {name: tuple(_over(ranked, name)) for name in [*leading][:LINES]}
    most = min(max((share for shares in over.values() for _, share in shares), default=Fraction(0)), MOST_OVER) or Fraction(1, 100)
    frame = Frame(LEFT, RIGHT, TOP, BOTTOM, Fraction(0), most)
    at_batch = {result.batch: frame.x(at, len(ranked)) for at, result in enumerate(ranked)}
    columns = tuple(Tick(x, BOTTOM, f"batch {batch}") for batch, x in at_batch.items())
    rows = tuple(Tick(LEFT, frame.y(most * step / 4), "best" if not step else f"+{percent(most * step / 4)}") for step in range(5))
    lines = [
        LineView(one_line(name), number, tuple((frame.x(at, len(ranked)), frame.y(share)) for at, share in shares if share <= most))
        for number, (name, shares) in enumerate(over.items())
    ]
    return CurvesView(columns, rows, tuple(lines), tuple(_crossings(changes, at_batch)))


def _crossings(changes: Sequence[Change], at_batch: dict[int, int]) -> Iterator[CrossingView]:
    for one in changes:
        if one.last in at_batch and one.first in at_batch:
            before, after = (one_line(best_text([*map(short_id, ids)])) for ids in (one.before, one.after))
            words = f"Between batch {one.last} and {one.first} the best changes from {before} to {after}."
            yield CrossingView(at_batch[one.last], at_batch[one.first], words)


def _over(ranked: Sequence[BatchResult], name: str) -> Iterator[tuple[int, Fraction]]:
    """Yield the place of each batch at which the candidate *name* is ranked, and by which share it is slower than the best there."""
    for at, result in enumerate(ranked):
        for row in result.ranking:
            if row.id == name:
                yield at, Fraction(row.score_ps) / Fraction(result.ranking[0].score_ps) - 1
