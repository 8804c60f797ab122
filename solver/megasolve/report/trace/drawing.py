"""A chart in characters: a line for each track, as wide as the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import cycle
from string import ascii_uppercase
from typing import TYPE_CHECKING

from ..text.numbers import TimeUnit, unit_of
from ..text.tables import one_line

if TYPE_CHECKING:
    from megasolve.solver.timeline.timeline import Chart, DrawnSpan, Track

# A launch that waits while it holds its CTAs, and what a launch costs: they draw weaker than the groups' letters.
_HELD, _COST, _IDLE = "-", ":", " "
_NARROWEST = 20
_LONGEST_NAME = 24
_END = "|"


def chart_lines(chart: Chart, columns: int) -> list[str]:
    """Return *chart* drawn in *columns* characters: its tracks, the instants that have a name, and what the letters stand for."""
    last = chart.end_ps
    names = [_short(track.name) for track in chart.tracks]
    wide = max(map(len, [*names, ""]))
    cells = max(columns - wide - 2 - len(_END), _NARROWEST)
    letters = _letters(chart)
    unit = unit_of(last)
    lines = [f"{name:{wide}}  {_drawn(track, last, cells, letters)}{_END}" for name, track in zip(names, chart.tracks, strict=True)]
    axis = [f"{'':{wide}}  {line}" for line in _axis(chart, cells, unit)]
    legend = ", ".join(letter if letter == group else f"{letter} {one_line(group)}" for group, letter in letters.items())
    return [*lines, *axis, f"{_COST} launch cost, {_HELD} held and waiting, {legend}"]


def _short(name: str) -> str:
    shown = one_line(name)
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 3]}..."


def _letters(chart: Chart) -> dict[str, str]:
    """Give each group the first letter of its name where that is free, else the next free one; they are used again beyond 26."""
    groups = dict.fromkeys(group for track in chart.tracks for span in track.spans if span.kind.value == "task" for group, _ in span.groups)
    given: dict[str, str] = {}
    spare = cycle(ascii_uppercase)
    for group in groups:
        own = group[:1].upper()
        free = [letter for letter in ascii_uppercase if letter not in given.values()]
        given[group] = own if own in free else next(iter(free), "") or next(spare)
    return given


def _drawn(track: Track, last: int | Fraction, cells: int, letters: dict[str, str]) -> str:
    """Draw what takes the most time of each cell; what is shorter than a cell is drawn where nothing else is."""
    if not last:
        return _IDLE * cells
    drawn = [_IDLE] * cells
    taken: list[int | Fraction] = [0] * cells
    # Launches first, so that their tasks are drawn over them.
    for span in sorted(track.spans, key=lambda one: one.kind.value != "held"):
        letter = _letter(span, letters)
        for cell, covered in _covered(span, last, cells):
            if letter == _HELD or drawn[cell] in (_IDLE, _HELD) or covered > taken[cell]:
                drawn[cell], taken[cell] = letter, 0 if letter == _HELD else covered
    return "".join(drawn)


def _letter(span: DrawnSpan, letters: dict[str, str]) -> str:
    if span.kind.value == "held":
        return _HELD
    groups = [group for group, _ in span.groups if group in letters]
    return letters[groups[0]] if span.kind.value == "task" and groups else _COST


def _covered(span: DrawnSpan, last: int | Fraction, cells: int) -> Iterator[tuple[int, Fraction]]:
    """Yield each cell that *span* reaches into, and how much of it, in cells."""
    start, end = Fraction(span.start_ps) * cells / last, Fraction(span.end_ps) * cells / last
    for cell in range(int(start), min(cells, -int(-end // 1))):
        covered = min(end, Fraction(cell + 1)) - max(start, Fraction(cell))
        if covered > 0:
            yield cell, covered


def _axis(chart: Chart, cells: int, unit: TimeUnit) -> Iterator[str]:
    last = chart.end_ps
    for time, names in chart.instants:
        place = min(int(Fraction(time) * cells / last), cells - 1) if last else 0
        words = f"{', '.join(map(one_line, names))} {unit.text(time)}"
        # To the right of its instant, or to the left where the line would end.
        yield f"{'':{place}}^ {words}" if place + len(words) + 2 <= cells else f"{f'{words} ^':>{place + 1}}"
