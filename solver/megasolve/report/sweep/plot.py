"""Scores as bars, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..text.numbers import Ps, unit_of
from ..text.tables import one_line
from .values import value_text

if TYPE_CHECKING:
    from megasolve.solver import Sweep

WIDTH, NARROWEST = 60, 10
# The indent, the sign of a bar, and the spaces between them.
_AROUND = 6
Bar = tuple[str, str, "Ps | None"]


def plot_lines(sweep: Sweep, columns: int | None = None) -> list[str]:
    """Return a bar for each score: by batch the best design with megakernels (m) and without (c), by value the best (*).

    Bars are shorter than they could be where a line with its number has no more than so many *columns*.
    """
    lines: list[str] = []
    for batches in sweep.batches:
        bars: list[Bar] = []
        for one in batches.category.extents:
            bars += [(str(one.batch), "m", one.fused.score_ps if one.fused else None)]
            bars += [("", "c", one.plain.score_ps if one.plain else None)]
        lines += _bars(f"{batches.objective.value} by batch: m with megakernels, c without", bars, columns)
    for field in sweep.fields:
        every = [(value_text(point.value), point.result) for point in field.points]
        scores: list[Bar] = [(value, "*", result.ranking[0].score_ps if result.ranking else None) for value, result in every]
        lines += _bars(f"{field.objective.value} at batch {field.batch} by {field.path}", scores, columns)
    return lines


def _bars(title: str, bars: Sequence[Bar], columns: int | None) -> Iterator[str]:
    known = [Fraction(score) for _, _, score in bars if score is not None]
    most, unit = max(known, default=Fraction(1)), unit_of(max(known, default=Fraction(0)).__ceil__())
    wide = max(len(label) for label, _, _ in bars)
    numbers = ["-" if score is None else unit.number(score) for _, _, score in bars]
    room = WIDTH if columns is None else columns - wide - max(map(len, numbers), default=0) - _AROUND
    width = min(WIDTH, max(room, NARROWEST))
    yield f"{one_line(title)} ({unit.name})"
    for (label, sign, score), number in zip(bars, numbers, strict=True):
        length = 0 if score is None else max(round(Fraction(score) / most * width), 1)
        yield f"  {label.rjust(wide)} {sign} {(sign * length).ljust(width)} {number}"
    yield ""
