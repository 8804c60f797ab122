"""Evaluating a study: all planners over one pool, frozen plans, and whatever is measured of something else."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from megasolve.contracts import Place, Stamp, Study, inputs_of, load_spec
from megasolve.contracts.runs.reading import read_runs
from megasolve.contracts.runs.timed_run import TimedRun, TimedRuns, UnqualifiedRun
from megasolve.contracts.runs.unusable import UnusableRuns
from megasolve.report import solve_json
from megasolve.solver import (
    Evaluation,
    FrozenPlan,
    FrozenPlans,
    Judgement,
    Scoring,
    Statistic,
    UnusablePlan,
    changes_since,
    evaluate,
    read_plan,
    solve,
)
from tests.support.command import CHECKOUT

THREE = "m:P/m:B+L/m:C@"
ONE, CONVENTIONAL, SAME = "m:P+B+L+C@serial", "c:P/c:B/c:L/c:C@serial", "c:P+B/c:L+C@serial"
_LIKE_THAT = "its groups cannot be cut, or share the GPU, like that"
TOTALS = CHECKOUT / "specs/nh_tts/published_totals.csv"


@cache
def nh_tts() -> Study:
    return load_spec(CHECKOUT / "specs/nh_tts.yaml")


def run(
    candidate: str,
    ms: float,
    *,
    batch: int = 32,
    block: str = "1",
    device: str | None = None,
    precision: str | None = None,
    group: str | None = None,
) -> TimedRun:
    time_ps = round(ms * 10**9)
    return TimedRun(candidate, batch, block, "1", time_ps, Place("runs.csv", 2), group, device=device, precision=precision)


@cache
def published() -> TimedRuns:
    """Return the totals that the paper prints; the file says which ids it does not print, and are ours."""
    return read_runs([str(TOTALS)])


@cache
def judged() -> Evaluation:
    return evaluate(nh_tts(), published())


def test_the_published_totals_of_nh_tts_match_three_of_three_and_the_ablations_one_of_three_with_the_published_regrets() -> None:
    found = judged()
    assert found.is_regression
    assert [found.matches(planner) for planner in found.planners] == [3, 1, 1]
    assert [found.decided(planner) for planner in found.planners] == [3, 3, 3]
    for planner in ("additive", "no_overlap"):
        assert [round(float(case.regret or 0), 4) for case in found.cases[planner]] == [0.0, 0.045, 0.042]
        assert [case.predicted_best for case in found.cases[planner]] == [(f"{THREE}serial",)] * 3
    assert [case.regret for case in found.cases["full"]] == [0, 0, 0]


def test_the_error_of_the_selected_design_is_the_published_one() -> None:
    case = judged().cases["full"][1]
    assert case.batch == 32
    assert case.pool[0].predicted_ps == 42_520_000_000
    assert float(case.pool[0].error or 0) == pytest.approx(42.52 / 35.99 - 1)


def test_ids_of_one_design_are_measured_together() -> None:
    runs = (run(CONVENTIONAL, 145), run(SAME, 147), run(f"{THREE}serial", 37))
    case = evaluate(nh_tts(), TimedRuns(runs)).cases["full"][0]
    last = case.pool[-1]
    assert (last.contender.id, last.contender.also, last.measured_ps) == (CONVENTIONAL, (SAME,), Fraction(146 * 10**9))
    assert f"{CONVENTIONAL} and {SAME} are one design: their runs count together" in case.notes


def faults(*runs: TimedRun) -> list[str]:
    with pytest.raises(UnusableRuns) as refused:
        evaluate(nh_tts(), TimedRuns(runs))
    return [fault.message for fault in refused.value.faults]


def test_what_is_measured_of_something_else_is_refused_all_at_once() -> None:
    assert faults(
        run("m:P/m:B+L/m:C@dynamic:88/4", 36),
        run("m:P/c:B+L/m:C@dynamic:88/44", 36),
        run(f"{THREE}serial", 36, batch=48),
        run(f"{THREE}serial", 36, device="h200"),
        run(f"{THREE}serial", 36, precision="fp8"),
        run(f"{THREE}serial", 36, group="Q"),
    ) == [
        f"'m:P/c:B+L/m:C@dynamic:88/44' is no candidate: {_LIKE_THAT}; megasolve explain SPEC ID says why",
        "batch 48 is none of the spec's: 1, 32, 64",
        "measured in 'fp8', and the spec is in 'bf16'",
        "measured on 'h200', and the plan is for 'h100_nvl'; --device plans for another one",
        "no candidate 'm:P/m:B+L/m:C@dynamic:88/4'; the nearest are m:P/m:B+L/m:C@dynamic:88/44, c:P/m:B+L/m:C@dynamic:88/44",
        "no group 'Q'; known: B, C, L, P",
    ]


def test_equal_faults_are_told_once_with_their_number() -> None:
    (fault,) = faults(*(run(f"{THREE}serial", 36, batch=48) for _ in range(3)))
    assert fault == "batch 48 is none of the spec's: 1, 32, 64 (and so in 2 more rows)"


def test_thousands_of_strangers_are_told_without_a_search_for_each() -> None:
    told = faults(*(run(f"request-{number}", 36) for number in range(3000)), run("x" * 10**6, 36))
    assert sum("the nearest are" in one for one in told) == 20
    assert sum(one.startswith("no candidate 'request-") for one in told) == 3000


def test_c55_another_time_than_the_one_that_was_measured_is_not_judged() -> None:
    with pytest.raises(UnusableRuns, match="measured is first_publication, and producer_step is to be judged"):
        evaluate(nh_tts(), replace(published(), objectives=frozenset({"first_publication"})), scoring=Scoring("producer_step"))


def test_a_design_in_another_unit_than_the_others_is_refused_and_a_whole_file_is_said() -> None:
    (fault,) = faults(run(f"{THREE}serial", 0.037), run(ONE, 46), run(CONVENTIONAL, 145))
    assert fault.startswith(f"{THREE}serial took about 1,000 times shorter than predicted, and others did not")
    case = evaluate(nh_tts(), TimedRuns((run(f"{THREE}serial", 0.037), run(ONE, 0.046)))).cases["full"][0]
    assert any(note.startswith("measured times are about 1,000 times smaller than predicted") for note in case.notes)


def test_batches_that_are_not_asked_for_and_designs_that_failed_are_said() -> None:
    failed = UnqualifiedRun(ONE, 32, "tokens of step 5 differ")
    found = evaluate(nh_tts(), replace(published(), unqualified=(failed,)), Judgement(batches=(32,)))
    assert [case.batch for case in found.leading] == [32]
    assert found.notes == (
        "batch 1: 3 runs are left out, as other batches are asked for",
        "batch 64: 4 runs are left out, as other batches are asked for",
        f"batch 32: {ONE} did not qualify, and is not judged: tokens of step 5 differ",
    )


def test_times_of_groups_alone_judge_no_design() -> None:
    found = evaluate(nh_tts(), TimedRuns((run(f"{THREE}serial", 7, group="P"), run(ONE, 46))))
    assert f"batch 32: {THREE}serial has times of groups alone, and none of the whole" in found.notes
    assert [one.contender.id for one in found.leading[0].pool] == [ONE]


def test_the_statistic_is_that_of_the_user() -> None:
    runs = tuple(replace(run(f"{THREE}serial", ms, block=block), run=f"{ms}") for block, ms in (("1", 36), ("1", 38), ("2", 42), ("2", 60)))
    asked = [Judgement(statistic=Statistic("mean")), Judgement(statistic=Statistic("block_p95"))]
    measured = [evaluate(nh_tts(), TimedRuns(runs), one).leading[0].pool[0].measured_ps for one in asked]
    assert measured == [44 * 10**9, Fraction(379 + 591, 20) * 10**9]


def frozen(folder: Path, *, version: str = "1", drop: str = "", ablation: str = "full") -> FrozenPlans:
    """Return a plan of batch 32, and what has changed since it was made, with *drop* among its inputs named anew."""
    inputs = inputs_of(nh_tts())
    stamp = Stamp(version, tuple(replace(one, sha256="0" * 64) if drop and drop in one.path else one for one in inputs), {"without": ()})
    (folder / "plan.json").write_text(solve_json(solve(nh_tts(), batches=[32], ablation=ablation), stamp))
    plan = read_plan(str(folder / "plan.json"))
    return FrozenPlans((plan,), changes_since(plan, Stamp("1", inputs, {"without": ()})))


def test_a_frozen_plan_whose_inputs_are_as_they_were_judges_as_the_plan_of_today(tmp_path: Path) -> None:
    found = evaluate(nh_tts(), published(), Judgement(batches=(32,)), frozen=frozen(tmp_path))
    assert found.changes == ()
    assert [found.cases[planner] for planner in found.planners] == [judged().cases[planner][1:2] for planner in judged().planners]


def test_a_frozen_plan_whose_inputs_have_changed_says_which_and_judges_what_was_frozen_alone(tmp_path: Path) -> None:
    found = evaluate(nh_tts(), published(), Judgement(batches=(32,)), frozen=frozen(tmp_path, drop="batch_32", version="0"))
    assert [(Path(one.path).name, one.how) for one in found.changes or ()] == [("megasolve", "version"), ("batch_32.yaml", "changed")]
    assert found.planners == ("full",)
    assert any(note.startswith("additive and no_overlap: in no frozen plan") for note in found.notes)


def test_the_ablations_may_be_frozen_too(tmp_path: Path) -> None:
    parts = [frozen(tmp_path, drop="batch_32", ablation=ablation) for ablation in ("full", "additive")]
    both = FrozenPlans(tuple(plan for one in parts for plan in one.plans), parts[0].changes)
    found = evaluate(nh_tts(), published(), Judgement(batches=(32,)), frozen=both)
    assert (found.planners, found.matches("full"), found.matches("additive")) == (("full", "additive"), 1, 0)
    with pytest.raises(UnusablePlan, match="two frozen plans of batch 32 by the planner full"):
        evaluate(nh_tts(), published(), frozen=FrozenPlans((parts[0].plans[0],) * 2))


def test_a_frozen_plan_of_something_else_is_refused(tmp_path: Path) -> None:
    (plan,) = frozen(tmp_path).plans
    for changed, said in (({"spec": "other"}, "of spec 'other'"), ({"device": "h200"}, "of device 'h200'")):
        with pytest.raises(UnusablePlan, match=said):
            evaluate(nh_tts(), published(), frozen=FrozenPlans((plan.model_copy(update=changed),)))
    with pytest.raises(UnusablePlan, match="has no batch 1, and what it was made of has changed"):
        evaluate(nh_tts(), published(), frozen=frozen(tmp_path, drop="batch_32"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no json", "is no JSON, and so no result of megasolve solve --format json"),
        ('{"megasolve": "table/v1"}', "is table/v1; a frozen plan is result/v1"),
        ("[]", "names no kind"),
        ('{"megasolve": "result/v1", "spec": "a", "device": "b"}', "$.results: field required"),
        (
            '{"megasolve": "result/v1", "spec": "a", "device": "b", "results": [{"batch": 1}]}',
            "$.results[0].objective: field required, and 2 more",
        ),
    ],
)
def test_a_file_that_is_no_plan_is_refused_with_the_place(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(UnusablePlan) as refused:
        read_plan(str(tmp_path / "plan.json"))
    assert said in str(refused.value)


def test_a_plan_that_does_not_say_what_it_was_made_of_may_have_changed(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(solve_json(solve(nh_tts(), batches=[32])))
    plan = read_plan(str(tmp_path / "plan.json"))
    assert [one.how for one in changes_since(plan, Stamp("1", inputs_of(nh_tts()), {}))] == ["unknown"]


def test_files_are_compared_by_where_they_lie_beside_the_spec() -> None:
    inputs = inputs_of(nh_tts())
    plan = json.loads(solve_json(solve(nh_tts(), batches=[1]), Stamp("1", inputs, {})))
    root = str(CHECKOUT)
    moved = FrozenPlan.model_validate(
        {**plan, "inputs": [{**one, "path": one["path"].replace(root, "/elsewhere")} for one in plan["inputs"]]}
    )
    assert changes_since(moved, Stamp("1", inputs, {})) == ()
    fewer = FrozenPlan.model_validate({**plan, "inputs": plan["inputs"][:-1]})
    assert [one.how for one in changes_since(fewer, Stamp("1", inputs, {}))] == ["new"]
    more = changes_since(FrozenPlan.model_validate(plan), Stamp("1", inputs[:-1], {"without": ("contention",)}))
    assert [(one.how, one.was, one.now) for one in more if one.how == "option"] == [("option", None, "contention")]
    assert [one.how for one in more] == ["option", "gone"]
