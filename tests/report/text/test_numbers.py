"""Numbers as text: exact, rounded half to even, with their unit."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.report.text.numbers import MS, US, decimal_text, exact_ps, percent, unit_of, us_text


@given(st.fractions(), st.integers(0, 9))
def test_a_decimal_is_the_exact_value_rounded_half_to_even(value: Fraction, places: int) -> None:
    with localcontext(prec=200):
        scaled = Decimal(value.numerator).scaleb(places) / Decimal(value.denominator)
        expected = scaled.to_integral_value(rounding=ROUND_HALF_EVEN)
    assert Fraction(decimal_text(value, places)) * 10**places == int(expected)


@pytest.mark.parametrize(
    ("time_ps", "text"),
    [
        (28_200_000_000, "28200.000000"),
        (1, "0.000001"),
        (Fraction(1, 2), "0.000000"),
        (Fraction(3, 2), "0.000002"),
        (Fraction(10**9, 3), "333.333333"),
    ],
)
def test_microseconds_have_six_places(time_ps: int | Fraction, text: str) -> None:
    assert us_text(time_ps) == text


@pytest.mark.parametrize(("time_ps", "exact"), [(7, 7), (Fraction(14, 2), 7), (Fraction(7, 3), "7/3")])
def test_a_score_is_a_whole_number_or_a_quotient(time_ps: int | Fraction, exact: int | str) -> None:
    assert exact_ps(time_ps) == exact


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (Fraction(0), "0.00 %"),
        (Fraction(1, 10**9), "<0.01 %"),
        (Fraction(5, 10**5), "0.00 %"),
        (Fraction(6, 10**5), "0.01 %"),
        (Fraction(21, 10**4), "0.21 %"),
        (Fraction(5, 2), "250.00 %"),
        (Fraction(-1, 100), "-1.00 %"),
    ],
)
def test_a_difference_is_in_percent_and_a_small_one_is_not_none(ratio: Fraction, text: str) -> None:
    assert percent(ratio) == text


def test_a_time_is_shown_in_the_unit_of_its_size() -> None:
    assert unit_of(10**9) is MS
    assert unit_of(10**9 - 1) is US
    assert US.text(972_780_000) == "972.780 µs"
