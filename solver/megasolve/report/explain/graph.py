"""The region graph of a design in text: one line a group in the order in which they run, and lines from each to what waits for it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..text.numbers import TimeUnit, percent
from ..text.paint import PLAIN, Paint
from ..text.short_ids import short_id
from ..text.tables import Column, aligned, indented

if TYPE_CHECKING:
    from megasolve.solver import Exchange, Picture, PicturedGroup
    from megasolve.solver.select.times import Ps

_NODE, _LINE, _GAP = "o", "│", " "


def graph_lines(picture: Picture, score_ps: Ps, unit: TimeUnit, paint: Paint = PLAIN) -> list[str]:
    """Return the drawn graph, and what another order of independent groups would give."""
    columns = [Column(""), Column("group"), Column("region"), Column("role"), Column("notes")]
    cells = [[lanes, *(_facts(of) if of else [""] * 4)] for lanes, of in drawn(picture.groups)]
    heading = "region graph, groups as they run, each above what waits for it:"
    return [heading, *indented(aligned(columns, cells, paint)), *(_exchange(one, score_ps, unit) for one in picture.exchanges)]


def _facts(one: PicturedGroup) -> list[str]:
    times = f"{one.times:,} times in a row" if one.times > 1 else ""
    carried = f"the next step of {', '.join(one.next)} waits for it" if one.next else ""
    waits = "" if one.awaited else "publication does not wait for it"
    stream = "on the second stream" if one.stream == 2 else ""
    return [one.group, short_id(one.region), one.role, "; ".join(filter(None, (times, stream, carried, waits)))]


def _exchange(one: Exchange, score_ps: Ps, unit: TimeUnit) -> str:
    change = Fraction(one.score_ps) / Fraction(score_ps) - 1 if score_ps else Fraction(0)
    told = f"{percent(abs(change))} {'slower' if change > 0 else 'faster'}"
    return f"{one.first} runs before {one.second}, as in the spec: the other way round it would take {unit.text(one.score_ps)}, {told}"


def drawn(groups: Sequence[PicturedGroup]) -> list[tuple[str, PicturedGroup | None]]:
    """Return the lines of the graph, each with the group that stands in it.

    Every edge has a lane from its group down to the one that waits; lanes to the same group join above it.
    """
    lanes: list[str | None] = []
    lines: list[tuple[str, PicturedGroup | None]] = []
    ended = -1
    for one in groups:
        # Right below a group that nothing waits for, another one would seem to wait for it.
        ends = [index for index, target in enumerate(lanes) if target == one.group] or [_free(lanes, 0, ended)]
        here, *joining = ends
        if joining:
            lines.append((_joint(lanes, here, joining, ("┴", "┘")), None))
        for index in ends:
            lanes[index] = None
        lines.append((_row(lanes, here), one))
        ended = -1 if one.after else here
        lanes[here] = one.after[0] if one.after else None
        opening = []
        for target in one.after[1:]:
            opening.append(_free(lanes, here + 1))
            lanes[opening[-1]] = target
        if opening:
            lines.append((_joint(lanes, here, opening, ("┬", "┐")), None))
    return lines


def _free(lanes: list[str | None], least: int, but: int = -1) -> int:
    """Return the first lane from *least* on that nothing runs in, *but* left aside; a new one where all are taken."""
    for index in range(least, len(lanes)):
        if lanes[index] is None and index != but:
            return index
    lanes.append(None)
    return len(lanes) - 1


def _row(lanes: Sequence[str | None], here: int) -> str:
    marks = [_NODE if index == here else _LINE if target else _GAP for index, target in enumerate(lanes)]
    return " ".join(marks).rstrip()


def _joint(lanes: Sequence[str | None], here: int, others: Sequence[int], marks: tuple[str, str]) -> str:
    """Return the line in which *others* leave, or reach, the lane *here* to their left."""
    inner, last = marks
    found = ""
    for index, target in enumerate(lanes):
        is_inside = here <= index < others[-1]
        if index == here:
            mark = "├"
        elif index in others:
            mark = last if index == others[-1] else inner
        elif is_inside:
            mark = "┼" if target else "─"
        else:
            mark = _LINE if target else _GAP
        found += mark + ("─" if is_inside else " ")
    return found.rstrip()
