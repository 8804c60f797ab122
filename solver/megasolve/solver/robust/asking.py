"""Asking whether a design that is best now still is, on the way from one value of a move to another: exactly, in few simulations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..crossings.crossings import middle
from ..crossings.sounding import Sounding
from .designs import Designs
from .moves import Move
from .standings import Standings

LEVELS = 5
"""How many levels of the tree of values that bisecting may come to are looked at together."""


class Asking:
    """Asks among *contenders*, by their places, for values that bisecting between two *ends* comes to."""

    def __init__(self, designs: Designs, is_best: Sequence[bool], move: Move, contenders: Sequence[int], ends: tuple[int, int]) -> None:
        self.designs, self.is_best, self.move, self.contenders = designs, is_best, move, contenders
        self._toward = 1 if ends[1] >= ends[0] else -1
        self._asked = {*ends}
        self._lost: dict[int, bool | None] = {}
        # Scores that cost no more than a bound of them are asked for exactly from the start.
        self._is_dear = any(designs.designs[place].is_dear for place in contenders)

    def __call__(self, value: int) -> Sounding[bool]:
        """Return whether a design that is best now is the best at *value*."""
        if self._is_dear and value not in self._lost:
            self._look([value] if value in self._asked else self._ahead(value))
        self._asked.add(value)
        lost = self._lost.get(value)
        if lost is None:
            lost = not any(self.is_best[place] for place in self.designs.best(self.contenders, self.move.at(value))[1])
        return Sounding(not lost)

    def _look(self, values: Sequence[int]) -> None:
        """See at which of *values* it is clear, in floats, in all of them at once."""
        standings = Standings(self.designs, self.is_best, self.move, np.array(values, dtype=float), self.contenders)
        self._lost |= {value: standings.is_clearly_lost(world) for world, value in enumerate(values)}

    def _ahead(self, value: int) -> list[int]:
        """Return *value*, which is the middle of two that were asked, and those that bisecting on may come to next."""
        ordered = sorted({*self._asked, value}, key=lambda one: self._toward * one)
        place = ordered.index(value)
        pieces, found = [(ordered[place - 1], ordered[place + 1])], list[int]()
        for _ in range(LEVELS):
            between = [middle(one, other, 1) for one, other in pieces]
            found += between
            halves = (half for (one, other), at in zip(pieces, between, strict=True) for half in ((one, at), (at, other)))
            pieces = [(one, other) for one, other in halves if abs(one - other) > 1]
        return list(dict.fromkeys((value, *found)))
