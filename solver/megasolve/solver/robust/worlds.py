"""All designs in many worlds at once, each world with times of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from megasolve.simulate.predict.worlds.many import Array, Many, as_duration
from megasolve.simulate.predict.worlds.scores import scores

from .designs import DesignOfTimes, Designs

# Scores of one design by two ways differ by less, and no two that differ are nearer than a picosecond but for contention.
SAME_PS = 0.5


def scores_in_worlds(designs: Designs, some: Sequence[DesignOfTimes], times: Mapping[int, Array]) -> Array:
    """Return the score of each of *some* designs, row by row, in each world of *times*, by the number of the time."""
    worlds = len(next(iter(times.values())))
    many = {time: as_duration(Many(np.asarray(ps, dtype=float))) for time, ps in times.items()}
    return np.array([scores(one.at(many), designs.objective, worlds) for one in some]).reshape(len(some), worlds)
