"""Words: paths through the launches, told so that their length is a sum over the choices, whatever cover these make up.

A word says, for each cut between two groups and for each of the three phases, whether the path is on the host or on the device there.
An arc between two cuts then adds one entry of each of its matrices. (The proof that such a sum is a bound is in docs/method.md.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from megasolve.simulate.predict.maxplus import Matrix, power, sequence

from ..space.arcs import IDENTITY, Arc, Space

HOST, DEVICE = 0, 1
Letters = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Leg:
    """One phase of a word: the matrices of *phase* of all arcs, *times* times, from cut to cut as *letters* say."""

    phase: int
    letters: Letters
    times: int = 1


@dataclass(frozen=True, slots=True)
class PathWord:
    """A path through the launches of one *time*; a cycle is asked for twice, so its length counts *times* times.

    No device is ever free before its host, so that a path may go over to it where nothing is launched; one that *closes* may not.
    """

    legs: tuple[Leg, ...]
    times: int = 1
    closes: bool = False
    time: int = 0

    def length(self, arc: Arc, repeats: Sequence[int] = ()) -> int | None:
        """Return what *arc* adds to the path; None where a launch of it would have to hold up a host that does not wait."""
        total, phases = 0, arc.costs[self.time].phases
        for leg in self.legs:
            source, target = leg.letters[arc.first], leg.letters[arc.last]
            entry = step(phases[leg.phase], source, target)
            if entry is None:
                if self.closes or source == DEVICE or (phases[leg.phase] is not IDENTITY and phases[leg.phase] != IDENTITY):
                    return None
                entry = 0
            total += leg.times * entry * (1 if arc.block is None else repeats[arc.block])
        return self.times * total

    def along(self, way: Sequence[Arc], repeats: Sequence[int] = ()) -> int | None:
        """Return the length of the path along *way*; None where there is no such path."""
        total = 0
        for arc in way:
            if (length := self.length(arc, repeats)) is None:
                return None
            total += length
        return total


def step(matrix: Matrix[int], source: int, target: int) -> int | None:
    """Return the entry of *matrix* from one of host and device to one of them."""
    return matrix[2 * target + source]


def active_phases(space: Space, time: int) -> list[tuple[int, int]]:
    """Return the phases in which anything runs, each with how often."""
    times = (1, space.clocks[time].middle_steps, 1)
    each = range(3)
    return [(one, times[one]) for one in each if times[one] and any(arc.costs[time].phases[one] != IDENTITY for arc in space.arcs)]


def first_words(space: Space, time: int = 0) -> Iterator[PathWord]:
    """Yield the words that a search begins with: all device, all host, and host in the first phases and device in the others."""
    cuts = len(space.groups)
    host, device = (HOST,) * (cuts + 1), (DEVICE,) * (cuts + 1)
    if space.valued is not None:
        yield from _words_beside(host, device, time, own_hosts=space.own_hosts)
        return
    phases = active_phases(space, time)
    if space.clocks[time].is_cycle:
        for letters in (device, host):
            yield PathWord(tuple(Leg(phase, letters, times) for phase, times in phases), 2, closes=True, time=time)
        return
    for switch in range(len(phases) + 1):
        legs = [Leg(phase, host if place < switch else device, times) for place, (phase, times) in enumerate(phases)]
        if switch and space.is_chain and not space.repeats:
            # The last launch on the host brings its own work.
            phase, times = phases[switch - 1]
            legs[switch - 1 : switch] = _but_last(phase, host, times)
        if switch and (not space.is_chain or space.repeats) and space.policy.is_split:
            continue
        yield PathWord(tuple(legs), time=time)
    if space.is_chain and phases and not space.repeats:
        first_launch = (HOST, *(DEVICE,) * cuts)
        phase, times = phases[0]
        after = (Leg(one, device, often) for one, often in phases[1:])
        yield PathWord((Leg(phase, first_launch), *_more(phase, device, times - 1), *after), time=time)


def _words_beside(host: Letters, device: Letters, time: int, *, own_hosts: bool) -> Iterator[PathWord]:
    """Yield paths to step h, and to the chunk behind step r, of two sides beside each other (`space/beside.py`)."""
    for letters in (device, host):
        yield PathWord((Leg(0, letters),), time=time)
        # A thread of its own issues the chunk without waiting for what the other one issues.
        before = () if own_hosts and letters is host else (Leg(1, letters),)
        yield PathWord((*before, Leg(2, letters)), time=time)


def _but_last(phase: int, host: Letters, times: int) -> list[Leg]:
    return [*_more(phase, host, times - 1), Leg(phase, (*host[:-1], DEVICE))]


def _more(phase: int, letters: Letters, times: int) -> list[Leg]:
    return [Leg(phase, letters, times)] if times else []


def critical_words(space: Space, way: Sequence[Arc], time: int = 0) -> Iterator[PathWord]:
    """Yield words of which the longest has the value of the cover *way* as its length: paths, or cycles through host and device.

    What a block repeats would be another path in each repeat: nothing is learnt there.
    """
    if space.repeats:
        return
    paths = _Paths(space, way, time)
    if not space.clocks[time].is_cycle:
        yield from (PathWord(legs, time=time) for source in (HOST, DEVICE) if (legs := paths.legs(source, DEVICE)) is not None)
        return
    for letter in (DEVICE, HOST):
        if (legs := paths.legs(letter, letter)) is not None:
            yield PathWord(legs, 2, closes=True, time=time)
    there, back = paths.legs(HOST, DEVICE), paths.legs(DEVICE, HOST)
    if there is not None and back is not None:
        yield PathWord(there + back, closes=True, time=time)


class _Paths:
    """The longest paths through one cover, from host or device to host or device."""

    def __init__(self, space: Space, way: Sequence[Arc], time: int) -> None:
        self._cuts = [0, *(arc.last for arc in way)]
        self._groups = len(space.groups)
        self._phases = active_phases(space, time)
        self._each = {phase: [arc.costs[time].phases[phase] for arc in way] for phase, _ in self._phases}
        self._whole = {phase: sequence(matrices, 0) for phase, matrices in self._each.items()}
        self._counted = cache(self._count)

    def legs(self, source: int, target: int) -> tuple[Leg, ...] | None:
        """Return the longest path, or None where there is none."""
        stops = _stops([power(self._whole[phase], times, 0) for phase, times in self._phases], source, target)
        if stops is None:
            return None
        found: list[Leg] = []
        for (phase, times), first, last in zip(self._phases, stops, stops[1:], strict=False):
            found += [Leg(phase, letters, count) for letters, count in self._counted(phase, times, first, last).items()]
        return tuple(found)

    def _count(self, phase: int, times: int, source: int, target: int) -> Counter[Letters]:
        """Return how often each path through one of *times* equal phases is taken, halving until a single one is left."""
        if times == 1:
            stops = _stops(self._each[phase], source, target)
            return Counter({self._letters(stops): 1}) if stops else Counter()
        half = times // 2
        stops = _stops([power(self._whole[phase], count, 0) for count in (half, times - half)], source, target)
        if stops is None:
            return Counter()
        return self._counted(phase, half, stops[0], stops[1]) + self._counted(phase, times - half, stops[1], stops[2])

    def _letters(self, stops: Sequence[int]) -> Letters:
        """Return a letter for every cut: inside an arc the path stays where it was, and changes at the arc's end."""
        letters = [stops[0]] * (self._groups + 1)
        for place, cut in enumerate(self._cuts):
            letters[cut:] = [stops[place]] * (self._groups + 1 - cut)
        return tuple(letters)


def _stops(matrices: Sequence[Matrix[int]], source: int, target: int) -> list[int] | None:
    """Return on which of host and device the longest path is before and after each of *matrices*; None where there is no path."""
    reached: list[dict[int, tuple[int, int]]] = []
    lengths = {source: 0}
    for matrix in matrices:
        found: dict[int, tuple[int, int]] = {}
        for at in (HOST, DEVICE):
            ways = [(length + entry, come) for come, length in lengths.items() if (entry := step(matrix, come, at)) is not None]
            if ways:
                found[at] = max(ways)
        reached.append(found)
        lengths = {at: length for at, (length, _) in found.items()}
    if target not in lengths:
        return None
    stops = [target]
    for found in reversed(reached):
        stops.append(found[stops[-1]][1])
    return stops[::-1]
