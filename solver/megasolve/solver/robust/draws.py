"""Draws: what times may be by what their evidence states of itself, the same for all designs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from megasolve.contracts import Record
from megasolve.simulate.predict.worlds.many import Array

from .designs import TimeInUse

MOST_SAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Drawing:
    """How times are drawn: *draws* worlds from *seed*; a record that states nothing is off by at most *accuracy*, None: it is exact."""

    draws: int = 2_000
    seed: int = 0
    accuracy: Fraction | None = None


def drawn_times(times: Sequence[TimeInUse], drawing: Drawing) -> dict[int, Array]:
    """Return so many draws of each time that is not exact, by its number, in whole picoseconds.

    Of samples the statistic is taken of as many, drawn from them again; a stated accuracy moves it by up to so much, evenly. Each time has
    random numbers of its own, which do not depend on what other times there are.
    """
    found: dict[int, Array] = {}
    for number, one in enumerate(times):
        if states_something(one.use.record) or drawing.accuracy:
            found[number] = _drawn(one.use.record, drawing, _generator(one, drawing.seed))
    return found


def states_something(record: Record) -> bool:
    """Whether *record* has a spread, or says how accurate it is."""
    return bool(record.accuracy) or len(set(record.samples_ps or ())) > 1


def _generator(one: TimeInUse, seed: int) -> np.random.Generator:
    name = str(one.key).encode()
    return np.random.default_rng([seed, *np.frombuffer(name.ljust(-(-len(name) // 4) * 4), dtype=np.uint32).tolist()])


def _drawn(record: Record, drawing: Drawing, random: np.random.Generator) -> Array:
    centre = _statistic(record, drawing.draws, random)
    accuracy = float(record.accuracy or (0 if states_something(record) else drawing.accuracy or 0))
    shifted = centre * (1 + accuracy * random.uniform(-1, 1, drawing.draws))
    return np.maximum(np.rint(shifted), 1.0)


def _statistic(record: Record, draws: int, random: np.random.Generator) -> Array:
    """Return the statistic of the record, of samples that were drawn again from its own."""
    samples = np.sort(np.array(record.samples_ps or (), dtype=float))
    if len(samples) <= 1:
        return np.full(draws, float(record.time_ps))
    size = min(len(samples), MOST_SAMPLES)
    again = np.sort(random.integers(0, len(samples), (draws, size)), axis=1)
    last = size - 1
    ranks = {"lower_median": last // 2, "minimum": 0, "maximum": last, "p95": -(-size * 95 // 100) - 1}
    found: Array = samples[again[:, ranks[record.statistic]]]
    return found
