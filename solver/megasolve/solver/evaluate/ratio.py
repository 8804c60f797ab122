"""Ratios of two designs over the blocks that both ran in, with the interval that the blocks leave open."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .statistic import Blocks, Statistic

LEAST_BLOCKS = 2


@dataclass(frozen=True, slots=True)
class Ratio:
    """A time over another one, in the *blocks* that both ran in, with its 95 % interval where there are enough blocks for one."""

    value: Fraction
    low: float | None
    high: float | None
    blocks: int

    @property
    def holds_one(self) -> bool | None:
        """Whether the interval leaves open which of the two is the faster; None without an interval."""
        return None if self.low is None or self.high is None else self.low <= 1 <= self.high


def ratio_of(some: Blocks, others: Blocks, statistic: Statistic, seed: int = 0) -> Ratio | None:
    """Return how *some* runs relate to *others*, over matched blocks; None where no block has both."""
    matched = [block for block in some if block in others]
    if not matched:
        return None
    one, other = ({block: runs[block] for block in matched} for runs in (some, others))
    value = statistic.of(one) / statistic.of(other)
    if len(matched) < LEAST_BLOCKS:
        return Ratio(value, None, None, len(matched))
    # numpy, which only an interval needs.
    from .bootstrap import interval

    low, high = interval(list(one.values()), list(other.values()), statistic, seed)
    return Ratio(value, low, high, len(matched))
