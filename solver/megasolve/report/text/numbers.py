"""Numbers as text: exact, with a stated number of places, and never without their unit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from megasolve.contracts import PS_PER_MS, PS_PER_US

Ps = int | Fraction


@dataclass(frozen=True, slots=True)
class TimeUnit:
    """The unit of the times in one table."""

    name: str
    ps: int
    places: int = 3

    def number(self, time_ps: Ps) -> str:
        """Return *time_ps* as a number of this unit, for a table whose header names the unit."""
        return decimal_text(Fraction(time_ps) / self.ps, self.places)

    def text(self, time_ps: Ps) -> str:
        """Return *time_ps* with the unit."""
        return f"{self.number(time_ps)} {self.name}"


MS = TimeUnit("ms", PS_PER_MS)
US = TimeUnit("µs", PS_PER_US)


def unit_of(time_ps: Ps) -> TimeUnit:
    """Return the unit to show times of the size of *time_ps* in."""
    return MS if time_ps >= PS_PER_MS else US


def decimal_text(value: Fraction | int, places: int) -> str:
    """Return *value* with *places* decimals, rounded half to even from its exact value."""
    scaled = round(Fraction(value) * 10**places)
    whole, rest = divmod(abs(scaled), 10**places)
    sign = "-" if scaled < 0 else ""
    return f"{sign}{whole}.{rest:0{places}d}" if places else f"{sign}{whole}"


def us_text(time_ps: Ps) -> str:
    """Return *time_ps* in microseconds with six decimals, as JSON results print them."""
    return decimal_text(Fraction(time_ps) / PS_PER_US, 6)


def exact_ps(time_ps: Ps) -> int | str:
    """Return *time_ps* as a whole number where it is one, else as the text ``numerator/denominator``."""
    exact = Fraction(time_ps)
    return exact.numerator if exact.denominator == 1 else f"{exact.numerator}/{exact.denominator}"


def ratio_text(ratio: Fraction | None) -> str | None:
    """Return a ratio with six decimals; None stays None."""
    return None if ratio is None else decimal_text(ratio, 6)


def percent(ratio: Fraction) -> str:
    """Return a ratio in percent with two decimals; a difference too small to show is not shown as none."""
    if 0 < ratio < Fraction(5, 100_000):
        return "<0.01 %"
    return f"{decimal_text(ratio * 100, 2)} %"


def signed_percent(ratio: Fraction) -> str:
    """Return a difference in percent with its sign; one too small to show is not shown as none."""
    size = percent(abs(ratio))
    if size.startswith("<"):
        return size if ratio > 0 else f"-{size}"
    return size if not ratio else f"{'-' if ratio < 0 else '+'}{size}"


def us_number(time_ps: Ps) -> float:
    """Return *time_ps* in microseconds as the nearest number that JSON has."""
    return float(Fraction(time_ps) / PS_PER_US)
