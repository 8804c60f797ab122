"""Ids on a line: short ones as they are, long ones without their middle."""

from __future__ import annotations

import pytest

from megasolve.report.text.short_ids import short_id

LAYERS = [f"layer_{number:02}" for number in range(28)]


@pytest.mark.parametrize("name", ["m:P/m:B+L/m:C@dynamic:88/44", "c:P+B+L+C@serial", "m:P", "no id at all: a + b", ""])
def test_what_fits_on_a_line_stays(name: str) -> None:
    assert short_id(name) == name


def test_of_a_region_with_many_groups_the_ends_are_named() -> None:
    assert short_id(f"m:{'+'.join(LAYERS)}@serial") == "m:layer_00+(26 more)+layer_27@serial"


def test_of_a_cover_with_many_regions_the_ends_are_named() -> None:
    cover = "/".join(f"c:{name}" for name in LAYERS)
    assert short_id(f"{cover}@serial") == "c:layer_00/c:layer_01/(25 more)/c:layer_27@serial"


def test_ids_are_found_in_a_line_and_what_stands_around_them_stays() -> None:
    cover = "/".join(f"c:{name}" for name in LAYERS)
    line = f"best: {cover}@serial, 1.000 ms; then m:{'+'.join(LAYERS)}@serial"
    assert short_id(line) == "best: c:layer_00/c:layer_01/(25 more)/c:layer_27@serial, 1.000 ms; then m:layer_00+(26 more)+layer_27@serial"
