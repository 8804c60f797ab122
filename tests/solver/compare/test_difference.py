"""What changed between two plans."""

from __future__ import annotations

from fractions import Fraction

import pytest

from megasolve.solver.compare.difference import PlanDifference, difference
from megasolve.solver.evaluate.forecasts.frozen_plan import FrozenPlan, UnusablePlan


def plan(*batches: dict[str, object], spec: str = "model", **about: object) -> FrozenPlan:
    return FrozenPlan.model_validate({"megasolve": "result/v1", "spec": spec, "device": "h100", "results": list(batches), **about})


def batch(number: int, excluded: tuple[str, ...] = (), **scores: int | str) -> dict[str, object]:
    ranking = [{"id": name, "score_ps": score} for name, score in scores.items()]
    least = min((Fraction(score) for score in scores.values()), default=None)
    best = [name for name, score in scores.items() if Fraction(score) == least]
    causes = [{"id": name, "causes": [{"rule": "EVI-01", "because": "no record"}]} for name in excluded]
    return {"batch": number, "objective": "first_publication", "best": best, "ranking": ranking, "excluded": causes}


def of(before: dict[str, object], after: dict[str, object]) -> PlanDifference:
    return difference(plan(before), plan(after))


def test_the_best_of_a_batch_is_followed_with_its_share() -> None:
    (found,) = of(batch(1, a=100, b=120), batch(1, a=110, b=105)).batches
    assert (found.best_before, found.best_after, found.has_other_best) == (("a",), ("b",), True)
    assert found.relative == Fraction(5, 100)
    assert [(one.id, one.relative) for one in found.shifted] == [("a", Fraction(1, 10)), ("b", Fraction(-1, 8))]


def test_a_tie_that_one_leaves_has_no_other_best() -> None:
    (found,) = of(batch(1, a=100, b=100), batch(1, a=101, b=100)).batches
    assert not found.has_other_best


@pytest.mark.parametrize(
    ("after", "tolerance", "worse"), [(102, "1/50", False), ("10201/100", "1/50", True), (99, "0", False), (101, "0", True)]
)
def test_worse_is_slower_by_more_than_allowed_and_exactly_so(after: int | str, tolerance: str, worse: bool) -> None:
    (found,) = of(batch(1, a=100), batch(1, a=after)).batches
    assert found.is_worse(Fraction(tolerance)) is worse


def test_what_is_no_longer_feasible_is_worse_whatever_is_allowed() -> None:
    (found,) = of(batch(1, a=100), batch(1, ("a",))).batches
    assert found.is_worse(Fraction(100))
    assert found.relative is None
    assert [(one.id, one.causes) for one in found.dropped] == [("a", ("EVI-01 no record",))]


def test_a_batch_that_is_gone_is_worse_and_a_new_one_is_not() -> None:
    gone, new = difference(plan(batch(1, a=1), batch(2, a=1)), plan(batch(2, a=1), batch(3, a=1))).batches[::2]
    assert (gone.batch, gone.is_missing, gone.is_worse(Fraction(0))) == (1, True, True)
    assert (new.batch, new.is_new, new.is_worse(Fraction(0))) == (3, True, False)


def test_equal_plans_differ_in_nothing() -> None:
    (found,) = of(batch(1, a=100, b="7/2"), batch(1, a=100, b="7/2")).batches
    assert not any((found.shifted, found.dropped, found.added))
    assert found.relative == 0


@pytest.mark.parametrize(
    ("after", "because"),
    [(plan(batch(1, a=1), spec="other"), "different specs"), (plan(batch(7, a=1)), "no question in common")],
)
def test_plans_of_different_questions_are_refused(after: FrozenPlan, because: str) -> None:
    with pytest.raises(UnusablePlan, match=because):
        difference(plan(batch(1, a=1)), after)


def test_inputs_that_differ_are_named() -> None:
    then = plan(batch(1, a=1), inputs=[{"path": "s.yaml", "sha256": "1"}, {"path": "r.yaml", "sha256": "2"}], version="0.1.0")
    now = plan(batch(1, a=1), inputs=[{"path": "s.yaml", "sha256": "1"}, {"path": "r.yaml", "sha256": "3"}], version="0.1.0")
    assert [(one.path, one.how) for one in difference(then, now).changes] == [("r.yaml", "changed")]
