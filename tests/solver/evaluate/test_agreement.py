"""Kendall's tau-b, against a count by hand and scipy."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists, tuples
from scipy import stats

from megasolve.solver.evaluate.agreement import tau_b

PAIRS = lists(tuples(integers(0, 5), integers(0, 5)), min_size=2, max_size=12)


@pytest.mark.parametrize(
    ("some", "others", "expected"),
    [
        ([1, 2, 3], [10, 20, 30], 1.0),
        ([1, 2, 3], [30, 20, 10], -1.0),
        ([1, 1, 2], [1, 2, 3], 2 / sqrt(6)),
        ([1, 1, 1], [1, 2, 3], None),
        ([1], [1], None),
        ([], [], None),
    ],
)
def test_tau_b_by_hand(some: list[int], others: list[int], expected: float | None) -> None:
    assert tau_b(some, others) == (None if expected is None else pytest.approx(expected))


@given(PAIRS)
def test_tau_b_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    some, others = zip(*pairs, strict=True)
    found = tau_b(some, others)
    if found is None:
        assert len(set(some)) == 1 or len(set(others)) == 1
    else:
        assert found == pytest.approx(stats.kendalltau(some, others).statistic)
