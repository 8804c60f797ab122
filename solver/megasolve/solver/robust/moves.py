"""Moves: one time, or several by a common factor, away from what they are."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from megasolve.simulate.predict.worlds.many import Array

MILLION = 10**6
GRID = 160


@dataclass(frozen=True, slots=True)
class Move:
    """The *times*, by number, that are *now* so many picoseconds, moved together; *least* and *most* say how far.

    The value of a single one is its picoseconds, that of several a factor in millionths.
    """

    times: tuple[int, ...]
    now: tuple[int, ...]
    least: int
    most: int

    @property
    def start(self) -> int:
        """The value now."""
        return self.now[0] if self.is_single else MILLION

    @property
    def is_single(self) -> bool:
        """Whether its value is the time itself."""
        return len(self.times) == 1

    def at(self, value: int) -> dict[int, int]:
        """Return the times at *value*."""
        if self.is_single:
            return {self.times[0]: value}
        return {time: max(round(Fraction(ps * value, MILLION)), 1) for time, ps in zip(self.times, self.now, strict=True)}

    def in_worlds(self, values: Array) -> dict[int, Array]:
        """Return the times at each of *values*."""
        if self.is_single:
            return {self.times[0]: values}
        return {time: np.maximum(np.rint(ps * values / MILLION), 1.0) for time, ps in zip(self.times, self.now, strict=True)}

    def ratio(self, value: int) -> Fraction:
        """Return by how much *value* is off what it is now, relative to that."""
        return Fraction(value, self.start) - 1


def values_away(move: Move) -> tuple[Array, Array]:
    """Return the values at which a move is looked at, below and above what it is now, the nearest first."""
    return _below(move), _above(move)


def _above(move: Move) -> Array:
    steps = np.geomspace(1e-6, max(move.most / move.start - 1, 1e-6), GRID)
    return _distinct(np.floor(move.start * (1 + steps)), move)


def _below(move: Move) -> Array:
    if move.least >= move.start:
        return np.array([])
    steps = np.geomspace(1e-6, max(1 - move.least / move.start, 1e-6), GRID)
    return _distinct(np.ceil(move.start * (1 - steps)), move)


def _distinct(values: Array, move: Move) -> Array:
    kept = np.clip(values, move.least, move.most)
    return np.array([value for value in dict.fromkeys(kept.tolist()) if value != move.start])
