"""Timelines in characters: as wide as asked, and every group where it runs."""

from __future__ import annotations

from fractions import Fraction

import pytest

from megasolve.report.trace.drawing import chart_lines
from megasolve.solver.timeline.drawn import timeline
from megasolve.solver.timeline.timeline import Chart, DrawnSpan, DrawnTimeline, Mark, SpanKind, Track
from tests.support.planning.studies import nh_tts_with_later_chunks


def of_spans(**tracks: tuple[DrawnSpan, ...]) -> Chart:
    marks = (Mark("step h", 100), Mark("publication", 100), Mark("first chunk", 50))
    drawn = tuple(Track(name, spans) for name, spans in tracks.items())
    return Chart("id", drawn, marks=marks)


def task(group: str, start: int | Fraction, end: int | Fraction) -> DrawnSpan:
    return DrawnSpan(group, SpanKind.TASK, start, end, groups=((group, 1),))


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_a_drawing_is_as_wide_as_asked(columns: int) -> None:
    shown = timeline(nh_tts_with_later_chunks(), "m:P/m:B+L/m:C@dynamic:88/44", batch=32)
    assert isinstance(shown, DrawnTimeline)
    lines = chart_lines(shown.chart, columns)
    assert max(map(len, lines)) == columns
    assert len({len(line) for line in lines if line.endswith("|")}) == 1


def test_each_cell_has_what_takes_the_most_of_it() -> None:
    held = DrawnSpan("m:A holds 4 CTAs", SpanKind.HELD, 10, 100, holds=4)
    (drawn, *_) = chart_lines(of_spans(A=(held, task("attention", 20, 50), task("mlp", 50, Fraction(121, 2)))), 24)
    # Waiting gives way to whatever runs in a part of a cell.
    assert drawn == "A    --AAAAAAMMM-------|"


def test_what_is_shorter_than_a_cell_is_drawn_where_nothing_else_is() -> None:
    (drawn, *_) = chart_lines(of_spans(A=(task("x", 0, 1), task("y", 50, 51), task("z", 99, 100))), 24)
    assert drawn == "A  X         Y        Z|"


def test_instants_stand_below_their_place_and_those_at_once_together() -> None:
    lines = chart_lines(of_spans(A=(task("x", 0, 100),)), 60)
    assert lines[1].index("^") == lines[0].index("X") + 28
    assert [line.split(" ^")[0].strip() for line in lines[2:3]] == ["step h, publication 0.000 µs"]


def test_groups_of_one_letter_get_letters_of_their_own_and_a_legend() -> None:
    *_, legend = chart_lines(of_spans(A=(task("mlp", 0, 50), task("moe", 50, 100))), 60)
    assert legend == ": launch cost, - held and waiting, M mlp, A moe"


def test_names_that_a_terminal_would_obey_are_shown_and_long_ones_cut() -> None:
    lines = chart_lines(of_spans(**{"\x1b[31m" + "x" * 4000: (task("\x1b", 0, 100),)}), 60)
    assert max(map(len, lines)) <= 60
    assert "\x1b" not in "".join(lines)


def test_an_empty_timeline_is_drawn_empty() -> None:
    assert chart_lines(Chart("id", ()), 60)
