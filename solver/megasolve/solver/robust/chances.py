"""Chances: how likely each candidate is the best, by what the evidence states of itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from megasolve.simulate.predict.worlds.many import Array

from .designs import Designs
from .draws import Drawing, drawn_times
from .worlds import SAME_PS, scores_in_worlds

BINS = 20


@dataclass(frozen=True, slots=True)
class Chance:
    """The share of all draws in which the design of *row* is the best, alone or among others."""

    row: int
    share: float


@dataclass(frozen=True, slots=True)
class Chances:
    """Of every row how likely it is the best (*shares*), in which draws it *wins*, and the *times* that were drawn, by number."""

    shares: tuple[Chance, ...]
    wins: Array
    times: dict[int, Array]

    def settled_by(self, time: int) -> float:
        """Return how likely the design that one would choose is the best, once the time of that number is known.

        What it may be is cut into twenty equal parts, and in each the best choice is made. This is the share of draws that it is right in.
        """
        drawn = self.times[time]
        parts = np.array_split(np.argsort(drawn, kind="stable"), min(BINS, len(drawn)))
        return float(sum(self.wins[:, part].sum(axis=1).max() for part in parts) / len(drawn))


def chances(designs: Designs, drawing: Drawing) -> Chances | None:
    """Return how likely each row of *designs* is the best; None where no time that they rest on is anything but exact."""
    times = drawn_times(designs.times, drawing)
    if not times or not designs.designs:
        return None
    by_design = scores_in_worlds(designs, designs.designs, times)
    rows = np.array([one.row for one in designs.designs])
    # Of the choices of entries of one candidate the best counts.
    starts = np.flatnonzero(np.concatenate(([True], np.diff(rows) != 0)))
    by_row = np.minimum.reduceat(by_design, starts, axis=0)
    wins = by_row <= by_row.min(axis=0) + SAME_PS
    shares = wins.mean(axis=1)
    return Chances(tuple(Chance(int(rows[start]), float(share)) for start, share in zip(starts, shares, strict=True)), wins, times)
