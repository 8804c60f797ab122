"""Flips: how far times have to move until no design that is best now still is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from megasolve.simulate.predict.worlds.many import Array

from ..crossings.crossings import first_crossing
from .asking import Asking
from .designs import Designs, ids_of
from .moves import Move, values_away
from .standings import Standings
from .worlds import SAME_PS

FAR = 1_000
"""How many times what it is a time is followed."""
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
        least = min((one.now_ps for one in designs.designs), default=None)
        best = {one.row for one in designs.designs if one.now_ps == least}
        self._is_best = [one.row in best for one in designs.designs]

    def flips(self, move: Move) -> tuple[Flip | None, Flip | None]:
        """Return the nearest flip below and the nearest one above; None where none is seen."""
        if all(one.times.isdisjoint(move.times) for one in self.designs.designs):
            return None, None
        down, up = values_away(move)
        return self._nearest(move, down), self._nearest(move, up)

    def _nearest(self, move: Move, values: Array) -> Flip | None:
        """Look at *values*, away from now, and find the exact flip in front of the first at which another design is best."""
        first = self._first_lost(move, values)
        if first is None:
            return None
        far = int(values[first])
        near = int(values[first - 1]) if first else move.start
        rivals = self._contenders(move, near, far)
        for contenders in (rivals, range(len(self.designs.designs))):
            asking = Asking(self.designs, self._is_best, move, contenders, (near, far))
            crossing = first_crossing(asking, near, far, stride=max(abs(far - near), 1))
            if crossing is None:
                continue
            after = self._best(move, crossing.first)
            if not any(self._is_best[index] for index in after) and any(self._is_best[i] for i in self._best(move, crossing.last)):
                names = ids_of(self.designs.designs[index] for index in after)
                return Flip(crossing.first, move.ratio(crossing.first), names)
        return None

    def _first_lost(self, move: Move, values: Array) -> int | None:
        """Return the place of the first of *values* at which no design that is best now still is; what is behind it is not looked at."""
        best_is_dear = any(one.is_dear and is_best for one, is_best in zip(self.designs.designs, self._is_best, strict=True))
        begin, at_once = 0, AT_ONCE
        while begin < len(values):
            stretch = values[begin : begin + at_once]
            if not (best_is_dear and self._standings(move, stretch[[0, -1]]).are_clear(CLEARLY)):
                found = self._standings(move, stretch).first_lost()
                if found is not None:
                    return begin + found
            # Most flips are near; of far ones a few arrays cost less than many.
            begin, at_once = begin + len(stretch), at_once if best_is_dear else 2 * at_once
        return None

    def _contenders(self, move: Move, near: int, far: int) -> list[int]:
        """Return the designs that may be best between two values: those that are near the best now at some value, and all that stay."""
        close = self._standings(move, np.rint(np.linspace(near, far, FINE))).near_best(SAME_PS + 1e-9 * abs(far))
        designs = self.designs.designs
        staying = [place for place, one in enumerate(designs) if one.times.isdisjoint(move.times)]
        ours = [place for place, is_best in enumerate(self._is_best) if is_best]
        return list(dict.fromkeys((*ours, *sorted(staying, key=lambda place: designs[place].now_ps)[:1], *close)))

    def _standings(self, move: Move, values: Array) -> Standings:
        return Standings(self.designs, self._is_best, move, values)

    def _best(self, move: Move, value: int) -> list[int]:
        """Return the designs of least score at *value*, exactly."""
        return self.designs.best(self._standings(move, np.array([value], dtype=float)).leaders(0), move.at(value))[1]
