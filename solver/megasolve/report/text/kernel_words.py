"""How reports say the names and times of kernels."""

from __future__ import annotations

from fractions import Fraction

from .numbers import US, decimal_text
from .tables import one_line

_LONGEST_NAME = 72


def shortened_name(name: str) -> str:
    """Return *name* for a line, cut where it is too long for one."""
    name = one_line(name)
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}..."


def microseconds(time_ps: int) -> str:
    """Return a time in microseconds, to the nanosecond and with its digits grouped."""
    whole, _, places = decimal_text(Fraction(time_ps, US.ps), 3).partition(".")
    return f"{int(whole):,}.{places} µs"
