"""Scores from batch to batch: each design over the best of its batch, so that one sees where the answer changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..text.numbers import percent
from ..text.tables import one_line

if TYPE_CHECKING:
    from megasolve.solver import BatchResult

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


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on an axis with its words."""

    x: int
    y: int
    words: str


@dataclass(frozen=True, slots=True)
class CurvesView:
    """Lines of designs, a column for each batch and a row for each share over the best."""

    columns: tuple[Tick, ...]
    rows: tuple[Tick, ...]
    lines: tuple[LineView, ...]


def curves_view(results: Sequence[BatchResult]) -> CurvesView | None:
    """Return how the leading designs stand from batch to batch; None where fewer than two batches have any."""
    ranked = [result for result in results if result.ranking]
    if len(ranked) < 2:
        return None
    leading = dict.fromkeys(row.id for result in ranked for row in [one for one in result.ranking if one.same_as is None][:LEADERS])
    over = {name: tuple(_over(ranked, name)) for name in [*leading][:LINES]}
    most = min(max((share for shares in over.values() for _, share in shares), default=Fraction(0)), MOST_OVER) or Fraction(1, 100)
    columns = tuple(Tick(_x(at, len(ranked)), BOTTOM, f"batch {result.batch}") for at, result in enumerate(ranked))
    rows = tuple(Tick(LEFT, _y(most * step / 4, most), "best" if not step else f"+{percent(most * step / 4)}") for step in range(5))
    lines = [
        LineView(one_line(name), number, tuple((_x(at, len(ranked)), _y(share, most)) for at, share in shares if share <= most))
        for number, (name, shares) in enumerate(over.items())
    ]
    return CurvesView(columns, rows, tuple(lines))


def _over(ranked: Sequence[BatchResult], name: str) -> Iterator[tuple[int, Fraction]]:
    """Yield the place of each batch at which the candidate *name* is ranked, and by which share it is slower than the best there."""
    for at, result in enumerate(ranked):
        for row in result.ranking:
            if row.id == name:
                yield at, Fraction(row.score_ps) / Fraction(result.ranking[0].score_ps) - 1


def _x(at: int, count: int) -> int:
    return LEFT + round((RIGHT - LEFT) * at / (count - 1))


def _y(share: Fraction, most: Fraction) -> int:
    return BOTTOM - round((BOTTOM - TOP) * share / most)
