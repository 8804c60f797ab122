"""Words that several rules use."""

from __future__ import annotations

from megasolve.contracts.check.rules.wording import microseconds


def test_times_are_written_as_in_files() -> None:
    assert [microseconds(ps) for ps in (1, 2_500_000, 100_000_000)] == ["0.000001 µs", "2.5 µs", "100 µs"]
