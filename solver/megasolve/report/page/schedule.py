"""Schedules side by side on one scale: tracks of spans in parts of the longest, and curves below them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..text.numbers import TimeUnit, unit_of
from ..text.tables import one_line
from .blocks import color_of
from .differences import differences

if TYPE_CHECKING:
    from megasolve.solver.timeline.timeline import Chart, Curve, DrawnSpan, DrawnTimeline

WIDTH = 100_000
"""The longest schedule in units of the picture: whole numbers, so that a page stays small."""

MOST_TICKS = 8
MOST_DRAWN = 2_000
"""Up to so many spans a picture is SVG; above, a canvas draws them."""
ROW, THIN_ROW, MOST_ROWS = 22, 5, 40
"""How high a track is, and how high where there are more than so many."""
SEEN = WIDTH // 1_000
"""Differences that are shorter, or closer together, are one: nobody would see them apart."""


@dataclass(frozen=True, slots=True)
class SpanView:
    """A span: from *x* on, *width* wide, in a class of its kind and colour; *words* say what it is, and how long."""

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
    """A curve as the points of a polygon, between 0 and 100 from the top; *peak* says how high it reaches.

    Where curves of its name reach over what the device has, *limit_y* is the place of that.
    """

    name: str
    peak: str
    points: str
    limit_y: int | None = None


@dataclass(frozen=True, slots=True)
class MarkView:
    """An instant with a name, *left* in percent of the longest schedule."""

    words: str
    x: int
    left: float


@dataclass(frozen=True, slots=True)
class ChartView:
    """One schedule; *differs* has where other groups run than in the best, as places and widths, and *compared* says so in words."""

    id: str
    tracks: tuple[TrackView, ...]
    curves: tuple[CurveView, ...]
    marks: tuple[MarkView, ...]
    end: int
    differs: tuple[tuple[int, int], ...] = ()
    compared: str = ""

    @property
    def spans(self) -> int:
        """How many spans it has."""
        return sum(len(track.spans) for track in self.tracks)

    @property
    def is_large(self) -> bool:
        """Whether a canvas draws it."""
        return self.spans > MOST_DRAWN

    @property
    def row(self) -> int:
        """How high a track is."""
        return THIN_ROW if len(self.tracks) > MOST_ROWS else ROW

    @property
    def names(self) -> tuple[tuple[str, int], ...]:
        """The names of tracks, each with how high it stands: of many that are thin, some."""
        if self.row == ROW:
            return tuple((track.name, ROW) for track in self.tracks)
        together = 4
        groups = [self.tracks[at : at + together] for at in range(0, len(self.tracks), together)]
        return tuple((group[0].name, self.row * len(group)) for group in groups)

    @property
    def data(self) -> dict[str, object]:
        """The spans as short lists, for a canvas: how far behind the start of the one before it, how wide, and which kind of span."""
        kinds = {
            kind: number for number, kind in enumerate(dict.fromkeys((one.look, one.words) for track in self.tracks for one in track.spans))
        }
        tracks = [list(_packed(track.spans, kinds)) for track in self.tracks]
        return {"kinds": list(kinds), "row": self.row, "tracks": tracks}


def _packed(spans: Sequence[SpanView], kinds: dict[tuple[str, str], int]) -> Iterator[int]:
    before = 0
    for span in spans:
        yield from (span.x - before, span.width, kinds[span.look, span.words])
        before = span.x


@dataclass(frozen=True, slots=True)
class ScheduleView:
    """The schedules of a batch, the best first, on one scale: *width* stands for *last* of *unit*. *ticks* are round times of it."""

    width: int
    last: float
    unit: str
    charts: tuple[ChartView, ...]
    ticks: tuple[MarkView, ...]
    legend: tuple[tuple[str, int], ...] = ()

    @property
    def has_limit(self) -> bool:
        """Whether some curve reaches over what the device has."""
        return any(curve.limit_y is not None for chart in self.charts for curve in chart.curves)


def schedule_view(timelines: Sequence[DrawnTimeline], groups: Sequence[str], limits: Mapping[str, int] | None = None) -> ScheduleView:
    """Return *timelines* on the scale of the longest of them, and curves of one name on that of the highest.

    *limits* has what the device has of that which a curve shows, by its name.
    """
    last = max((timeline.chart.end_ps for timeline in timelines), default=0) or 1
    unit = unit_of(last)
    drawing = _Drawing(last, unit, groups, scale=CurveScale(_peaks([one.chart for one in timelines]), limits or {}))
    best = timelines[0].chart if timelines else None
    charts = tuple(drawing.chart(one.id, one.chart, None if one.chart is best else best) for one in timelines)
    return ScheduleView(WIDTH, float(Fraction(last) / unit.ps), unit.name, charts, tuple(_ticks(last, unit)))


def tiles_view(chart: Chart) -> ScheduleView:
    """Return the schedule of the tiles of one call; its colours are those of the operators, which the legend names."""
    operators = list(dict.fromkeys(group for track in chart.tracks for span in track.spans for group, _ in span.groups))
    names = [one_line(name) for name in operators]
    last = chart.end_ps or 1
    unit = unit_of(last)
    drawing = _Drawing(last, unit, names, CurveScale(_peaks([chart]), {}), has_times=False)
    legend = tuple((name, color_of(name, names)) for name in names)
    ticks = tuple(_ticks(last, unit))
    return ScheduleView(WIDTH, float(Fraction(last) / unit.ps), unit.name, (drawing.chart(chart.title, chart, None),), ticks, legend)


def _peaks(charts: Sequence[Chart]) -> dict[str, int | Fraction]:
    peaks: dict[str, int | Fraction] = {}
    for curve in (curve for chart in charts for curve in chart.curves):
        peaks[curve.name] = max(peaks.get(curve.name, 0), *(value for _, value in curve.points), 0)
    return peaks


@dataclass(frozen=True, slots=True)
class CurveScale:
    """The top of the curves of each name, and what the device has of what they show, where that is less."""

    peaks: Mapping[str, int | Fraction]
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Drawing:
    """Draws charts that are at most *last* long; words of spans have their times unless there are too many to write each down."""

    last: int | Fraction
    unit: TimeUnit
    groups: Sequence[str]
    scale: CurveScale
    has_times: bool = True

    def chart(self, name: str, chart: Chart, best: Chart | None) -> ChartView:
        """Return *chart*, compared with that of the *best* if it is another one."""
        tracks = tuple(TrackView(one_line(track.name), tuple(map(self._span, track.spans))) for track in chart.tracks)
        # A curve that is nowhere above nothing says nothing.
        curves = tuple(_curve(one, self.last, self.scale) for one in chart.curves if any(value for _, value in one.points))
        marks = tuple(_mark(f"{', '.join(map(one_line, names))} {self.unit.text(at)}", at, self.last) for at, names in chart.instants)
        other = [] if best is None else list(differences(best, chart))
        places = tuple(_seen([(_x(begin, self.last), _x(end, self.last)) for begin, end in other]))
        compared = "" if best is None else self._compared(best, chart, other)
        return ChartView(one_line(name), tracks, curves, marks, _x(chart.end_ps, self.last), places, compared)

    def _compared(self, best: Chart, chart: Chart, other: Sequence[tuple[int | Fraction, int | Fraction]]) -> str:
        later = Fraction(chart.end_ps) - Fraction(best.end_ps)
        ends = f"ends {self.unit.text(abs(later))} {'later' if later > 0 else 'earlier'}" if later else "ends at the same time"
        if not other:
            return f"Runs the same groups at the same time; {ends}."
        return f"Runs as the best does until {self.unit.text(other[0][0])}; {ends}."

    def _span(self, span: DrawnSpan) -> SpanView:
        start, end = _x(span.start_ps, self.last), _x(span.end_ps, self.last)
        words = f"{one_line(span.name)}: {self.unit.text(span.lasts_ps)}" if self.has_times else one_line(span.name)
        # What is too short to see is drawn as a hair, not left out.
        return SpanView(start, max(end - start, 1), self._look(span), words)

    def _look(self, span: DrawnSpan) -> str:
        if span.kind.value != "task" or not span.groups:
            return span.kind.value
        return f"g{color_of(one_line(span.groups[0][0]), self.groups)}"


def _seen(places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield intervals as places and widths, those that are too near to tell apart as one, without those that nobody would see."""
    joined: list[tuple[int, int]] = []
    for begin, end in places:
        if joined and begin - joined[-1][1] < SEEN:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
    yield from ((begin, end - begin) for begin, end in joined if end - begin >= SEEN)


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


