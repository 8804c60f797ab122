"""All designs in many worlds at once, each world with times of its own."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from megasolve.simulate.predict.worlds.many import Array, Many, as_duration
from megasolve.simulate.predict.worlds.scores import is_slow, scores

from .designs import DesignOfTimes, Designs

# Scores of one design by two ways differ by less, and no two that differ are nearer than a picosecond but for contention.
SAME_PS = 0.5


def in_many(times: Mapping[int, Array]) -> dict[int, int]:
    """Return *times*, world by world, where a design takes a time."""
    return {time: as_duration(Many(np.asarray(ps, dtype=float))) for time, ps in times.items()}


def scores_in_worlds(designs: Designs, some: Sequence[DesignOfTimes], times: Mapping[int, Array], best: float | Fraction = np.inf) -> Array:
    """Return the score of each of *some* designs, row by row, in each world of *times*, by the number of the time.

    A score that would have to be simulated, and is above that of another design or above *best*, may be a bound in its place. Designs that
    are the same function of all times are scored once.
    """
    worlds = len(next(iter(times.values())))
    many = in_many(times)
    found: dict[Hashable, Array] = {}
    least = np.full(worlds, float(best))
    for one in sorted(some, key=lambda design: is_slow(design.composition)):
        key = designs.function_of(one)
        if key not in found:
            found[key] = scores(one.at(many), designs.objective, worlds, least + SAME_PS)
            least = np.fmin(least, found[key])
    return np.array([found[designs.function_of(one)] for one in some]).reshape(len(some), worlds)
