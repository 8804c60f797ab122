"""Headroom as CSV: a row for each region of each batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..text.csv import csv_text
from ..text.numbers import Ps, ratio_text, us_text
from .wording import verdict_words

if TYPE_CHECKING:
    from megasolve.solver import BatchHeadroom, Headroom, HeadroomResult

COLUMNS = (
    "batch",
    "region",
    "launched",
    "kernels",
    "launches",
    "today_us",
    "kernels_us",
    "gaps_us",
    "waits_us",
    "floor_us",
    "floor_with_waits_us",
    "bound_by",
    "break_even_us",
    "break_even_factor",
    "saves_at_most_us",
    "saves_at_kernels_us",
    "assumed_us",
    "saves_as_assumed_us",
    "verdict",
    "baseline",
    "baseline_us",
)


def headroom_csv(result: HeadroomResult) -> str:
    """Return *result* as CSV text."""
    return csv_text(COLUMNS, _rows(result))


def _rows(result: HeadroomResult) -> Iterator[dict[str, object]]:
    for batch in result.batches:
        for row in batch.regions:
            cells = (*_cells(batch, row), batch.baseline.id, us_text(batch.baseline.score_ps))
            yield dict(zip(COLUMNS, cells, strict=True))


def _cells(batch: BatchHeadroom, row: Headroom) -> tuple[object, ...]:
    today = row.today
    return (
        batch.batch,
        row.region,
        row.launched,
        today.kernels,
        today.launches,
        *(us_text(ps) for ps in (today.total_ps, today.kernels_ps, today.gaps_ps, today.waits_ps, row.floor.time_ps)),
        _text(row.with_waits_ps),
        row.floor.bound_by or "",
        _text(row.break_even.time_ps),
        ratio_text(row.judged.factor) or "",
        us_text(row.saves_ps),
        us_text(row.at_kernels_ps),
        *(("", "") if row.supposed is None else (us_text(row.supposed.time_ps), us_text(row.supposed.saves_ps))),
        verdict_words(row),
    )


def _text(time_ps: Ps | None) -> str:
    return "" if time_ps is None else us_text(time_ps)
