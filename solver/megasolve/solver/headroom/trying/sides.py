"""The sides of a region in serial order: all that can precede and follow it, as far as one is no worse than another.

The exact score of the best design with a region is then a few products of matrices, whatever the region takes: the sides do not change
with it. Of two ways to the same cut one is left out only where every entry of all its matrices is as large (`optimize/ways/walking.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from megasolve.simulate.predict.maxplus import advance, then
from megasolve.simulate.predict.pieces import Ps3, assembled, repeated

from ...optimize.space.arcs import NOTHING, Arc, Ps, Space, cycle_of


@dataclass(frozen=True, slots=True)
class OneSide:
    """What runs on one side of a cut: *outside* of the block around the cut, and *inside* it once for each repeat; *arcs* in order."""

    outside: Ps3
    inside: Ps3
    arcs: tuple[Arc, ...] = ()


EMPTY = OneSide(NOTHING, NOTHING)


@dataclass(frozen=True)
class Sides:
    """The sides of every cut of one serial chain."""

    space: Space
    blocks: tuple[tuple[int, int], ...]

    @cached_property
    def before(self) -> list[tuple[OneSide, ...]]:
        """What can precede each cut."""
        found: list[tuple[OneSide, ...]] = [(EMPTY,)]
        for cut in range(1, len(self.space.groups) + 1):
            grown = (self.appended(side, arc) for arc in self.space.arcs if arc.last == cut for side in found[arc.first])
            found.append(undominated(grown))
        return found

    @cached_property
    def behind(self) -> list[tuple[OneSide, ...]]:
        """What can follow each cut."""
        found: list[tuple[OneSide, ...]] = [(EMPTY,)]
        cuts = len(self.space.groups)
        for cut in reversed(range(cuts)):
            grown = (self._prepended(side, arc) for arc in self.space.arcs if arc.first == cut for side in found[cuts - arc.last])
            found.append(undominated(grown))
        return found[::-1]

    def best(self, first: int, last: int, phases: Ps3, block: int | None) -> Ps | None:
        """Return the least score of a design with a region of these *phases* from *first* to *last*; None where none has it.

        *block* is the place of the block each of whose repeats has the region again.
        """
        pairs = ((one, other) for one in self.before[first] for other in self.behind[last])
        return min((self._score(one, phases, other, block) for one, other in pairs), default=None)

    def without(self) -> tuple[Ps, tuple[Arc, ...]] | None:
        """Return the least score of all designs, and its arcs; None where there is none."""
        scored = [(self.score_of(side), side.arcs) for side in self.before[-1]]
        return min(scored, key=lambda pair: (pair[0], [arc.entries for arc in pair[1]]), default=None)

    def score_of(self, side: OneSide) -> Ps:
        """Return the score of a whole design that *side* is."""
        return self._value([side.outside])

    def _score(self, one: OneSide, phases: Ps3, other: OneSide, block: int | None) -> Ps:
        if block is None:
            return self._value([one.outside, phases, other.outside])
        inside = repeated([one.inside, phases, other.inside], self.space.repeats[block])
        return self._value([one.outside, inside, other.outside])

    def _value(self, pieces: Sequence[Ps3]) -> Ps:
        whole = assembled(pieces, self.space.clocks[0].middle_steps)
        value = cycle_of(whole) if self.space.clocks[0].is_cycle else advance((0, 0), whole)[1]
        return self.space.scored(value)

    def appended(self, side: OneSide, arc: Arc) -> OneSide:
        """Return *side* with one more arc behind it."""
        arcs = (*side.arcs, arc)
        if arc.block is None:
            return OneSide(_then(side.outside, arc.costs[0].phases), NOTHING, arcs)
        inside = _then(side.inside, arc.costs[0].phases)
        if arc.last < self.blocks[arc.block][1]:
            return OneSide(side.outside, inside, arcs)
        return OneSide(_then(side.outside, repeated([inside], self.space.repeats[arc.block])), NOTHING, arcs)

    def _prepended(self, side: OneSide, arc: Arc) -> OneSide:
        arcs = (arc, *side.arcs)
        if arc.block is None:
            return OneSide(_then(arc.costs[0].phases, side.outside), NOTHING, arcs)
        inside = _then(arc.costs[0].phases, side.inside)
        if arc.first > self.blocks[arc.block][0]:
            return OneSide(side.outside, inside, arcs)
        return OneSide(_then(repeated([inside], self.space.repeats[arc.block]), side.outside), NOTHING, arcs)


def _then(one: Ps3, more: Ps3) -> Ps3:
    return then(one[0], more[0]), then(one[1], more[1]), then(one[2], more[2])


def undominated(sides: Iterable[OneSide]) -> tuple[OneSide, ...]:
    """Return those of *sides* than which no other is better in every entry; of equals the first."""
    kept: list[OneSide] = []
    for one in sides:
        if not any(_is_no_worse(other, one) for other in kept):
            kept = [other for other in kept if not _is_no_worse(one, other)]
            kept.append(one)
    return tuple(kept)


def _is_no_worse(one: OneSide, other: OneSide) -> bool:
    return all(mine is None or (its is not None and mine <= its) for mine, its in zip(_entries(one), _entries(other), strict=True))


def _entries(side: OneSide) -> Iterator[int | None]:
    for matrix in (*side.outside, *side.inside):
        yield from matrix
