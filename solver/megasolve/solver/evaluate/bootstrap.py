"""Paired bootstrap: the interval of a ratio of two designs, from resamples of the blocks that both ran in.

Blocks are drawn, never single runs: what makes a block fast or slow makes all of its runs so. Both designs are resampled with the same
draws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .statistic import QUANTILES, RESAMPLES, Statistic

COVERAGE = (0.025, 0.975)
_MOST_VALUES = 2_000_000

Floats = NDArray[np.float64]
Draws = NDArray[np.intp]
Counts = NDArray[np.int64]
Runs = Sequence[Sequence[int]]


def interval(some: Runs, others: Runs, statistic: Statistic, seed: int) -> tuple[float, float]:
    """Return the 95 % interval of the ratio of *some* runs to *others*, both a list for each matched block."""
    low, high = np.quantile(_resampled(some, others, statistic, seed), COVERAGE)
    return float(low), float(high)


def _resampled(some: Runs, others: Runs, statistic: Statistic, seed: int) -> Floats:
    """Return the ratio in each resample."""
    random, blocks = np.random.default_rng(seed), len(some)
    tops, bottoms = _resampler(some, statistic), _resampler(others, statistic)
    at_once = max(1, _MOST_VALUES // blocks)
    parts = []
    for start in range(0, RESAMPLES, at_once):
        draws = random.integers(0, blocks, (min(at_once, RESAMPLES - start), blocks))
        parts.append(tops(draws) / bottoms(draws))
    return np.concatenate(parts)


def _resampler(blocks: Runs, statistic: Statistic) -> Callable[[Draws], Floats]:
    """Return what makes the statistic of every resample from which blocks each draws."""
    fraction = QUANTILES.get(statistic.name)
    if statistic.is_of_blocks:
        values = np.array([float(statistic.of_block(times)) for times in blocks])
        return lambda draws: _over_blocks(values[draws], fraction)
    if fraction is None:
        sums, counts = np.array([float(sum(times)) for times in blocks]), np.array([len(times) for times in blocks])
        return lambda draws: sums[draws].sum(axis=1) / counts[draws].sum(axis=1)
    return _pooled_quantile(blocks, float(fraction))


def _over_blocks(drawn: Floats, fraction: Fraction | None) -> Floats:
    made: Floats = drawn.mean(axis=1) if fraction is None else np.quantile(drawn, float(fraction), axis=1)
    return made


def _pooled_quantile(blocks: Runs, fraction: float) -> Callable[[Draws], Floats]:
    """Return what makes a quantile over the runs of all drawn blocks: each run weighs as often as its block was drawn."""
    times = np.array([float(time) for one in blocks for time in one])
    order = np.argsort(times, kind="stable")
    ordered, home = times[order], np.repeat(np.arange(len(blocks)), [len(one) for one in blocks])[order]
    # Of each block, how many of its runs are among the first so many of all.
    among = np.cumsum(home[:, None] == np.arange(len(blocks)), axis=0, dtype=np.int64)

    def quantiles(draws: Draws) -> Floats:
        weights = _weights(draws)
        last = (among[-1] * weights).sum(axis=1) - 1
        place = fraction * last
        below = np.floor(place).astype(np.int64)
        first, second = (ordered[_places(among, weights, rank)] for rank in (below, np.minimum(below + 1, last)))
        made: Floats = first + (place - below) * (second - first)
        return made

    return quantiles


def _weights(draws: Draws) -> Counts:
    """Return how often each resample drew each block."""
    rows, blocks = draws.shape
    flat = (draws + blocks * np.arange(rows)[:, None]).ravel()
    return np.bincount(flat, minlength=rows * blocks).reshape(rows, blocks)


def _places(among: Counts, weights: Counts, ranks: Counts) -> Counts:
    """Return where, among all runs in order, the run with each of *ranks* (from 0) of a resample stands: by bisection."""
    low, high = np.zeros(len(ranks), dtype=np.int64), np.full(len(ranks), len(among) - 1, dtype=np.int64)
    while (low < high).any():
        middle = (low + high) // 2
        is_reached = (among[middle] * weights).sum(axis=1) > ranks
        low, high = np.where(is_reached, low, middle + 1), np.where(is_reached, middle, high)
    return low
