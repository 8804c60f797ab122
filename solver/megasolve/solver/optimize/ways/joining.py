"""Joining: where conventional regions that follow each other are one design however they are cut, and how many candidates that makes.

Between kernels that are launched alike a cut makes no difference, unless it is one of a graph in one role. That holds inside a block of
the step, too, each repeat of which launches the same ones in the same order, and at its ends. But a region that goes on behind a block
holds all of it: whether the cuts at its ends are free depends on those inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import groupby, pairwise, product

from ..space.arcs import Arc, Space

GRAPH = "c:graph"
# The candidates in which the last region goes on from before the block, in which it begins with it, and in which it ends where it does.
Counts = tuple[int, int, int]
NONE_YET: Counts = (0, 0, 1)


class Inside(Enum):
    """Where an arc stands: OUTSIDE of what is cut up, or in a block that is one kind of kernels as a WHOLE, ALIKE so far only, or MIXED."""

    OUTSIDE = "outside"
    WHOLE = "whole"
    ALIKE = "alike"
    MIXED = "mixed"


_CAN_JOIN = (Inside.OUTSIDE, Inside.WHOLE)


class Joints:
    """The cuts of one space's ways that make no difference; *roles* are those of its groups."""

    def __init__(self, space: Space, roles: Mapping[str, str]) -> None:
        self._open, self._spans = space.open_cuts, space.spans
        self._roles = [roles[group] for group in space.groups]

    def _meet(self, before: Arc, arc: Arc) -> bool:
        """Whether two arcs are launched alike, and not as a graph of one role."""
        kinds = before.border or before.slot.kind, arc.border or arc.slot.kind
        if arc.first not in self._open or kinds[0] != kinds[1] or not kinds[0].startswith("c:"):
            return False
        is_inside = before.slot.kind == arc.slot.kind == GRAPH and self._roles[arc.first - 1] == self._roles[arc.first]
        return not is_inside

    def follow(self, before: Arc | None, place: Inside, arc: Arc) -> Iterator[Inside]:
        """Yield where *arc* may stand behind *before*, which stands at *place*.

        A block of kernels that are alike has to be a WHOLE from its first group on, so that each way stands in one manner.
        """
        if arc.block is None:
            yield Inside.OUTSIDE
            return
        first, last = self._spans[arc.block]
        is_last = arc.last == last
        if before is None or arc.first == first:
            is_alike = arc.slot.kind.startswith("c:") and arc.slot.kind != GRAPH and not is_last
            yield from (Inside.WHOLE, Inside.ALIKE) if is_alike else (Inside.MIXED,)
            return
        is_alike = place is not Inside.MIXED and self._meet(before, arc)
        if place is Inside.WHOLE:
            yield from (Inside.WHOLE,) if is_alike else ()
        elif not (is_alike and is_last):
            yield Inside.ALIKE if is_alike else Inside.MIXED

    def places(self, way: Sequence[Arc]) -> list[Inside]:
        """Return where each arc of *way* stands."""
        found: list[Inside] = []
        for block, inside in groupby(way, key=lambda arc: arc.block):
            arcs = list(inside)
            is_whole = len(arcs) > 1 and all(self._meet(*pair) for pair in pairwise(arcs))
            found += [Inside.OUTSIDE if block is None else Inside.WHOLE if is_whole else Inside.MIXED] * len(arcs)
        return found

    def join(self, before: Arc, place: Inside, arc: Arc, after: Inside) -> bool:
        """Whether *arc*, which stands at *after*, goes on with the region of the arc *before*, at *place*, in the first candidate."""
        is_between = before.block is None or before.block != arc.block
        return self._meet(before, arc) and not (is_between and not (place in _CAN_JOIN and after in _CAN_JOIN))

    def joined(self, way: Sequence[Arc]) -> list[bool]:
        """Return, for each arc of *way*, whether it goes on with the region before it in the first candidate."""
        each = zip(way, self.places(way), strict=True)
        return [False, *(self.join(*one, *other) for one, other in pairwise(each))]

    def grown(self, counts: Counts, before: Arc | None, place: Inside, arc: Arc, after: Inside) -> Counts:
        """Return how many candidates are one design up to and with *arc*, of *counts* up to the arc *before*."""
        going, begun, ended = counts
        if before is not None and arc.block is not None and before.block == arc.block:
            # A region that came from before the block goes on to its end; one that begins with it may end anywhere.
            often = 1 + self._meet(before, arc)
            return (going, begun, often * ended + begun) if after is Inside.WHOLE else (0, 0, often * ended)
        every = going + begun + ended
        more = going + begun if before is not None and self.join(before, place, arc, after) else 0
        if after is Inside.OUTSIDE:
            goes_on = arc.joining if arc.slot.kind == "-" else arc.ways
            return goes_on * (every + more), 0, (arc.ways - goes_on) * every
        return (more, every, 0) if after is Inside.WHOLE else (0, 0, every)

    def count(self, way: Sequence[Arc]) -> int:
        """Return how many candidates *way* is the design of: those that differ in cuts that make no difference."""
        counts, before, place = NONE_YET, None, Inside.OUTSIDE
        for arc, after in zip(way, self.places(way), strict=True):
            counts = self.grown(counts, before, place, arc, after)
            before, place = arc, after
        return sum(counts)

    def cuttings(self, way: Sequence[Arc]) -> Iterator[frozenset[int]]:
        """Yield, for every candidate that *way* is the design of, the places of *way* where the first one goes on and it does not."""
        places = self.places(way)
        free = [place for place, goes_on in enumerate(self.joined(way)) if goes_on]
        inner = {place for place in free if places[place] is Inside.WHOLE and way[place].block == way[place - 1].block}
        for cuts in product((False, True), repeat=len(free)):
            opened = frozenset(place for place, is_cut in zip(free, cuts, strict=True) if is_cut)
            torn = {way[place].block for place in inner & opened}
            if all(place in opened or torn.isdisjoint((way[place - 1].block, way[place].block)) for place in free if place not in inner):
                yield opened
