"""Words that several rules use."""

from __future__ import annotations

from megasolve.contracts.check.rules.wording import microseconds, repeated


def test_times_are_written_as_in_files() -> None:
    assert [microseconds(ps) for ps in (1, 2_500_000, 100_000_000)] == ["0.000001 µs", "2.5 µs", "100 µs"]


def test_what_stands_twice_in_a_list_is_said_with_the_place_of_the_first() -> None:
    assert repeated("batch 8", 1) == "batch 8 is number 2 of the list already; remove one of the two"
    assert repeated("'x'", 0, among="on_chip") == "'x' is number 1 of on_chip already; remove one of the two"
