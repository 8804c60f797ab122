"""Statistics of samples, in plain Python and from a seed: equal samples give equal figures on every machine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

RESAMPLES = 1000
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class SampleSummary:
    """What samples come to: their lower median with a bootstrap interval (*low* to *high*, 95 %), and their percentiles."""

    count: int
    median: float
    low: float
    high: float
    p5: float
    p25: float
    p75: float
    p95: float

    @property
    def spread(self) -> float:
        """The interquartile range over the median; infinite where the median is not positive."""
        return (self.p75 - self.p25) / self.median if self.median > 0 else float("inf")

    @property
    def uncertainty(self) -> float:
        """The farther end of the interval from the median, over the median; infinite where the median is not positive."""
        return max(self.high - self.median, self.median - self.low) / self.median if self.median > 0 else float("inf")


def summarize(samples: Sequence[float], seed: int = 0) -> SampleSummary:
    """Return what *samples* come to; *seed* draws the resamples.

    Raises
    ------
    ValueError
        There is no sample.
    """
    if not samples:
        raise ValueError("no sample, so no median")
    ordered = sorted(samples)
    low, high = median_interval(ordered, seed)
    p5, p25, p75, p95 = (quantile(ordered, share) for share in (0.05, 0.25, 0.75, 0.95))
    return SampleSummary(len(ordered), lower_median(ordered), low, high, p5, p25, p75, p95)


def lower_median(ordered: Sequence[float]) -> float:
    """Return the middle one of samples in order, of two the lower: the statistic of a record."""
    # Of an even number the lower one: a time that was measured, never a mean of two that were not.
    return ordered[(len(ordered) - 1) // 2]


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the quantile of samples in order, on the line between its two neighbours."""
    place = share * (len(ordered) - 1)
    below = int(place)
    # The last sample has no neighbour above.
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def median_interval(samples: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """Return the interval that holds the median of *samples* with 95 % confidence, by the percentiles of resampled medians."""
    draw = random.Random(seed)
    medians = sorted(lower_median(sorted(draw.choices(samples, k=len(samples)))) for _ in range(RESAMPLES))
    tail = (1 - CONFIDENCE) / 2
    return quantile(medians, tail), quantile(medians, 1 - tail)
