"""What the planner answers, in the words in which tests ask for it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from megasolve.contracts import PS_PER_MS, PS_PER_US, Study
from megasolve.solver import BatchResult, Explanation, explain, solve


def first(asked: Study, **how: Any) -> BatchResult:
    """Return the result of the first batch."""
    return solve(asked, **how).results[0]


def scores_ms(result: BatchResult) -> dict[str, Fraction]:
    """Return the score of every ranked candidate by its id."""
    return {row.id: Fraction(row.score_ps, PS_PER_MS) for row in result.ranking}


def score_us(result: BatchResult, name: str) -> float:
    """Return the score of the one ranked candidate that is called *name*."""
    (row,) = (row for row in result.ranking if row.id == name)
    return float(row.score_ps) / PS_PER_US


def cause_codes(result: BatchResult, name: str) -> list[str]:
    """Return the rules that exclude candidate *name*."""
    return [cause.rule.code for cause in next(row for row in result.excluded if row.id == name).causes]


def explained(asked: Study, candidate: str, **how: Any) -> Explanation:
    """Return the explanation of a candidate that is ranked."""
    found = explain(asked, candidate, **how)
    assert isinstance(found, Explanation)
    return found
