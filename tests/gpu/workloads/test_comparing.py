"""How far what a kernel left is from what it must leave: by distance for floats, exactly for integers, and never by what has no value."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from megasolve.gpu.workloads.comparing import TOLERANCE, compared

FLOATS = np.array([3.0, 4.0, np.nan, 0.0])


def texts(found: NDArray[np.generic], expected: NDArray[np.generic]) -> list[str]:
    return [str(one) for one in compared({"y": found}, {"y": expected}).differences]


def test_floats_may_be_as_far_as_the_tolerance() -> None:
    assert texts(FLOATS * (1 + TOLERANCE / 2), FLOATS) == []
    assert texts(FLOATS * (1 + 2 * TOLERANCE), FLOATS) == ["y: relative L2 distance 0.02 > 0.01 to the reference"]
    assert compared({"y": FLOATS * 1.005}, {"y": FLOATS}).relative_l2 == pytest.approx(0.005)


def test_the_distance_is_that_of_the_farthest_array() -> None:
    pair = {"a": np.ones(3), "b": np.ones(3)}
    assert compared({"a": np.ones(3), "b": np.full(3, 1.002)}, pair).relative_l2 == pytest.approx(0.002)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ([3.0, np.nan, np.nan, 0.0], "y: 1 of 4 elements were never written, or written as NaN"),
        ([3.0, 4.0, 1.0, 0.0], "y: 1 of 4 elements were written that no call writes"),
        ([3.0, np.inf, np.nan, 0.0], "y: relative L2 distance inf > 0.01 to the reference"),
    ],
)
def test_what_has_no_value_is_told(found: list[float], text: str) -> None:
    assert texts(np.array(found), FLOATS) == [text]


def test_integers_are_equal_or_they_are_not() -> None:
    assert texts(np.array([1, 2, 3]), np.array([1, 2, 3])) == []
    assert texts(np.array([1, 2, 4]), np.array([1, 2, 3])) == ["y: 1 of 3 elements differ from the reference"]


def test_what_the_reference_does_not_name_is_not_looked_at() -> None:
    assert compared({"y": FLOATS, "scratch": np.zeros(2)}, {"y": FLOATS}).differences == ()
