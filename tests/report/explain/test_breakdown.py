"""The rows of a critical path: a short one as it is, labels that take turns hundreds of times together, and the sum the same."""

from __future__ import annotations

from megasolve.report.explain.breakdown import FEWEST_TURNS, path_parts
from megasolve.simulate import Segment

TURNS = [Segment(label, lasts) for _ in range(FEWEST_TURNS) for label, lasts in (("gaps of c:B", 1), ("B", 10))]


def test_labels_that_take_turns_many_times_are_a_row_each_in_their_place() -> None:
    segments = [Segment("P", 7), Segment("host", 2), *TURNS, *(Segment(f"group {number}", 1) for number in range(5))]
    rows = [(part.words, part.elapsed_ps) for part in path_parts(segments)]
    parts = f"in {FEWEST_TURNS} parts"
    # What begins a run belongs to it, as long as few labels take turns.
    assert rows[:4] == [("P", 7), ("host", 2), (f"gaps of c:B, {parts}", FEWEST_TURNS), (f"B, {parts}", 10 * FEWEST_TURNS)]
    assert sum(lasts for _, lasts in rows) == sum(segment.elapsed_ps for segment in segments)


def test_a_path_that_can_be_read_has_a_row_for_each_segment() -> None:
    segments = TURNS[: FEWEST_TURNS - 1]
    rows = [(part.label, part.elapsed_ps, part.parts) for part in path_parts(segments)]
    assert rows == [(one.label, one.elapsed_ps, 1) for one in segments]


def test_what_is_lost_to_others_is_a_row_of_its_own() -> None:
    slowed = [Segment("B", lasts, is_contention=lasts == 3) for _ in range(FEWEST_TURNS) for lasts in (10, 3)]
    assert [(part.elapsed_ps, part.is_contention) for part in path_parts(slowed)] == [(10 * FEWEST_TURNS, False), (3 * FEWEST_TURNS, True)]
