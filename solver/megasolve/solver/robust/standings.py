"""Standings: which designs lead in a few worlds, without simulating those that cannot change who does.

What costs no more than a bound is scored in all worlds at once. Of what has to be simulated an interval of its score is held against those
of the others first, a coarse one and then a narrow one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from megasolve.simulate.predict.worlds.many import Array
from megasolve.simulate.predict.worlds.scores import least_and_most
from megasolve.simulate.predict.worlds.singly import least_in_worlds

from .designs import Designs
from .moves import Move
from .worlds import SAME_PS, in_many, scores_in_worlds


class Standings:
    """All designs, or *some* by their places, at each of some *values* of a *move*; *is_best* says which are best now.

    Of those that do not rest on it only the least scores are kept. A score is between its *low* and its *high* time, row by row, in each
    world.
    """

    def __init__(self, designs: Designs, is_best: Sequence[bool], move: Move, values: Array, some: Sequence[int] | None = None) -> None:
        self.designs, self.move, self.values = designs, move, values
        places = range(len(designs.designs)) if some is None else some
        moving = {place for place in places if designs.designs[place].times & {*move.times}}
        functions = {(is_best[place], designs.function_of(designs.designs[place])): place for place in sorted(moving, reverse=True)}
        self._places = sorted(functions.values(), key=lambda place: (designs.designs[place].is_dear, place))
        self._moving = moving
        self._is_mine = np.array([*(is_best[place] for place in self._places), True, False])
        self._cheap = sum(not designs.designs[place].is_dear for place in self._places)
        self._staying = [place for place in places if place not in moving]
        last = [_least(designs, (place for place in self._staying if is_best[place] is mine)) for mine in (True, False)]
        self._low = np.vstack([self._scores(), self._bounds(), *(np.full(len(values), one) for one in last)])
        self._high = self._low.copy()
        self._high[self._cheap : len(self._places)] = np.inf
        self._narrowed = {row for row in range(len(self._is_mine)) if not self._cheap <= row < len(self._places)}

    def _scores(self) -> Array:
        some = [self.designs.designs[place] for place in self._places[: self._cheap]]
        return scores_in_worlds(self.designs, some, self.move.in_worlds(self.values))

    def _bounds(self) -> Array:
        times, worlds = in_many(self.move.in_worlds(self.values)), len(self.values)
        some = (self.designs.designs[place].at(times) for place in self._places[self._cheap :])
        return np.array([least_in_worlds(one, self.designs.objective, worlds) for one in some]).reshape(-1, worlds)

    def first_lost(self) -> int | None:
        """Return the place of the first value at which no design that is best now still is; what is behind it is not looked at."""
        return next((world for world in range(len(self.values)) if self._is_lost(world)), None)

    def are_clear(self, factor: int) -> bool:
        """Whether what is best now is so many times as good as all others, in any of the worlds against any other."""
        ours = max(self._ours(world) for world in range(len(self.values)))
        return bool(factor * ours <= self._low[~self._is_mine].min())

    def near_best(self, within_ps: float) -> list[int]:
        """Return the moving designs that are, or may be, less than so many picoseconds behind the best ones of now in any world."""
        ours = np.array([self._ours(world) for world in range(len(self.values))])
        for row in range(len(self._places)):
            if row not in self._narrowed and (self._low[row] - ours).min() < within_ps:
                self._narrow(row)
        return self._all_of(place for place, row in zip(self._places, self._low, strict=False) if (row - ours).min() < within_ps)

    def is_clearly_lost(self, world: int) -> bool | None:
        """Whether no design that is best now still is, where floats are sure of it; None where only exact scores say it."""
        low, high, apart_ps = *self._seen(world), self._apart_ps(world)
        mine, others = self._is_mine, ~self._is_mine
        if high[others].min() < low[mine].min() - apart_ps:
            return True
        return False if high[mine].min() < low[others].min() - apart_ps else None

    def leaders(self, world: int) -> list[int]:
        """Return the designs that may have the least score, exact: all that floats are not sure of."""
        low, high = self._seen(world)
        most = high.min() + self._apart_ps(world)
        moving = self._all_of(place for place, ps in zip(self._places, low, strict=False) if ps <= most)
        return sorted((*moving, *(place for place in self._staying if float(self.designs.designs[place].now_ps) <= most)))

    def _all_of(self, places: Iterable[int]) -> list[int]:
        """Return all moving designs that are the same functions of times as those at *places*."""
        functions = {self.designs.function_of(self.designs.designs[place]) for place in places}
        return [place for place in sorted(self._moving) if self.designs.function_of(self.designs.designs[place]) in functions]

    def _seen(self, world: int) -> tuple[Array, Array]:
        """Return what is known of each score without a simulation, narrow where it may be the least."""
        for row in range(len(self._places)):
            if row not in self._narrowed and self._low[row, world] <= self._high[:, world].min():
                self._narrow(row)
        return self._low[:, world], self._high[:, world]

    def _apart_ps(self, world: int) -> float:
        # Scores in floats are those of the exact engine but for rounding, and but for kernels that are split into whole picoseconds.
        least = float(self._high[:, world].min())
        return 1e-9 * least + 1_000 if np.isfinite(least) else 0.0

    def _is_lost(self, world: int) -> bool:
        """Whether a design that is not the best now is less than the best of those, by what two ways of scoring may differ."""
        while True:
            low, high = self._low[:, world], self._high[:, world]
            mine, others = self._is_mine, ~self._is_mine
            if high[others].min() < low[mine].min() - SAME_PS:
                return True
            if low[others].min() >= high[mine].min() - SAME_PS:
                return False
            self._look(min(np.flatnonzero(low < high).tolist(), key=low.__getitem__), world)

    def _ours(self, world: int) -> float:
        """Return the least score of what is best now, or a time above it; where that is above all others, one that is just above those."""
        while True:
            low, high = self._low[self._is_mine, world], self._high[self._is_mine, world]
            if not np.isinf(high.min()) or np.isinf(low.min()):
                return float(self._high[:, world].min() + 1 if np.isinf(high.min()) else high.min())
            self._look(int(np.flatnonzero(self._is_mine)[low.argmin()]), world)

    def _look(self, row: int, world: int) -> None:
        """Find out more of one score: in all worlds in which it may matter, or else exactly."""
        if row not in self._narrowed:
            self._narrow(row)
            return
        # What is a picosecond above the least of all is so in any case, and need not be known.
        least = self._high[:, world].min() + 1
        at_most = None if np.isinf(least) else Fraction(float(least))
        value = self.designs.value(self.designs.designs[self._places[row]], self.move.at(int(self.values[world])), at_most)
        self._low[row, world] = self._high[row, world] = np.inf if value is None else float(value)

    def _narrow(self, row: int) -> None:
        self._narrowed.add(row)
        needed = np.flatnonzero(self._low[row] <= self._high.min(axis=0) + SAME_PS)
        if not len(needed):
            return
        design = self.designs.designs[self._places[row]]
        times = in_many(self.move.in_worlds(self.values[needed]))
        low, high = least_and_most(design.at(times), self.designs.objective, len(needed))
        self._low[row, needed], self._high[row, needed] = np.maximum(low, self._low[row, needed]), high


def _least(designs: Designs, places: Iterable[int]) -> float:
    return min((float(designs.designs[place].now_ps) for place in places), default=np.inf)
