"""Kendall's tau-b: how far the planner's order of a pool is that of the measurements, ties in either counted."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import sqrt

Number = int | Fraction


def tau_b(some: Sequence[Number], others: Sequence[Number]) -> float | None:
    """Return tau-b of two scores of the same designs; None where one of them does not order any two."""
    pairs = [(_sign(x1 - x2), _sign(y1 - y2)) for (x1, y1), (x2, y2) in combinations(zip(some, others, strict=True), 2)]
    untied = sum(x != 0 for x, _ in pairs) * sum(y != 0 for _, y in pairs)
    return sum(x * y for x, y in pairs) / sqrt(untied) if untied else None


def _sign(difference: Number) -> int:
    return (difference > 0) - (difference < 0)
