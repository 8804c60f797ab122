"""Crossings are found to one unit, seldom asked for, and in order."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from megasolve.solver.crossings.crossings import crossings, first_crossing
from megasolve.solver.crossings.sounding import Crossing, Sounding

BILLION = 10**9
LINES = st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 10**12)), min_size=1, max_size=6)


def beyond(limit: int) -> Sounding[bool]:
    """Return whether a value is above three billion and one."""
    return Sounding(limit > 3 * BILLION + 1)


def test_a_change_is_found_to_one_unit() -> None:
    assert crossings(beyond, 0, 10 * BILLION) == (Crossing(3 * BILLION + 1, 3 * BILLION + 2, before=False, after=True),)


def test_a_change_is_found_on_the_way_up_and_on_the_way_down() -> None:
    up, down = first_crossing(beyond, 0, 10 * BILLION), first_crossing(beyond, 10 * BILLION, 0)
    assert up == Crossing(3 * BILLION + 1, 3 * BILLION + 2, before=False, after=True)
    assert down == Crossing(3 * BILLION + 2, 3 * BILLION + 1, before=True, after=False)
    assert up.is_exact
    assert down.is_exact


def test_where_nothing_changes_there_is_no_crossing() -> None:
    assert crossings(beyond, 0, BILLION) == ()
    assert first_crossing(beyond, 0, BILLION) is None
    assert crossings(beyond, 7, 7) == ()
    assert first_crossing(beyond, 7, 7) is None


def test_the_nearest_change_is_taken_of_several() -> None:
    def band(value: int) -> Sounding[int]:
        return Sounding(value // 1_000)

    assert first_crossing(band, 500, 100_000) == Crossing(999, 1_000, 0, 1)
    assert first_crossing(band, 5_500, 0) == Crossing(5_000, 4_999, 5, 4)


def test_with_a_step_a_crossing_is_a_bracket() -> None:
    (found,) = crossings(beyond, 0, 10 * BILLION, step=BILLION)
    assert (found.last, found.first, found.is_exact) == (3 * BILLION, 4 * BILLION, False)
    assert first_crossing(beyond, 0, 10 * BILLION, step=BILLION) == found


def test_a_change_that_is_taken_back_between_two_probes_shows_by_the_bend_of_the_score() -> None:
    def wins(value: int) -> Sounding[bool]:
        margin = abs(value - 4_321_000_000) - 40_000_000
        return Sounding(margin <= 0, margin)

    found = crossings(wins, 0, 10 * BILLION, probes=4)
    assert [(one.last, one.first) for one in found] == [(4_280_999_999, 4_281_000_000), (4_361_000_000, 4_361_000_001)]


def test_each_value_is_asked_once() -> None:
    asked: list[int] = []

    def ask(value: int) -> Sounding[bool]:
        asked.append(value)
        return beyond(value)

    crossings(ask, 0, 10 * BILLION)
    assert len(asked) == len(set(asked)) < 80


@given(LINES, LINES)
def test_of_two_scores_of_straight_pieces_every_crossing_is_one(ours: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
    """Each score is the largest of some lines, as the time of a serial order is in the time of a call."""

    def ask(value: int) -> Sounding[bool]:
        difference = max(a * value + b for a, b in ours) - max(a * value + b for a, b in others)
        return Sounding(difference <= 0, Fraction(difference))

    found = crossings(ask, 0, 10**11)
    for one in found:
        assert one.is_exact
        assert ask(one.last).state is one.before is not one.after is ask(one.first).state
    assert [one.before for one in found] == [index % 2 == (not ask(0).state) for index in range(len(found))]
    assert ask(10**11).state is (ask(0).state if len(found) % 2 == 0 else not ask(0).state)
