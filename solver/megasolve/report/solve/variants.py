"""Variants as text: how much slower a candidate is with other entries, and why some of them leave it without a score."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.entry_names import entries_text, variants_text
from ..text.numbers import TimeUnit, percent
from ..text.short_ids import short_id
from ..text.tables import Column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from megasolve.solver import Cause, Ranked, ScoredVariant

RIVALS_SHOWN = 5
VARIANTS_HEAD = "variants of the candidates above, best first:"


def next_variant_lines(row: Ranked, unit: TimeUnit) -> list[str]:
    """Return how much slower the best candidate is with its next entries; nothing where it has no slower variant."""
    if not row.slower:
        return []
    other = row.slower[0]
    more = f"; {counted(len(row.slower) - 1, 'more variant')} with --variants" if len(row.slower) > 1 else ""
    margin = percent(other.difference(row.score_ps))
    return [f"variant: with {entries_text(other.entries)} it takes {unit.text(other.score_ps)}, {margin} slower{more}"]


def too_close_variant_lines(row: Ranked) -> list[str]:
    """Return one line for each variant of the best candidate that the evidence cannot tell from it; of many, the nearest few."""
    close = row.too_close
    lines = [f"too close to call: {_instead(row, one)}" for one in close[:RIVALS_SHOWN]]
    hidden = len(close) - RIVALS_SHOWN
    return [*lines, f"too close to call: {counted(hidden, 'more variant')}"] if hidden > 0 else lines


def _instead(row: Ranked, other: ScoredVariant) -> str:
    stated = max(other.accuracy or Fraction(0), row.accuracy or Fraction(0))
    names = f"{short_id(row.id)} with {entries_text(other.entries)} instead of {entries_text(row.entries)}"
    return f"{names} is {percent(other.difference(row.score_ps))} slower, the evidence states ±{percent(stated)}"


def variant_notes(row: Ranked) -> Iterator[str]:
    """Yield which variants of a row tie, and which the evidence cannot tell from it."""
    if len(row.variants) > 1:
        yield f"{len(row.variants):,} variants tie: {variants_text(row.variants)}"
    if row.too_close:
        others = variants_text([one.entries for one in row.too_close])
        yield f"too close to {counted(len(row.too_close), 'slower variant')}: {others}"


def has_variants(row: Ranked) -> bool:
    """Whether a row has any variant beside the one that it is shown with."""
    return len(row.variants) > 1 or bool(row.slower or row.dropped)


def variant_columns(unit: TimeUnit) -> list[Column]:
    """Return the columns of a table of variants."""
    return [Column("candidate"), Column(f"score ({unit.name})", is_number=True), Column("over its best", is_number=True), Column("entries")]


def variant_rows(rows: Sequence[Ranked], unit: TimeUnit) -> Iterator[tuple[list[str], tuple[Cause, ...]]]:
    """Yield the cells of every variant of *rows*, row by row, each with the causes that leave it without a score."""
    for row in filter(has_variants, rows):
        for entries in row.variants:
            yield [short_id(row.id), unit.number(row.score_ps), "best", entries_text(entries)], ()
        for other in row.slower:
            yield [short_id(row.id), unit.number(other.score_ps), over(other.difference(row.score_ps)), entries_text(other.entries)], ()
        for one in row.dropped:
            yield [short_id(row.id), "-", "left out", entries_text(one.entries)], one.causes


def over(difference: Fraction) -> str:
    """Return how much more than the best a score is."""
    shown = percent(difference)
    return shown if shown.startswith("<") else f"+{shown}"
