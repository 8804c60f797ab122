"""Figures as files state them: decimals of a known length."""

from __future__ import annotations

from decimal import Decimal


def whole_ps(us: float) -> int:
    """Return a time in whole picoseconds."""
    return round(us * 1e6)


def decimal_us(ps: int) -> Decimal:
    """Return whole picoseconds in microseconds."""
    return Decimal(ps).scaleb(-6)


def exact_us(us: float) -> Decimal:
    """Return a time in microseconds, of whole picoseconds."""
    # By whole picoseconds: the decimal of a float itself has digits that nobody measured.
    return decimal_us(whole_ps(us))


def relative(value: float) -> Decimal:
    """Return a relative figure with three digits; one above 1 says no more than 1."""
    return Decimal(f"{min(value, 1.0):.3g}")
