"""Times as JSON has them: a number of microseconds, and the exact one beside it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ..text.numbers import Ps, exact_ps

if TYPE_CHECKING:
    from megasolve.contracts import JsonObject

_PS_PER_US = 10**6


def times(name: str, value: Ps | None) -> JsonObject:
    """Return a time in microseconds, and the exact one beside it."""
    if value is None:
        return {f"{name}_us": None, f"{name}_ps": None}
    return {f"{name}_us": float(Fraction(value) / _PS_PER_US), f"{name}_ps": exact_ps(value)}
