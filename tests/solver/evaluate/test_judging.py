"""Judging one case: winners, ties by design, regret, and what is outside the pool."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists, tuples

from megasolve.solver import Contender
from megasolve.solver.evaluate.case import Case
from megasolve.solver.evaluate.forecasts.forecast import Forecast, Predicted
from megasolve.solver.evaluate.judging import judge_case
from megasolve.solver.evaluate.statistic import Statistic
from megasolve.solver.evaluate.timed_design import timed_pool
from tests.support.measured.measurements import forecast, pool

FOUR = {"a": [100] * 4, "b": [103] * 4, "c": [104] * 4}


def judged(scores: dict[str, int], times: dict[str, list[int]] | None = None) -> Case:
    return judge_case(forecast(scores), pool(FOUR if times is None else times), Statistic())


def test_a_planner_that_names_the_fastest_alone_matches_without_regret() -> None:
    case = judged({"a": 9, "b": 10, "c": 11})
    assert (case.measured_best, case.predicted_best) == (("a",), ("a",))
    assert case.match is True
    assert case.regret == 0
    assert case.tau_b == 1.0
    assert (case.measured_margin, case.predicted_margin) == (Fraction(3, 100), Fraction(1, 9))


def test_a_planner_that_names_another_one_regrets_how_much_slower_that_is() -> None:
    case = judged({"a": 10, "b": 9, "c": 11})
    assert (case.match, case.regret) == (False, Fraction(3, 100))
    assert case.tau_b == pytest.approx(1 / 3)


def test_a_tied_prediction_is_no_match_and_has_the_regret_of_its_worst_member() -> None:
    case = judged({"a": 9, "b": 10, "c": 9})
    assert (case.predicted_best, case.match, case.regret) == (("a", "c"), False, Fraction(4, 100))


def test_a_tied_measurement_is_no_unique_match() -> None:
    case = judged({"a": 9, "b": 10}, {"a": [100] * 4, "b": [100] * 4})
    assert (case.measured_best, case.match, case.regret) == (("a", "b"), False, Fraction(0))
    assert case.too_close is True


@given(lists(tuples(integers(1, 6), integers(100, 106)), min_size=2, max_size=6))
def test_regret_is_what_its_words_say(designs: list[tuple[int, int]]) -> None:
    scores = {f"d{place}": score for place, (score, _) in enumerate(designs)}
    times = {f"d{place}": [time, time] for place, (_, time) in enumerate(designs)}
    case = judged(scores, times)
    named = [name for name, score in scores.items() if score == min(scores.values())]
    least = min(time for _, time in designs)
    assert case.regret == Fraction(max(times[name][0] for name in named), least) - 1
    fastest = [name for name, (time, _) in times.items() if time == least]
    assert case.match == (len(named) == 1 and named == fastest)


def test_what_the_planner_excludes_counts_in_the_pool_and_costs_the_match() -> None:
    case = judged({"b": 10, "c": 11}, {"x": [100] * 4, "b": [103] * 4, "c": [104] * 4})
    assert (case.measured_best, case.predicted_best, case.match, case.regret) == (("x",), ("b",), False, Fraction(3, 100))
    assert "x was measured and has no prediction: LIM-09 too many registers" in case.notes
    assert case.tau_b == 1.0


def test_a_pool_without_any_prediction_names_nothing() -> None:
    case = judged({}, {"x": [100] * 4, "y": [103] * 4})
    assert (case.predicted_best, case.match, case.regret, case.tau_b, case.predicted_margin) == ((), False, None, None, None)


def test_a_pool_of_one_is_no_choice() -> None:
    case = judged({"a": 9}, {"a": [100] * 4})
    assert (case.match, case.ratio, case.too_close) == (None, None, None)
    assert case.regret == 0
    assert "a alone was measured: there is nothing to choose between" in case.notes


def test_the_best_of_the_whole_space_is_named_where_nobody_measured_it() -> None:
    said = forecast({"a": 9, "b": 10, "best": 7, "same": 7}, best=["best", "same"], designs={"same": "best"})
    assert judge_case(said, pool({"a": [100], "b": [101]}), Statistic()).outside == ("best",)
    inside = forecast({"a": 9, "same": 9}, best=["a", "same"], designs={"same": "a"})
    assert judge_case(inside, pool({"a": [100], "b": [101]}), Statistic()).outside == ()


def test_an_interval_that_holds_one_is_too_close_to_call() -> None:
    close = judged({"a": 9, "b": 10}, {"a": [100, 110, 90, 101, 99], "b": [101, 109, 92, 99, 100]})
    clear = judged({"a": 9, "b": 10}, {"a": [100, 110, 90, 101, 99], "b": [121, 129, 112, 119, 120]})
    assert (close.too_close, clear.too_close) == (True, False)


@pytest.mark.parametrize(("accuracy", "expected"), [(None, None), ("0.05", True), ("0.002", False)])
def test_c46_a_predicted_margin_below_the_stated_accuracy_is_too_close_to_predict(accuracy: str | None, expected: bool | None) -> None:
    said = forecast({"m": 972_780, "c": 979_510}, accuracy=accuracy)
    case = judge_case(said, pool({"m": [972_780], "c": [979_510]}), Statistic())
    assert float(case.predicted_margin or 0) == pytest.approx(0.0069, abs=1e-4)
    assert case.is_within_accuracy is expected


@pytest.mark.parametrize(("c", "m", "ratio"), [(979_510, 972_780, 1.0069), (794_740, 759_830, 1.0459), (828_544, 803_968, 1.0306)])
def test_c46_a_margin_is_that_of_its_own_device(c: int, m: int, ratio: float) -> None:
    case = judged({"c": c, "m": m}, {"c": [c] * 4, "m": [m] * 4})
    assert float(1 + (case.measured_margin or 0)) == pytest.approx(ratio, abs=1e-4)


def test_a_candidate_of_some_blocks_alone_is_compared_over_those_and_says_so() -> None:
    case = judged({"a": 9, "b": 10}, {"a": [100, 100, 100, 400], "b": [110, 110, 110]})
    by_name = {one.contender.id: one for one in case.pool}
    assert case.measured_best == ("b",)
    assert by_name["a"].ratio is not None
    assert (by_name["a"].ratio.value, by_name["a"].ratio.blocks) == (Fraction(10, 11), 3)
    assert "b ran in 3 of 4 blocks, not in b3: ratios to it are over the blocks that both ran in" in case.notes
    (told,) = (note for note in case.notes if note.startswith("b ran"))
    assert case.too_close is False
    assert told


def test_c72_errors_of_groups_that_cancel_show() -> None:
    # Prefill 58,015 beside 7,246 and 650 steps of 34.67 beside 94.5: the total alone is off by 15 %.
    predicted = Predicted("c:P/c:D@serial", 80_551, "c:P/c:D@serial", groups={"P": 58_015, "D": 22_536})
    said = Forecast("full", 1, "first_publication", (), {"c:P/c:D@serial": predicted}, {})
    parts = {"P": {"a": (7_246,)}, "D": {"a": (61_426,)}}
    case = judge_case(said, timed_pool([Contender("c:P/c:D@serial", (), None, {"a": (68_672,)}, parts)], Statistic()), Statistic())
    (one,) = case.pool
    assert float(one.error or 0) == pytest.approx(0.173, abs=1e-3)
    assert [(part.group, round(float(part.error or 0), 3)) for part in one.groups] == [("P", 7.006), ("D", -0.633), (None, 0.0)]
    assert one.cancelled_ps == 61_426 - 22_536


def test_a_block_with_one_run_beside_others_with_more_is_said() -> None:
    times = {"a": {"1": [100], "2": [101, 102, 103]}, "b": {"1": [110, 111], "2": [112, 113]}}
    runs = judge_case(forecast({"a": 9, "b": 10}), pool(times), Statistic("mean"))
    assert "blocks have different numbers of runs, and each run counts once: --unit block counts each block once (a 1 to 3)" in runs.notes
    tails = judge_case(forecast({"a": 9, "b": 10}), pool(times), Statistic("block_p95"))
    assert "blocks with one run: its p95 is that run (a)" in tails.notes
    assert not any(note.startswith("blocks") for note in judge_case(forecast({"a": 9}), pool(times), Statistic("mean", "block")).notes)
