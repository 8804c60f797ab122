"""Headroom as Markdown: the answer, and a table of the regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..text.numbers import US, decimal_text, unit_of
from ..text.tables import Column, markdown, markdown_text
from .text import shown_rows
from .wording import answer_lines, floor_notes, launch_line, opening_lines, verdict_words

if TYPE_CHECKING:
    from megasolve.solver import BatchHeadroom, Headroom, HeadroomResult


def headroom_markdown(result: HeadroomResult, *, show_all: bool = False) -> str:
    """Return *result* as Markdown text."""
    lines = [line for batch in result.batches for line in _batch_lines(result, batch, show_all=show_all)]
    return "\n".join(lines) + "\n"


def _batch_lines(result: HeadroomResult, batch: BatchHeadroom, *, show_all: bool) -> list[str]:
    shown = batch.regions if show_all else shown_rows(batch)
    hidden = len(batch.regions) - len(shown)
    return [
        *(f"{markdown_text(line)}  " for line in (*opening_lines(batch), *answer_lines(batch)[1:])),
        "",
        f"## {markdown_text(result.spec)} on {markdown_text(result.device)}, batch {batch.batch}",
        "",
        *(f"- {markdown_text(note)}" for note in (launch_line(batch), *batch.notes, *floor_notes(batch))),
        "",
        *(_table(batch, shown) if shown else []),
        *(["", f"{hidden:,} more regions, all of them with --all."] if hidden else []),
        "",
    ]


def _table(batch: BatchHeadroom, rows: Sequence[Headroom]) -> list[str]:
    unit = unit_of(batch.baseline.score_ps)
    numbers = ("today (µs)", "kernels (µs)", "gaps (µs)", "waits (µs)", "floor (µs)")
    columns = [
        Column("region"),
        *(Column(title, is_number=True) for title in numbers),
        Column("pays up to (µs)", is_number=True),
        Column("factor", is_number=True),
        Column(f"saves at most ({unit.name})", is_number=True),
        Column("verdict"),
    ]
    return markdown(columns, [[*_times(row), unit.number(row.saves_ps), verdict_words(row)] for row in rows])


def _times(row: Headroom) -> list[str]:
    today, found, factor = row.today, row.break_even, row.judged.factor
    times = (today.total_ps, today.kernels_ps, today.gaps_ps, today.waits_ps, row.floor.time_ps)
    name = f"{row.region} ({row.launched})" if row.launched else row.region
    at = "-" if found.time_ps is None else US.number(found.time_ps)
    return [name, *map(US.number, times), at, "-" if factor is None else decimal_text(factor, 4)]
