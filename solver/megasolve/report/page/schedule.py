"""Schedules side by side on one scale: tracks of spans in thousandths of the longest, and curves below them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..text.numbers import TimeUnit, unit_of
from ..text.tables import one_line
from .blocks import color_of

if TYPE_CHECKING:
    from megasolve.solver.timeline.timeline import Chart, Curve, DrawnSpan, DrawnTimeline

WIDTH = 100_000
"""The longest schedule in units of the picture: whole numbers, so that a page stays small."""

MOST_TICKS = 8
MOST_DRAWN = 2_000
"""Up to so many spans a picture is SVG; above, a canvas draws them."""


@dataclass(frozen=True, slots=True)
class SpanView:
    """A span: from *x* on, *width* wide, in a class of its kind and colour; *words* say what it is, and when."""

    x: int
    width: int
    look: str
    words: str


@dataclass(frozen=True, slots=True)
class TrackView:
    """A track with its spans."""

    name: str
    spans: tuple[SpanView, ...]


@dataclass(frozen=True, slots=True)
class CurveView:
    """A curve as the points of a polygon, between 0 and 100 from the top; *peak* says what the top is."""

    name: str
    peak: str
    points: str


@dataclass(frozen=True, slots=True)
class MarkView:
    """An instant with a name, *left* in percent of the longest schedule."""

    words: str
    x: int
    left: float


@dataclass(frozen=True, slots=True)
class ChartView:
    """One schedule."""

    id: str
    tracks: tuple[TrackView, ...]
    curves: tuple[CurveView, ...]
    marks: tuple[MarkView, ...]
    end: int

    @property
    def spans(self) -> int:
        """How many spans it has."""
        return sum(len(track.spans) for track in self.tracks)

    @property
    def is_large(self) -> bool:
        """Whether a canvas draws it."""
        return self.spans > MOST_DRAWN

    @property
    def data(self) -> dict[str, object]:
        """The spans as short lists, for a canvas: words and looks stand once, spans name them by number."""
        spans = [span for track in self.tracks for span in track.spans]
        words, looks = _numbered(span.words for span in spans), _numbered(span.look for span in spans)
        tracks = [[(span.x, span.width, looks[span.look], words[span.words]) for span in track.spans] for track in self.tracks]
        return {"words": list(words), "looks": list(looks), "tracks": [[number for span in track for number in span] for track in tracks]}


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


@dataclass(frozen=True, slots=True)
class ScheduleView:
    """The schedules of a batch, the best first, on one scale: *width* stands for *last* of *unit*. *ticks* are round times of it."""

    width: int
    last: float
    unit: str
    charts: tuple[ChartView, ...]
    ticks: tuple[MarkView, ...]


def schedule_view(timelines: Sequence[DrawnTimeline], groups: Sequence[str]) -> ScheduleView:
    """Return *timelines* on the scale of the longest of them."""
    last = max((timeline.chart.end_ps for timeline in timelines), default=0) or 1
    unit = unit_of(last)
    charts = tuple(_chart(one.id, one.chart, last, unit, groups) for one in timelines)
    return ScheduleView(WIDTH, float(Fraction(last) / unit.ps), unit.name, charts, tuple(_ticks(last, unit)))


def _chart(name: str, chart: Chart, last: int | Fraction, unit: TimeUnit, groups: Sequence[str]) -> ChartView:
    tracks = tuple(TrackView(one_line(track.name), tuple(_span(one, last, unit, groups) for one in track.spans)) for track in chart.tracks)
    # A curve that is nowhere above nothing says nothing.
    curves = tuple(_curve(one, last) for one in chart.curves if any(value for _, value in one.points))
    marks = tuple(_mark(f"{', '.join(map(one_line, names))} {unit.text(at)}", at, last) for at, names in chart.instants)
    return ChartView(one_line(name), tracks, curves, marks, _x(chart.end_ps, last))


def _span(span: DrawnSpan, last: int | Fraction, unit: TimeUnit, groups: Sequence[str]) -> SpanView:
    start, end = _x(span.start_ps, last), _x(span.end_ps, last)
    # What is too short to see is drawn as a hair, not left out.
    return SpanView(start, max(end - start, 1), _look(span, groups), _words(span, unit))


def _look(span: DrawnSpan, groups: Sequence[str]) -> str:
    if span.kind.value != "task" or not span.groups:
        return span.kind.value
    return f"g{color_of(one_line(span.groups[0][0]), groups)}"


def _words(span: DrawnSpan, unit: TimeUnit) -> str:
    return f"{one_line(span.name)}: {unit.text(span.lasts_ps)}"


def _x(time: int | Fraction, last: int | Fraction) -> int:
    return round(Fraction(time) * WIDTH / last)


def _mark(words: str, at: int | Fraction, last: int | Fraction) -> MarkView:
    return MarkView(words, _x(at, last), float(Fraction(at) * 100 / last))


def _ticks(last: int | Fraction, unit: TimeUnit) -> Iterator[MarkView]:
    """Yield round times from 0 on, the most that are at most eight."""
    step = next(step for step in _round_steps(len(str(int(last)))) if step * MOST_TICKS >= last)
    for number in range(int(last // step) + 1):
        yield _mark(unit.number(number * step), number * step, last)


def _round_steps(digits: int) -> Iterator[int]:
    for power in range(max(digits - 2, 0), digits + 1):
        yield from (factor * 10**power for factor in (1, 2, 5))


def _curve(curve: Curve, last: int | Fraction) -> CurveView:
    peak = max((value for _, value in curve.points), default=0)
    points = [f"{x},{y}" for x, y in _steps(curve, last, peak)]
    unit = curve.unit.replace("bytes/s", "GB/s")
    shown = round(Fraction(peak) / 10**9) if curve.unit == "bytes/s" else round(peak)
    return CurveView(curve.name, f"{shown:,} {unit}", " ".join(points))


def _steps(curve: Curve, last: int | Fraction, peak: int | Fraction) -> Iterator[tuple[int, int]]:
    below = 100
    yield 0, below
    for at, value in curve.points:
        x, y = _x(at, last), 100 - round(Fraction(value) * 100 / peak) if peak else 100
        yield x, below
        yield x, y
        below = y
    end = _x(curve.points[-1][0], last) if curve.points else 0
    yield end, 100
