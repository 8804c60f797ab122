"""The front has every plan that no other beats in one time without losing in another, and no other."""

from __future__ import annotations

from hypothesis import given, settings

from megasolve.contracts import Study
from megasolve.simulate import Objective
from megasolve.solver import ParetoPoint, solve
from tests.support.planning.goals import plans_of
from tests.support.planning.random_studies import studies
from tests.support.planning.studies import conventional, group, megakernel, record, spec, study

FIRST, STEP = Objective.FIRST_PUBLICATION, Objective.PRODUCER_STEP


@settings(max_examples=30)
@given(studies())
def test_the_front_is_that_of_every_plan_against_every_other(asked: Study) -> None:
    result = solve(asked, pareto=[STEP, FIRST]).results[0]
    times = [plan.times for plan in plans_of(result)]
    best = {one for one in times if not any(other != one and all(a <= b for a, b in zip(other, one, strict=True)) for other in times)}
    assert {point.times for point in result.pareto} == best
    assert len(result.pareto) == len(best)
    assert all(point.same + 1 == times.count(point.times) for point in result.pareto)


@settings(max_examples=30)
@given(studies())
def test_the_second_objective_orders_what_the_first_leaves_equal(asked: Study) -> None:
    result = solve(asked, objective=[STEP, FIRST]).results[0]
    orders = [row.order for row in result.ranking]
    assert orders == sorted(orders)
    assert {row.id for row in result.ranking if row.order == min(orders)} == set(result.best)


def test_a_plan_that_is_first_in_one_time_and_one_that_is_first_in_the_other_are_both_on_the_front() -> None:
    slow_start = megakernel("B", host_us=900)
    stages = [group("B", "producer"), group("C", "consumer")]
    known = [record(slow_start, "B", 10), record(conventional("B"), "B", 50), record(conventional("C"), "C", 5)]
    stream = {"delay": 0, "first_chunk": 1, "next_chunk": 100}
    asked = study(spec(stages, stream=stream, policies=["serial"]), [slow_start, conventional("B"), conventional("C")], known)
    front = solve(asked, pareto=["first_publication", "producer_step"]).results[0].pareto
    assert [point.id for point in front] == ["c:B+C@serial", "m:B/c:C@serial"]
    assert isinstance(front[0], ParetoPoint)
