"""Flips: how far times have to move until no design that is best now still is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from megasolve.simulate.predict.worlds.many import Array
from megasolve.simulate.predict.worlds.scores import is_slow

from ..crossings.crossings import first_crossing
from ..crossings.sounding import Sounding
from .designs import DesignOfTimes, Designs, ids_of
from .moves import Move
from .worlds import SAME_PS, scores_in_worlds

FAR = 1_000
"""How many times what it is a time is followed."""
GRID = 160
FINE = 33
AT_ONCE = 20
CLEARLY = 2
"""How many times as good as the others the best has to be at both ends of a stretch, so that no schedule is simulated inside it."""


@dataclass(frozen=True, slots=True)
class Flip:
    """At *value* none of the designs that are best now still is: those *after* are; *ratio* is how far that is, relative to now."""

    value: int
    ratio: Fraction
    after: tuple[str, ...]


class Flipping:
    """Finds where the best designs of one question lose, one move after the other."""

    def __init__(self, designs: Designs) -> None:
        self.designs = designs
        self._now = [designs.value(one, {}) for one in designs.designs]
        least = min((value for value in self._now if value is not None), default=None)
        best = {one.row for one, value in zip(designs.designs, self._now, strict=True) if value is not None and value == least}
        self._is_best = [one.row in best for one in designs.designs]

    def flips(self, move: Move) -> tuple[Flip | None, Flip | None]:
        """Return the nearest flip below and the nearest one above; None where none is seen."""
        affected = [index for index, one in enumerate(self.designs.designs) if one.times & {*move.times}]
        if not affected:
            return None, None
        return self._nearest(move, affected, _down(move)), self._nearest(move, affected, _up(move))

    def _nearest(self, move: Move, affected: Sequence[int], values: Array) -> Flip | None:
        """Look at *values*, away from now, and find the exact flip in front of the first at which another design is best."""
        first = self._first_lost(move, affected, values)
        if first is None:
            return None
        far = int(values[first])
        near = int(values[first - 1]) if first else move.start
        rivals = self._contenders(move, affected, near, far)
        for contenders in (rivals, range(len(self.designs.designs))):
            crossing = first_crossing(self._asking(move, contenders), near, far, stride=max(abs(far - near), 1))
            if crossing is None:
                continue
            after = self._best(move.at(crossing.first))
            if not any(self._is_best[index] for index in after) and any(self._is_best[i] for i in self._best(move.at(crossing.last))):
                names = ids_of(self.designs.designs[index] for index in after)
                return Flip(crossing.first, move.ratio(crossing.first), names)
        return None

    def _first_lost(self, move: Move, affected: Sequence[int], values: Array) -> int | None:
        """Return the place of the first of *values* at which no design that is best now still is; what is behind it is not looked at."""
        is_slow_to_ask = any(is_slow(self.designs.designs[index].composition) for index in affected)
        for begin in range(0, len(values), AT_ONCE):
            stretch = values[begin : begin + AT_ONCE]
            if is_slow_to_ask and self._is_clear(move, affected, stretch):
                continue
            found = np.flatnonzero(self._lost(move, affected, stretch)[0])
            if len(found):
                return begin + int(found[0])
        return None

    def _is_clear(self, move: Move, affected: Sequence[int], stretch: Array) -> bool:
        """Whether what is best now is so far ahead of all others at both ends of a *stretch* that none is taken to pass it in between."""
        ours, rivals, _ = self._ahead(move, affected, stretch[[0, -1]])
        return bool(CLEARLY * ours.max() <= rivals.min())

    def _lost(self, move: Move, affected: Sequence[int], values: Array) -> tuple[NDArray[np.bool_], Array]:
        """Return at which *values* no design that is best now still is, in floats, and the margin of each of *affected* there."""
        ours, rivals, found = self._ahead(move, affected, values)
        return ours > rivals + SAME_PS, found - ours

    def _ahead(self, move: Move, affected: Sequence[int], values: Array) -> tuple[Array, Array, Array]:
        """Return at *values* the least score of the designs that are best now, that of all others, and the score of each of *affected*."""
        some = [self.designs.designs[index] for index in affected]
        is_best = np.array([self._is_best[index] for index in affected])
        others = [(float(value), self._is_best[i]) for i, value in enumerate(self._now) if value is not None and i not in {*affected}]
        found = scores_in_worlds(self.designs, some, move.in_worlds(values), min((value for value, _ in others), default=np.inf))
        ours = np.min(found, axis=0, where=is_best[:, None], initial=min((value for value, best in others if best), default=np.inf))
        rivals = np.min(found, axis=0, where=~is_best[:, None], initial=min((value for value, best in others if not best), default=np.inf))
        return ours, rivals, found

    def _contenders(self, move: Move, affected: Sequence[int], near: int, far: int) -> list[int]:
        """Return the designs that may be best between two values: those that are near the best now at some value, and all that stay."""
        _, margins = self._lost(move, affected, np.linspace(near, far, FINE))
        close = {index for index, margin in zip(affected, margins, strict=True) if margin.min() < SAME_PS + 1e-9 * abs(far)}
        staying = sorted((index for index in range(len(self._now)) if index not in {*affected}), key=lambda index: self._now[index] or 0)
        ours = [index for index in range(len(self._now)) if self._is_best[index]]
        return list(dict.fromkeys((*ours, *staying[:1], *sorted(close))))

    def _asking(self, move: Move, contenders: Sequence[int]) -> Callable[[int], Sounding[bool]]:
        def ask(value: int) -> Sounding[bool]:
            return Sounding(any(self._is_best[index] for index in self._best(move.at(value), contenders)))

        return ask

    def _best(self, times: dict[int, int], some: Sequence[int] | None = None) -> list[int]:
        """Return the designs of least score, exactly, among *some* or all."""
        asked = range(len(self._now)) if some is None else some
        values = {index: self._value(self.designs.designs[index], index, times) for index in asked}
        least = min((value for value in values.values() if value is not None), default=None)
        return [index for index, value in values.items() if value is not None and value == least]

    def _value(self, design: DesignOfTimes, index: int, times: dict[int, int]) -> Fraction | None:
        return self.designs.value(design, times) if design.times & times.keys() else self._now[index]


def _up(move: Move) -> Array:
    steps = np.geomspace(1e-6, max(move.most / move.start - 1, 1e-6), GRID)
    return _distinct(np.floor(move.start * (1 + steps)), move)


def _down(move: Move) -> Array:
    if move.least >= move.start:
        return np.array([])
    steps = np.geomspace(1e-6, max(1 - move.least / move.start, 1e-6), GRID)
    return _distinct(np.ceil(move.start * (1 - steps)), move)


def _distinct(values: Array, move: Move) -> Array:
    kept = np.clip(values, move.least, move.most)
    return np.array([value for value in dict.fromkeys(kept.tolist()) if value != move.start])
