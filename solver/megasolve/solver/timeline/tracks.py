"""From an event graph and its outcome to tracks: the host, then each region with what its launches hold and run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from megasolve.simulate import EventGraph, Node, NodeKind, Outcome
from megasolve.simulate.events.arithmetic import exact, whole
from megasolve.simulate.predict.lowering.writer import HOST_PART, LOAD
from megasolve.simulate.predict.occurrences import DISPATCH_OF, GAPS_OF

from ..select.times import Ps
from .timeline import Arrow, Curve, DrawnSpan, Mark, SpanKind, Track

HOST = "host"


@dataclass(frozen=True, slots=True)
class Placed:
    """The *span* of the node *index*, on the track called *track*; of a pool that runs several tasks at once each lane is one."""

    track: str
    span: DrawnSpan
    index: int | None = None


def placed_spans(graph: EventGraph, outcome: Outcome) -> tuple[Placed, ...]:
    """Return every span of a schedule that lasts, launches before what runs in them, each with the track that it is on."""
    return (*_launches(graph, outcome), *_nodes(graph, outcome))


def _launches(graph: EventGraph, outcome: Outcome) -> Iterator[Placed]:
    for launch, admitted, released in zip(graph.launches, outcome.admitted, outcome.released, strict=True):
        if admitted is not None and released is not None:
            name = f"{launch.name} holds {launch.holds} CTAs"
            yield Placed(launch.name, DrawnSpan(name, SpanKind.HELD, exact(admitted), exact(released), holds=launch.holds))


def _nodes(graph: EventGraph, outcome: Outcome) -> Iterator[Placed]:
    region = HOST
    for index, node in enumerate(graph.nodes):
        # Kernels without a launch of their own stand behind the dispatch of their region, in program order.
        region = dispatched(node) or region
        start, end = exact(outcome.start[index]), exact(outcome.finish[index])
        if end > start:
            # A kernel beside another stream moves its bytes for as long as all of its waves take.
            demand = node.demand if node.grid is None else whole(Fraction(node.demand) * node.duration_ps / (end - start))
            span = DrawnSpan(node.name, kind_of(node), start, end, node.parts, demand)
            yield Placed(track_of(graph, node, region), span, index)


def dispatched(node: Node) -> str | None:
    """Return the region whose launch *node* is a part of; None where it is none."""
    if node.kind is not NodeKind.DISPATCH:
        return None
    label = node.parts[0][0] if node.parts else node.name
    return next((label.removeprefix(prefix) for prefix in (DISPATCH_OF, GAPS_OF) if label.startswith(prefix)), None)


def kind_of(node: Node) -> SpanKind:
    """Return what the span of *node* stands for."""
    if node.kind is not NodeKind.DISPATCH:
        return SpanKind.TASK
    return SpanKind.HOST if node.name.endswith(HOST_PART) else SpanKind.DISPATCH


def track_of(graph: EventGraph, node: Node, region: str) -> str:
    """Return the track of *node*: its launch's, further pools apart; the host's for host parts; else that of its *region*."""
    if kind_of(node) is SpanKind.HOST:
        return HOST
    if node.launch is None:
        return region
    name = graph.launches[node.launch].name
    return f"{name}, pool {node.pool + 1}" if node.pool else name


def tracks_of(placed: Sequence[Placed]) -> tuple[Track, ...]:
    """Return the tracks, the host first, then in the order in which they begin; what would overlap stands on a lane of its own."""
    names = dict.fromkeys(one.track for one in sorted(placed, key=lambda one: (one.track != HOST, one.span.start_ps)))
    return tuple(track for name in names for track in _lanes(name, [one.span for one in placed if one.track == name]))


def _lanes(name: str, spans: Sequence[DrawnSpan]) -> Iterator[Track]:
    lanes: list[TrackLane] = []
    for span in sorted(spans, key=lambda one: (one.start_ps, -one.end_ps, one.kind is not SpanKind.HELD)):
        if not any(lane.takes(span) for lane in lanes):
            lanes.append(TrackLane())
            lanes[-1].takes(span)
    for number, lane in enumerate(lanes):
        yield Track(f"{name}, lane {number + 1}" if number else name, tuple(lane.spans))


class TrackLane:
    """Spans that nest or follow each other, taken in the order in which they start."""

    def __init__(self) -> None:
        self.spans: list[DrawnSpan] = []
        self._open: list[DrawnSpan] = []

    def takes(self, span: DrawnSpan) -> bool:
        """Append *span* where it stands behind all others or inside a launch; return whether it does."""
        while self._open and self._open[-1].end_ps <= span.start_ps:
            self._open.pop()
        fits = not self._open or (self._open[-1].kind is SpanKind.HELD and span.end_ps <= self._open[-1].end_ps)
        if fits:
            self.spans.append(span)
            self._open.append(span)
        return fits


def arrows_of(graph: EventGraph, placed: Sequence[Placed], tracks: Sequence[Track]) -> tuple[Arrow, ...]:
    """Return what waited for what across tracks; nodes that take no time are passed through."""
    of = {one.index: one.span for one in placed if one.index is not None}
    where = {id(span): number for number, track in enumerate(tracks) for span in track.spans}
    found = []
    for index, target in of.items():
        for before in sorted(_lasting(graph, of, graph.predecessors[index])):
            arrow = Arrow(where[id(of[before])], of[before], where[id(target)], target)
            if arrow.source_track != arrow.target_track:
                found.append(arrow)
    return tuple(found)


def _lasting(graph: EventGraph, of: dict[int, DrawnSpan], before: Iterable[int]) -> set[int]:
    found, left, seen = set[int](), list(before), set[int]()
    while left:
        index = left.pop()
        if index in of:
            found.add(index)
        elif index not in seen:
            seen.add(index)
            left += graph.predecessors[index]
    return found


def curves_of(graph: EventGraph, outcome: Outcome, placed: Sequence[Placed]) -> tuple[Curve, ...]:
    """Return the free CTAs, and what running tasks ask of memory, over time."""
    launches = ((one.span.start_ps, one.span.end_ps, -one.span.holds) for one in placed if one.span.holds)
    held = _changes((*launches, *((exact(one.start), exact(one.finish), -one.sms) for one in outcome.waves)))
    asked = _changes((one.span.start_ps, one.span.end_ps, one.span.demand) for one in placed if one.span.demand)
    return (
        Curve("free CTAs", "CTAs", tuple(_running(held, graph.capacity_ctas))),
        Curve("HBM demand", "bytes/s", tuple(_running(asked, 0))),
    )


def _changes(lasting: Iterable[tuple[Ps, Ps, int | Fraction]]) -> dict[Ps, int | Fraction]:
    changes: dict[Ps, int | Fraction] = {0: 0}
    for start, end, value in lasting:
        changes[start] = changes.get(start, 0) + value
        changes[end] = changes.get(end, 0) - value
    return changes


def _running(changes: dict[Ps, int | Fraction], value: int | Fraction) -> Iterator[tuple[Ps, int | Fraction]]:
    for at, change in sorted(changes.items()):
        value += change
        if change or not at:
            yield at, value


def marks_of(graph: EventGraph, outcome: Outcome, end: str) -> tuple[Mark, ...]:
    """Return the instants that have a name: those that the publication waits for, and itself, which is called *end*."""
    named = {name: index for name, index in graph.labels.items() if name != LOAD}
    if graph.publication is not None:
        named[end] = graph.publication
    return tuple(Mark(name, exact(outcome.finish[index])) for name, index in named.items())
