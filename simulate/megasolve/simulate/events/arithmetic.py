"""The two number systems of the engine: rationals, which decide, and floats, which preview."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import TypeAlias

Time: TypeAlias = int | Fraction | float
"""A time in picoseconds: an int while nothing contends, a Fraction after contention, a float in a preview."""

TIE_TOLERANCE = 1e-12
"""Floats that differ by less than this, relatively, are one instant. In rationals equal means equal."""


class Arithmetic(Enum):
    """How times are computed.

    EXACT uses ints and, once memory contends, Fractions: equal schedules have equal times. FLOAT is a fast preview that may
    filter but never decide: times that differ by less than `TIE_TOLERANCE` count as one instant, so that rounding does not
    tear apart what is simultaneous.
    """

    EXACT = "exact"
    FLOAT = "float"

    def number(self, value: int | Fraction) -> Time:
        """Return *value* in this number system."""
        return whole(value) if self is Arithmetic.EXACT else float(value)


EXACT = Arithmetic.EXACT
FLOAT = Arithmetic.FLOAT


def whole(value: int | Fraction) -> int | Fraction:
    """Return a Fraction that is a whole number as an int: ints are ten times faster."""
    if type(value) is int:
        return value
    return value.numerator if value.denominator == 1 else value


def exact(time: Time) -> int | Fraction:
    """Return *time*, of a simulation that was not a preview.

    Raises
    ------
    TypeError
        It is a float.
    """
    if isinstance(time, float):
        raise TypeError("a preview has no exact times")
    return time
