"""The schedule of one candidate: spans on tracks, what is free and what is asked of memory over time, and what waited for what."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from megasolve.simulate import Objective

from ..select.times import Ps


class SpanKind(Enum):
    """What a span stands for: work of the host, a cost of a launch on the device, CTAs that a launch holds, a service, a wait."""

    HOST = "host"
    DISPATCH = "dispatch"
    HELD = "held"
    TASK = "task"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class DrawnSpan:
    """Something that lasts from *start_ps* to *end_ps*.

    *groups* has the standalone time of each group in it, and *demand* the bytes per second that it asks of memory. A launch *holds*
    CTAs; its tasks stand inside its span.
    """

    name: str
    kind: SpanKind
    start_ps: Ps
    end_ps: Ps
    groups: tuple[tuple[str, int], ...] = ()
    demand: Fraction | int = 0
    holds: int = 0

    @property
    def lasts_ps(self) -> Ps:
        """From start to end."""
        return self.end_ps - self.start_ps


@dataclass(frozen=True, slots=True)
class Track:
    """Spans that nest or follow each other, the outer ones first."""

    name: str
    spans: tuple[DrawnSpan, ...]


@dataclass(frozen=True, slots=True)
class Arrow:
    """A span that could not start before another, on another track, had ended."""

    source_track: int
    source: DrawnSpan
    target_track: int
    target: DrawnSpan


@dataclass(frozen=True, slots=True)
class Curve:
    """A value over time: from each time on, until the next. *unit* says what it counts."""

    name: str
    unit: str
    points: tuple[tuple[Ps, int | Fraction], ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """An instant that a reader looks for: step h, the first chunk, the publication."""

    name: str
    at_ps: Ps


@dataclass(frozen=True, slots=True)
class Chart:
    """Tracks that begin at 0, with curves, arrows and marks: whatever is shown against time, and is called *title*."""

    title: str
    tracks: tuple[Track, ...]
    curves: tuple[Curve, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    marks: tuple[Mark, ...] = ()

    @property
    def end_ps(self) -> Ps:
        """When the last span ends."""
        return max((span.end_ps for track in self.tracks for span in track.spans), default=0)

    @property
    def instants(self) -> tuple[tuple[Ps, tuple[str, ...]], ...]:
        """The times of the marks, in order, each with the names of all that stand there."""
        names: dict[Ps, list[str]] = {}
        for mark in self.marks:
            names.setdefault(mark.at_ps, []).append(mark.name)
        return tuple((at, tuple(names[at])) for at in sorted(names))


@dataclass(frozen=True, slots=True)
class DrawnTimeline:
    """The schedule of the candidate *id* at *batch*.

    The publication's time over *divisor* is the score, which is *objective*; the divisor is above 1 only for steady objectives. *tiles*
    has what the workers do in each call whose time was derived, where that was asked for.
    """

    id: str
    batch: int
    objective: Objective
    score_ps: Ps
    divisor: int
    chart: Chart
    tiles: tuple[Chart, ...] = ()
