"""Plots over batches: where points stand in a picture, and what is written at its edges."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on an axis with its words."""

    x: int
    y: int
    words: str


@dataclass(frozen=True, slots=True)
class Frame:
    """The inside of a picture, in its own units from the top left, for values from *low* up to *high*."""

    left: int
    right: int
    top: int
    bottom: int
    low: Fraction
    high: Fraction

    def x(self, at: int, count: int) -> int:
        """Return where column *at* of *count* stands."""
        return self.left + (round((self.right - self.left) * at / (count - 1)) if count > 1 else 0)

    def y(self, value: Fraction | int) -> int:
        """Return where *value* stands."""
        return self.bottom - round((self.bottom - self.top) * (value - self.low) / (self.high - self.low))
