"""Statistics of measured times, exact: what one number stands for all runs of a design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

StatisticName = Literal["mean", "p50", "p95", "block_p95"]
Unit = Literal["run", "block"]
Blocks = Mapping[str, Sequence[int]]

STATISTICS: tuple[StatisticName, ...] = ("mean", "p50", "p95", "block_p95")
RESAMPLES = 20_000
UNITS: tuple[Unit, ...] = ("run", "block")
QUANTILES = {"p50": Fraction(1, 2), "p95": Fraction(19, 20)}


@dataclass(frozen=True, slots=True)
class Statistic:
    """*name* over the *unit*: every run counts once, or every block does, by the mean of its runs.

    `block_p95` is the paper's: the mean, over blocks, of the p95 of each block's runs.
    """

    name: StatisticName = "mean"
    unit: Unit = "run"

    @property
    def is_of_blocks(self) -> bool:
        """Whether each block is one value, whatever the number of its runs."""
        return self.unit == "block" or self.name == "block_p95"

    def of(self, blocks: Blocks) -> Fraction:
        """Return the statistic of the runs in *blocks*, none of which is empty."""
        units = (
            [self.of_block(times) for times in blocks.values()]
            if self.is_of_blocks
            else [time for times in blocks.values() for time in times]
        )
        fraction = QUANTILES.get(self.name)
        return mean(units) if fraction is None else quantile(units, fraction)

    def of_block(self, times: Sequence[int]) -> Fraction:
        """Return what one block counts as, where blocks count."""
        return quantile(times, QUANTILES["p95"]) if self.name == "block_p95" else mean(times)


def mean(values: Sequence[int | Fraction]) -> Fraction:
    """Return the arithmetic mean of *values*."""
    return Fraction(sum(values)) / len(values)


def quantile(values: Sequence[int | Fraction], fraction: Fraction) -> Fraction:
    """Return the quantile of *values* at *fraction*, between two of them on the straight line, as numpy and scipy do by default."""
    ordered = sorted(values)
    place = fraction * (len(ordered) - 1)
    below = place.numerator // place.denominator
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (Fraction(ordered[above]) - ordered[below])