def _curve(curve: Curve, last: int | Fraction, scale: CurveScale) -> CurveView:
    peak = scale.peaks[curve.name]
    # Beyond so many steps nobody sees each: what is high in a column of the picture stays.
    column = SEEN // 2 if len(curve.points) > MOST_DRAWN else 1
    points = [f"{x},{y}" for x, y in _thinned(_steps(curve, last, peak), column)]
    own = max(value for _, value in curve.points)
    limit = scale.limits.get(curve.name)
    if limit is None or limit > peak:
        return CurveView(curve.name, _amount(curve, own), " ".join(points))
    words = f"{_amount(curve, own).partition(' ')[0]} of {_amount(curve, limit)}"
    return CurveView(curve.name, words, " ".join(points), _height(limit, peak))


def _amount(curve: Curve, value: int | Fraction) -> str:
    return f"{round(Fraction(value) / 10**9):,} GB/s" if curve.unit == "bytes/s" else f"{round(value):,} {curve.unit}"


def _height(value: int | Fraction, peak: int | Fraction) -> int:
    return 100 - round(Fraction(value) * 100 / peak) if peak else 100


def _steps(curve: Curve, last: int | Fraction, peak: int | Fraction) -> Iterator[tuple[int, int]]:
    below = 100
    yield 0, below
    for at, value in curve.points:
        x, y = _x(at, last), _height(value, peak)
        yield x, below
        yield x, y
        below = y
    end = _x(curve.points[-1][0], last) if curve.points else 0
    yield end, 100


def _thinned(points: Iterator[tuple[int, int]], wide: int) -> Iterator[tuple[int, int]]:
    """Yield *points* without repetitions, and of many in a column so *wide* the first, the highest and the last."""
    column: list[tuple[int, int]] = []
    for point in points:
        if column and column[0][0] // wide != point[0] // wide:
            yield from _kept(column)
            column = []
        column.append(point)
    yield from _kept(column)


def _kept(column: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    if not column:
        return
    first, last, highest = column[0], column[-1], min(column, key=lambda point: point[1])
    yield first
    if highest not in (first, last):
        yield highest
    if last != first or highest != first:
        yield last
