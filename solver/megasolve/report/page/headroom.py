"""What else could be built: what each region that is no megakernel yet would have to reach, and in which order to build."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..headroom.plan import names_of, note_lines, order_lines
from ..headroom.wording import answer_lines, floor_notes, launch_line, named, verdict_words
from ..text.kernel_words import microseconds
from ..text.numbers import unit_of
from ..text.short_ids import short_id
from ..text.tables import one_line

if TYPE_CHECKING:
    from megasolve.solver import BatchHeadroom, BatchPlan, Headroom

MOST_ROWS = 12


@dataclass(frozen=True, slots=True)
class HeadroomRow:
    """One region: today's kernels and gaps, its floor and its break-even, also in percent of the longest row (None: nowhere)."""

    region: str
    verdict: str
    is_hopeless: bool
    is_assumed: bool
    saves: str
    today: str
    floor: str
    pays: str
    kernels_width: float
    gaps_width: float
    floor_at: float
    pays_at: float | None


@dataclass(frozen=True, slots=True)
class BuildView:
    """One step of the build order."""

    at_most: int
    added: str
    score: str
    saves: str
    design: str
    width: float


@dataclass(frozen=True, slots=True)
class HeadroomView:
    """What else could be built, in three sentences and region by region; *order* has the steps where something is assumed."""

    answer: tuple[str, ...]
    notes: tuple[str, ...]
    rows: tuple[HeadroomRow, ...]
    more: str
    order_answer: tuple[str, ...]
    order: tuple[BuildView, ...]
    order_notes: tuple[str, ...]


def headroom_view(found: BatchHeadroom | None, order: BatchPlan | None) -> HeadroomView | None:
    """Return what else could be built at one batch; None where nobody asked, or nobody can say it."""
    if found is None:
        return None
    rows = found.regions[:MOST_ROWS]
    widest = max((max(row.today.total_ps, row.floor.time_ps) for row in rows), default=0) or 1
    hidden = len(found.regions) - len(rows)
    notes = [launch_line(found), *floor_notes(found), *found.notes] if rows else []
    return HeadroomView(
        answer=tuple(map(one_line, answer_lines(found))),
        notes=tuple(map(one_line, notes)),
        rows=tuple(_row(row, widest) for row in rows),
        more=f"{counted(hidden, 'more region')} can save less: megasolve headroom has them all." if hidden else "",
        order_answer=tuple(map(one_line, order_lines(order))) if order else (),
        order=tuple(_steps(order)) if order else (),
        order_notes=tuple(map(one_line, note_lines(order))) if order else (),
    )


def _row(row: Headroom, widest: int) -> HeadroomRow:
    today, pays = row.today, row.break_even.time_ps
    return HeadroomRow(
        region=one_line(named(row)),
        verdict=verdict_words(row),
        is_hopeless=row.judged.verdict.value == "cannot pay",
        is_assumed=row.supposed is not None,
        saves=unit_of(row.saves_ps).text(row.saves_ps),
        today=microseconds(today.total_ps),
        floor=microseconds(row.floor.time_ps) if row.floor.bound_by else "unknown",
        pays="-" if pays is None else microseconds(pays),
        kernels_width=_share(today.kernels_ps, widest),
        gaps_width=_share(today.gaps_ps + today.waits_ps, widest),
        floor_at=_share(row.floor.time_ps, widest),
        pays_at=None if pays is None or pays > widest else _share(pays, widest),
    )


def _share(time_ps: int | Fraction, whole: int | Fraction) -> float:
    return float(Fraction(time_ps) * 100 / Fraction(whole))


def _steps(order: BatchPlan) -> Iterator[BuildView]:
    first = order.order.rows[0].best.score_ps
    unit = unit_of(first)
    for row in order.order.rows:
        saves = unit.text(row.saves_ps) if row.saves_ps else ""
        width = _share(row.best.score_ps, first)
        yield BuildView(
            row.at_most, one_line(names_of(row.added)), unit.text(row.best.score_ps), saves, one_line(short_id(row.best.id)), width
        )
