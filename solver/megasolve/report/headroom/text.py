"""The headroom of a spec for a person: three sentences, then a row for each region, those that can save most first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..text.numbers import US, TimeUnit, decimal_text, unit_of
from ..text.outside import beyond_plan_lines
from ..text.paint import PLAIN, Paint
from ..text.short_ids import short_id
from ..text.tables import Column, aligned, indented, one_line
from .wording import answer_lines, floor_notes, launch_line, opening_lines, verdict_words

if TYPE_CHECKING:
    from megasolve.solver import BatchHeadroom, Headroom, HeadroomResult

SHORT_ROWS = 10


def headroom_text(result: HeadroomResult, *, show_all: bool = False, paint: Paint = PLAIN) -> str:
    """Return *result* as text; *show_all* shows every region and not only those that can save most."""
    batches = [_batch_lines(result, batch, show_all=show_all, paint=paint) for batch in result.batches]
    for first in batches[:1]:
        behind_answer = first.index("") + 1
        first[behind_answer:behind_answer] = beyond_plan_lines(result.outside)
    return "\n".join(line for lines in batches for line in lines)


def shown_rows(batch: BatchHeadroom) -> list[Headroom]:
    """Return the rows that can save most, and those of which something is assumed."""
    return [row for place, row in enumerate(batch.regions) if place < SHORT_ROWS or row.supposed]


def _batch_lines(result: HeadroomResult, batch: BatchHeadroom, *, show_all: bool, paint: Paint) -> list[str]:
    shown = batch.regions if show_all else shown_rows(batch)
    hidden = len(batch.regions) - len(shown)
    more = [f"... {hidden:,} more regions, all of them with --all"] if hidden else []
    _, best, counts = answer_lines(batch)
    return [
        *map(one_line, opening_lines(batch)),
        paint.bold(one_line(best)),
        counts,
        "",
        f"{result.spec} on {result.device}, batch {batch.batch}",
        launch_line(batch),
        *(paint.yellow(f"NOTE: {one_line(note)}") for note in (*batch.notes, *floor_notes(batch))),
        "",
        *(indented([*_saving_table(shown, unit_of(batch.baseline.score_ps), paint), *more]) if shown else []),
        *([""] if shown else []),
        *(["what stands against it, for one call:", *indented(_against_table(shown, paint)), ""] if shown else []),
    ]


def _saving_table(rows: Sequence[Headroom], unit: TimeUnit, paint: Paint) -> list[str]:
    has_assumed, has_waits = any(row.supposed for row in rows), any(row.with_waits_ps is not None for row in rows)
    columns = [
        Column("region"),
        Column("launched"),
        *(Column(title, is_number=True) for title in ("today (µs)", "kernels", "gaps", "waits", "floor")),
        *([Column("with waits", is_number=True)] if has_waits else []),
        Column("bound by"),
        Column("pays up to", is_number=True),
        Column("factor", is_number=True),
        Column(f"saves at most ({unit.name})", is_number=True),
        Column("at today's kernels", is_number=True),
        *(Column(title, is_number=True) for title in (("assumed (µs)", "saves so") if has_assumed else ())),
        Column("verdict"),
    ]
    return aligned(columns, [_saving_cells(row, unit, has_assumed=has_assumed) for row in rows], paint)


def _saving_cells(row: Headroom, unit: TimeUnit, *, has_assumed: bool) -> list[str]:
    today, found, factor = row.today, row.break_even, row.judged.factor
    times = [US.number(ps) for ps in (today.total_ps, today.kernels_ps, today.gaps_ps, today.waits_ps, row.floor.time_ps)]
    return [
        short_id(row.region),
        row.launched,
        *times,
        *([] if row.with_waits_ps is None else [US.number(row.with_waits_ps)]),
        row.floor.bound_by or "unknown",
        "-" if found.time_ps is None else US.number(found.time_ps),
        "-" if factor is None else decimal_text(factor, 4),
        unit.number(row.saves_ps),
        unit.number(row.at_kernels_ps),
        *(_supposed_cells(row, unit) if has_assumed else []),
        verdict_words(row),
    ]


def _supposed_cells(row: Headroom, unit: TimeUnit) -> list[str]:
    return ["-", "-"] if row.supposed is None else [US.number(row.supposed.time_ps), unit.number(row.supposed.saves_ps)]


def _against_table(rows: Sequence[Headroom], paint: Paint) -> list[str]:
    columns = [
        Column("region"),
        Column("kernels", is_number=True),
        Column("launches", is_number=True),
        Column("shared launch shape"),
        Column("CTAs per SM", is_number=True),
        Column("narrow stages", is_number=True),
        Column("waits", is_number=True),
        Column("gap per wait (µs)", is_number=True),
    ]
    seen = {row.region: row for row in reversed(rows)}
    return aligned(columns, [_against_cells(row) for row in dict.fromkeys(seen[row.region] for row in rows)], paint)


def _against_cells(row: Headroom) -> list[str]:
    one, shape = row.against, row.against.shape
    threads, registers = (("?" if figure is None else f"{figure:,}") for figure in (shape.threads, shape.registers))
    return [
        short_id(row.region),
        f"{row.today.kernels:,}",
        f"{row.today.launches:,}",
        f"{threads} threads x {registers} registers, {shape.shared_bytes:,} B",
        "?" if shape.ctas_per_sm is None else str(shape.ctas_per_sm),
        "?" if one.narrowest_ctas is None else f"{one.narrow:,} of {one.stages:,}",
        f"{one.waits:,}",
        "-" if one.gap_per_wait_ps is None else US.number(one.gap_per_wait_ps),
    ]
