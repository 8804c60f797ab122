"""Slips: a row that stands twice, and a time in another unit than those beside it."""

from __future__ import annotations

import pytest

from megasolve.contracts import Place
from megasolve.contracts.runs.slips import slips, unit_factor
from megasolve.contracts.runs.timed_run import TimedRun


def run(time_us: float, number: int, *, block: str = "a", group: str | None = None, candidate: str = "m:P@serial") -> TimedRun:
    return TimedRun(candidate, 1, block, str(number), round(time_us * 10**6), Place("runs.csv", number + 1), group)


def said(*runs: TimedRun) -> list[str]:
    return [str(fault) for fault in slips(runs)]


def test_the_same_run_of_the_same_block_stands_once() -> None:
    assert said(run(5, 1), run(5, 1, block="b"), run(2, 1, group="P"), run(6, 2)) == []
    assert said(run(5, 1), run(5, 1), run(6, 1)) == [
        "runs.csv:2: m:P@serial at batch 1, run 1 of block a stands twice, first at runs.csv:2, with the same time: remove one of the two",
        "runs.csv:2: m:P@serial at batch 1, run 1 of block a stands twice, first at runs.csv:2, with another time: remove one of the two",
    ]


def test_a_time_a_thousand_times_beside_the_others_of_its_candidate_is_a_slip() -> None:
    (fault,) = said(run(37_000, 1), run(37, 2), run(37_100, 3))
    took = "m:P@serial took 37 us in run 2 and 37,000 us as a rule, 1,000 times smaller"
    assert fault == f"runs.csv:3: {took}: a slip of the unit, as by 1,000? correct the row, or leave it out"


def test_other_candidates_and_groups_are_no_neighbours() -> None:
    assert said(run(37_000, 1), run(37, 2, candidate="c:P@serial"), run(37, 3, group="P")) == []


@pytest.mark.parametrize(
    ("time", "usual", "factor"),
    [(1, 1, 0), (250, 1, 0), (400, 1, 1_000), (1, 2_900, -1_000), (3_100, 1, 0), (1_000_000, 1, 1_000_000), (1, 2_000_000, -1_000_000)],
)
def test_only_times_near_a_step_between_units_are_taken_for_one(time: int, usual: int, factor: int) -> None:
    assert unit_factor(time, usual) == factor
