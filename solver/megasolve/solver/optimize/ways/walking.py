"""Walking a chain from cut to cut with the undominated effects of each prefix, in the order in which candidates are enumerated.

Of two choices for the same prefix one is left out only where every entry of all its matrices is as large: host and device times alone are
not enough, because a launch that follows may wait for either. Before a split nothing is left out: what overlaps may end later for less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from megasolve.simulate.predict.maxplus import Matrix, power, then

from ..space.arcs import IDENTITY, Arc, ArcPlace, Ps, Space
from .joining import Inside, Joints
from .words import PathWord

JOINS, CONVENTIONAL, MEGAKERNEL = 0, 1, 2
Key = tuple[int, ...]
# Three matrices for each time.
Matrices = tuple[Matrix[int], ...]
# What each time may be at most; None where it may be anything.
Limits = tuple[Ps | None, ...]


@dataclass(frozen=True, slots=True)
class Prefix:
    """One choice of entries up to a cut: its matrices so far, those *inside* a block apart, and the lengths of all words up to there."""

    arcs: tuple[Arc, ...]
    phases: Matrices
    lengths: tuple[int | None, ...]
    inside: Matrices

    @property
    def entries(self) -> tuple[tuple[str, ...], ...]:
        """The names of all entries, by which variants of equal score are ordered."""
        return tuple(entries for arc in self.arcs for entries in arc.entries)


class Walker:
    """Walks the covers of one chain whose value is not above a limit."""

    def __init__(
        self, space: Space, words: Sequence[PathWord], roles: Mapping[str, str], allowed: Iterable[ArcPlace] | None = None
    ) -> None:
        self.space = space
        self.times = [word.time for word in words]
        self._nothing: Matrices = (IDENTITY,) * (3 * len(space.clocks))
        self.joints = Joints(space, roles)
        wanted = None if allowed is None else set(allowed)
        self._slots: dict[int, dict[ArcPlace, list[Arc]]] = defaultdict(dict)
        for arc in space.arcs:
            if wanted is None or arc.slot in wanted:
                self._slots[arc.first].setdefault(arc.slot, []).append(arc)
        self._lengths = {
            id(arc): tuple(word.length(arc, space.repeats) for word in words)
            for each in self._slots.values()
            for arcs in each.values()
            for arc in arcs
        }
        self._ahead = self._least_ahead(len(words))

    def _least_ahead(self, words: int) -> list[list[int | None]]:
        """Return, for each cut and word, the least that the arcs ahead add; None where no way leads on, or some way has no such path."""
        cuts = len(self.space.groups)
        ahead: list[list[int | None]] = [[None for _ in range(words)] for _ in range(cuts)]
        ahead.append([0 for _ in range(words)])
        for cut in reversed(range(cuts)):
            onward = [arc for arcs in self._slots.get(cut, {}).values() for arc in arcs if self._leads_on(arc.last)]
            for word in range(words):
                sums = [_sum(self._lengths[id(arc)][word], ahead[arc.last][word]) for arc in onward]
                ahead[cut][word] = None if not sums or None in sums else min(one for one in sums if one is not None)
        return ahead

    def _leads_on(self, cut: int) -> bool:
        return cut == len(self.space.groups) or cut in self._slots

    def begin(self) -> tuple[Prefix, ...]:
        """Return the empty prefix."""
        return (Prefix((), self._nothing, (0,) * (len(self._ahead[0])), self._nothing),)

    def steps(self, cut: int) -> Iterator[list[Arc]]:
        """Yield the arcs of each slot that begins at *cut*."""
        yield from self._slots.get(cut, {}).values()

    def grown(self, prefixes: Sequence[Prefix], arcs: Sequence[Arc], limits: Limits) -> tuple[Prefix, ...]:
        """Return the undominated prefixes with one more arc each that may still end within *limits*."""
        found = [grown for prefix in prefixes for arc in arcs if (grown := self._with(prefix, arc, limits)) is not None]
        return tuple(found) if self.space.policy.is_split else _undominated(found)

    def _with(self, prefix: Prefix, arc: Arc, limits: Limits) -> Prefix | None:
        lengths = tuple(_sum(before, more) for before, more in zip(prefix.lengths, self._lengths[id(arc)], strict=True))
        for time, length, ahead in zip(self.times, lengths, self._ahead[arc.last], strict=True):
            if length is not None and ahead is not None and (limit := limits[time]) is not None and length + ahead > limit:
                return None
        arcs, phases, inside = (*prefix.arcs, arc), prefix.phases, prefix.inside
        last = prefix.arcs[-1].block if prefix.arcs else None
        if last is not None and last != arc.block:
            times = self.space.repeats[last]
            phases, inside = _then(phases, tuple(power(one, times, 0) for one in inside)), self._nothing
        if not arc.is_split:
            more = tuple(matrix for cost in arc.costs for matrix in cost.phases)
            phases, inside = (phases, _then(inside, more)) if arc.block is not None else (_then(phases, more), inside)
        return Prefix(arcs, phases, lengths, inside)

    def only(self, limits: Limits, most: int | None = None) -> tuple[Prefix, ...] | None:
        """Return the undominated choices for the only cover that the walker walks; None where there are more than *most* on the way."""
        prefixes, cut = self.begin(), 0
        while prefixes and cut < len(self.space.groups):
            (arcs,) = self.steps(cut)
            prefixes, cut = self.grown(prefixes, arcs, limits), arcs[0].last
            if most is not None and len(prefixes) > most:
                return None
        return prefixes

    def best(self, prefixes: Sequence[Prefix]) -> tuple[Ps, tuple[Arc, ...]]:
        """Return the least value of whole covers, and the first that has it."""
        valued = ((self.space.value(prefix.arcs), prefix.entries, prefix.arcs) for prefix in prefixes)
        value, _, arcs = min(valued, key=lambda one: one[:2])
        return value, arcs

    def covers(self, limit: Ps) -> Iterator[tuple[Key, Ps, tuple[Arc, ...]]]:
        """Yield the covers whose value is not above *limit*, in the order of enumeration, each with its best entries."""
        turn = count()
        waiting: list[tuple[Key, int, _Stop]] = [((), next(turn), _Stop(0, None, Inside.OUTSIDE, self.begin()))]
        while waiting:
            key, _, stop = heappop(waiting)
            cut, before, place, prefixes = stop
            if cut == len(self.space.groups):
                value, way = self.best(prefixes)
                if value <= limit:
                    yield key, value, way
                continue
            for arcs in self.steps(cut):
                if more := self.grown(prefixes, arcs, (limit,)):
                    for after in self.joints.follow(before, place, arcs[0]):
                        goes_on = before is not None and self.joints.join(before, place, arcs[0], after)
                        longer = (*key, *decisions(arcs[0], goes_on=goes_on))
                        heappush(waiting, (longer, next(turn), _Stop(arcs[0].last, arcs[0], after, more)))

    def key(self, way: Sequence[Arc]) -> Key:
        """Return what puts the first candidate that *way* is a design of into the order of enumeration."""
        each = zip(way, self.joints.joined(way), strict=True)
        return tuple(one for arc, goes_on in each for one in decisions(arc, goes_on=goes_on))


class _Stop(NamedTuple):
    """Some choices of entries up to a cut, and the last arc with where it stands."""

    cut: int
    before: Arc | None
    place: Inside
    prefixes: tuple[Prefix, ...]


def decisions(arc: Arc, *, goes_on: bool) -> Key:
    """Return what is decided, group by group, by *arc*, which *goes_on* with the region before it or opens one."""
    regions = [choice.region for choice in arc.choices]
    found = tuple(one for region in regions for one in _opened(region.is_megakernel, len(region.groups)))
    return (JOINS, *found[1:]) if goes_on else found


def _opened(is_megakernel: bool, groups: int) -> Key:
    return (MEGAKERNEL if is_megakernel else CONVENTIONAL, *(JOINS,) * (groups - 1))


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _then(one: Matrices, more: Matrices) -> Matrices:
    return tuple(map(then, one, more))


def _undominated(prefixes: Sequence[Prefix]) -> tuple[Prefix, ...]:
    kept: list[Prefix] = []
    for one in sorted(prefixes, key=lambda prefix: prefix.entries):
        if not any(_is_no_worse(other, one) for other in kept):
            kept = [other for other in kept if not _is_no_worse(one, other)]
            kept.append(one)
    return tuple(kept)


def _is_no_worse(one: Prefix, other: Prefix) -> bool:
    return _dominates(one.phases, other.phases) and _dominates(one.inside, other.inside)


def _dominates(one: Matrices, other: Matrices) -> bool:
    return all(
        mine is None or (theirs is not None and mine <= theirs)
        for ours, its in zip(one, other, strict=True)
        for mine, theirs in zip(ours, its, strict=True)
    )
