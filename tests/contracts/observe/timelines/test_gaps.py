from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts.observe.timelines.gaps import Share, shares
from megasolve.contracts.profiles import union_ps

_LAUNCHES = st.lists(st.tuples(st.integers(0, 200), st.integers(1, 50)), min_size=1, max_size=30)


def test_a_launch_waits_from_the_latest_end_so_far_to_its_start() -> None:
    assert list(shares([(10, 20), (25, 30), (30, 31)])) == [Share(0, 10, 0), Share(5, 5, 0), Share(0, 1, 0)]


def test_pitfall_08_a_launch_that_starts_before_the_one_ahead_ends_counts_from_that_end() -> None:
    assert list(shares([(0, 10), (8, 15)])) == [Share(0, 10, 0), Share(0, 5, 2)]


def test_a_launch_within_another_adds_nothing_and_does_not_move_the_end() -> None:
    assert list(shares([(0, 100), (10, 20), (110, 120)])) == [Share(0, 100, 0), Share(0, 0, 10), Share(10, 10, 0)]


@settings(max_examples=200)
@given(_LAUNCHES)
def test_pitfall_07_services_are_the_union_and_with_the_gaps_the_span(launches: list[tuple[int, int]]) -> None:
    intervals = [(start, start + duration) for start, duration in launches]
    found = list(shares(sorted(intervals)))
    span = max(end for _, end in intervals) - min(start for start, _ in intervals)
    assert sum(share.service_ps for share in found) == union_ps(intervals)
    assert sum(share.service_ps + share.gap_ps for share in found) == span
    assert sum(share.service_ps + share.overlapped_ps for share in found) == sum(end - start for start, end in intervals)
    assert all(min(share.gap_ps, share.service_ps, share.overlapped_ps) >= 0 for share in found)
