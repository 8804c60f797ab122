"""Decimal text to whole numbers, exactly."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts.profiles.text.decimals import BYTES_PER, PS_PER, decimal_ps, ungrouped, whole_number

EXACT = Context(prec=200, rounding=ROUND_HALF_EVEN)


@given(st.decimals(min_value=-(10**18), max_value=10**18, allow_nan=False, places=9), st.sampled_from(sorted(set(PS_PER.values()))))
def test_a_decimal_becomes_what_exact_arithmetic_says(value: Decimal, unit_ps: int) -> None:
    expected = EXACT.multiply(value, Decimal(unit_ps)).quantize(Decimal(1), context=EXACT)
    assert decimal_ps(str(value), unit_ps) == int(expected)
    assert decimal_ps(f"{value:f}", unit_ps) == int(expected)


def test_a_nanosecond_in_an_epoch_of_microseconds_survives() -> None:
    assert decimal_ps("1747101234567890.125", 10**6) == 1747101234567890125000


@pytest.mark.parametrize(("text", "ps"), [("0.5", 0), ("1.5", 2), ("2.5", 2), ("-0.5", 0), ("-1.5", -2), ("2.51", 3)])
def test_half_a_picosecond_goes_to_the_even_neighbour(text: str, ps: int) -> None:
    assert decimal_ps(text, 1) == ps


@pytest.mark.parametrize(
    "text", ["", ".", "-", "e5", "nan", "inf", "1,5", "1 000", "0x10", "1e999", "1_000", "\u0661", "\u00b2", "1.2.3", "--1"]
)
def test_what_is_no_plain_decimal_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="decimal number"):
        decimal_ps(text, 10**6)


@pytest.mark.parametrize("text", ["9" * 65, "9" * 5000, "1." + "3" * 6000, "-" + "9" * 5000])
def test_an_endless_number_is_refused_at_any_length(text: str) -> None:
    for read in (whole_number, lambda endless: decimal_ps(endless, 1)):
        with pytest.raises(ValueError, match="characters, more than any time or size"):
            read(text)


@pytest.mark.parametrize(("text", "expected"), [("1,024", "1024"), ("4,194,688", "4194688"), ("1,234.5", "1234.5"), ("512", "512")])
def test_commas_between_groups_of_three_digits_are_dropped(text: str, expected: str) -> None:
    assert ungrouped(text) == expected


@pytest.mark.parametrize("text", ["1,5", "1.024,5", "1,0245", ",024", "12,34,567", "1234,567"])
def test_any_other_comma_is_ambiguous(text: str) -> None:
    with pytest.raises(ValueError, match="ambiguous"):
        ungrouped(text)


@pytest.mark.parametrize(("text", "expected"), [("64", 64), ("-3", -3), ("1024.00", 1024)])
def test_a_whole_number_may_have_a_fraction_of_zeros(text: str, expected: int) -> None:
    assert whole_number(text) == expected


@pytest.mark.parametrize("text", ["1.5", "1024.0004", "", "12e3"])
def test_a_number_with_a_fraction_is_no_whole_one(text: str) -> None:
    with pytest.raises(ValueError, match="whole number"):
        whole_number(text)


def test_units_of_both_generations_of_the_tools_are_known() -> None:
    assert PS_PER["us"] == PS_PER["usecond"] == 10**6
    assert PS_PER["ns"] == PS_PER["nsecond"] == 10**3
    assert BYTES_PER["Kbyte"] == BYTES_PER["KB"] == 1000
    assert decimal_ps("2.33", BYTES_PER["Mbyte"]) == 2_330_000
