"""A plan is ranked exactly if it keeps to what is asked, whatever asks it, and at the score that it has without."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts import Study
from megasolve.simulate import Ablation, Objective
from megasolve.solver import Conflicting, Judge, Question, UnusableWhere, solve, stated_where
from megasolve.solver.goals.constraint import Constraint, TooLargeToAdd
from megasolve.solver.optimize import conflicts
from megasolve.solver.optimize.conflicts import searched_conflict
from megasolve.solver.optimize.hunt import Hunt
from tests.support.planning.goals import Plan, keeps, plans_of, random_constraints, with_constraints
from tests.support.planning.random_studies import studies
from tests.support.planning.studies import GRAPH, Fields, conventional, group, megakernel, record, spec, study

STAGES = [group("P", "admission"), group("B", "producer"), group("C", "consumer")]


def scored(plans: list[Plan]) -> set[tuple[object, ...]]:
    return {(plan.id, plan.entries, *plan.times) for plan in plans}


@settings(max_examples=50)
@given(studies(), st.integers(0, 2**32 - 1))
def test_a_plan_is_ranked_exactly_if_it_keeps_to_the_constraints(asked: Study, seed: int) -> None:
    said = random_constraints(Random(seed), asked)
    bound = with_constraints(asked, said)
    every = plans_of(solve(with_constraints(asked, {})).results[0])
    assert scored(plans_of(solve(bound).results[0])) == scored([plan for plan in every if keeps(plan, said, bound)])


@settings(max_examples=50)
@given(studies(), st.integers(0, 2**32 - 1))
def test_a_conflict_is_one_and_none_of_its_constraints_can_go(asked: Study, seed: int) -> None:
    said = random_constraints(Random(seed), asked)
    bound = with_constraints(asked, said)
    every = plans_of(solve(with_constraints(asked, {})).results[0])
    conflict = solve(bound).results[0].conflict
    parts = {one.constraint.path: _part(said, one.constraint.path) for one in conflict}
    assert bool(conflict) == (bool(every) and not any(keeps(plan, said, bound) for plan in every))
    if conflict:
        assert not any(all(keeps(plan, part, bound) for part in parts.values()) for plan in every)
        for fewer in combinations(parts.values(), len(parts) - 1):
            assert any(all(keeps(plan, part, bound) for part in fewer) for plan in every)


def _part(said: Fields, path: str) -> Fields:
    """Return the constraint at *path* alone."""
    key = path.removeprefix("constraints.").split(".")[0].split("[")[0]
    return {key: said[key]}


def pair(**fields: object) -> Study:
    """P and B in megakernels or not, C conventional only."""
    entries = [megakernel("P"), megakernel("B"), megakernel("P", "B", loops_on_device=True)]
    kernels = [conventional("P"), conventional("B"), conventional("C")]
    known = [record(one, member, 50) for one in (*entries, *kernels) for member in one["members"]]
    stream = {"delay": 0, "first_chunk": 1}
    return study(spec(STAGES, stream=stream, policies=["serial"], **fields), [*entries, *kernels], known)


def conflict_of(**constraints: object) -> dict[str, object]:
    found: tuple[Conflicting, ...] = solve(pair(constraints=constraints)).results[0].conflict
    return {one.constraint.path: one.needs for one in found}


def test_a_study_that_two_constraints_make_infeasible_names_those_two() -> None:
    said = {"together": [["P", "B"]], "apart": [["B", "C"], ["P", "B"]], "megakernels": {"at_most": 1}}
    assert conflict_of(**said) == {"constraints.together[0]": None, "constraints.apart[1]": None}


def test_of_several_conflicts_the_one_that_stands_first_is_named() -> None:
    said = {"megakernels": {"at_most": 0}, "new_megakernels": {"at_most": 0}, "entries": {"P": "P"}}
    assert conflict_of(**said) == {"constraints.megakernels": 1, "constraints.entries.P": None}
    turned = {"new_megakernels": {"at_most": 0}, "megakernels": {"at_most": 0}, "entries": {"P": "P"}}
    assert conflict_of(**turned) == {"constraints.new_megakernels": 1, "constraints.entries.P": None}


def test_a_limit_would_have_to_give_until_the_best_plan_under_the_others_keeps_it() -> None:
    said = {"limits": {"first_publication_us": 100}, "conventional": ["P", "B"]}
    best = solve(pair(constraints={"conventional": ["P", "B"]})).results[0].ranking[0]
    assert conflict_of(**said) == {"constraints.limits.first_publication_us": best.score_ps}


def test_a_time_at_its_limit_keeps_it_and_one_picosecond_less_does_not() -> None:
    best = solve(pair()).results[0].ranking[0]
    at = f"first_publication_us<={best.score_ps // 10**6}.{best.score_ps % 10**6:06d}"
    below = f"first_publication_us<={(best.score_ps - 1) // 10**6}.{(best.score_ps - 1) % 10**6:06d}"
    asked = pair()
    kept = solve(asked, where=[stated_where(asked, at)]).results[0]
    assert {row.score_ps for row in kept.ranking} == {best.score_ps}
    assert {cause.rule.code for row in kept.excluded for cause in row.causes} <= {"REQ-10", "MEM-01"}
    assert not solve(asked, where=[stated_where(asked, below)]).results[0].ranking


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("megakernel<=1", "did you mean 'megakernels'?"),
        ("megakernels<=x", "is none of"),
        ("megakernels<=-1", "found -1, expected a whole number, 0 or more"),
        ("megakernels=1", "is none of"),
        ("megakernels<=1.5", "found 1.5, expected a whole number"),
        ("first_publication_us<=nan", "found .nan, expected a finite number of microseconds"),
        ("together=B", "found ['B'], expected a list of at least 2"),
        ("conventional=Q", "'Q' is no group of spec 'model'"),
        ("conventional=", "found '', expected a name: a letter"),
        ("excludes=P,Q_mega", "'Q_mega' is no entry"),
        ("requires=P", "ENTRY:NEEDED"),
        ("entries.C=P", "'P' does not run group C; there are"),
        ("chunk_interval_us<=3", "chunk_interval needs stream.next_chunk"),
        ("", "is none of"),
    ],
)
def test_words_that_are_no_constraint_are_refused_with_what_is_allowed(words: str, message: str) -> None:
    with pytest.raises(UnusableWhere) as refused:
        stated_where(pair(), words)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("words", ["megakernels<=1", "conventional=P,C", "entries.B=B", "apart=P,B", "requires=P:B", "excludes=P,B"])
def test_the_command_line_says_what_a_spec_says(words: str) -> None:
    said: dict[str, Fields] = {
        "megakernels<=1": {"megakernels": {"at_most": 1}},
        "conventional=P,C": {"conventional": ["P", "C"]},
        "entries.B=B": {"entries": {"B": "B"}},
        "apart=P,B": {"apart": [["P", "B"]]},
        "requires=P:B": {"requires": [{"entry": "P", "needs": "B"}]},
        "excludes=P,B": {"excludes": [["P", "B"]]},
    }
    asked = pair()
    by_word = solve(asked, where=[stated_where(asked, words)]).results[0]
    by_file = solve(pair(constraints=said[words])).results[0]
    assert [row.id for row in by_word.ranking] == [row.id for row in by_file.ranking]
    assert len(by_word.ranking) < len(solve(asked).results[0].ranking)


@settings(max_examples=25)
@given(studies(), st.integers(0, 2**32 - 1))
def test_a_search_names_the_conflict_that_every_plan_shows(asked: Study, seed: int) -> None:
    bound = with_constraints(asked, random_constraints(Random(seed), asked))
    shown = solve(bound).results[0]
    judge = Judge(bound, Question(bound.spec.value, shown.batch, shown.objective))
    assert searched_conflict(judge, shown.ablation) == shown.conflict


def test_of_no_constraints_the_search_is_asked_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Constraint, ...]] = []

    def hunt(judge: Judge, *how: Any, **more: Any) -> Hunt:
        asked.append(judge.constraints)
        return Hunt(judge, *how, **more)

    monkeypatch.setattr(conflicts, "Hunt", hunt)
    bound = pair(constraints={"entries": {"P": "P"}, "megakernels": {"at_most": 0}})
    judge = Judge(bound, Question(bound.spec.value, 1, Objective.FIRST_PUBLICATION))
    assert searched_conflict(judge, Ablation.FULL) == solve(bound).results[0].conflict != ()
    assert len(asked) == len({*asked})


HUGE = 10**26


@pytest.mark.parametrize(("at_most", "best"), [(2 * HUGE, "m:P"), (5, "c:P")])
def test_a_workspace_of_more_bytes_than_a_solver_can_add_is_held_to_its_limit(at_most: int, best: str) -> None:
    contracts = [megakernel("P", workspace_bytes=HUGE), conventional("P", dispatch=dict(GRAPH), workspace_bytes=5)]
    known = [record(one, "P", time) for one, time in zip(contracts, (5, 900), strict=True)]
    asked = spec([group("P", "admission")], publication={"group": "P"}, constraints={"workspace_bytes": at_most})
    bound = study(asked, contracts, known)
    judge = Judge(bound, Question(bound.spec.value, 1, Objective.FIRST_PUBLICATION))
    assert solve(bound).results[0].best == (f"{best}@serial",)
    assert [str(hit.candidate) for hit in Hunt(judge, top=1).run().hits] == [f"{best}@serial"]


def test_workspaces_below_their_limit_that_nothing_can_add_up_are_refused_in_one_line() -> None:
    contracts = [megakernel("P", workspace_bytes=HUGE), conventional("P", dispatch=dict(GRAPH), workspace_bytes=HUGE)]
    known = [record(one, "P", 5) for one in contracts]
    asked = spec([group("P", "admission")], publication={"group": "P"}, constraints={"workspace_bytes": HUGE})
    with pytest.raises(TooLargeToAdd, match=r"constraints\.workspace_bytes: the bytes of workspace of all entries, 200,000"):
        solve(study(asked, contracts, known))


def test_an_entry_that_excludes_names_twice_does_not_meet_itself() -> None:
    contracts = [megakernel("P"), conventional("P", dispatch=dict(GRAPH))]
    known = [record(one, "P", time) for one, time in zip(contracts, (5, 900), strict=True)]
    asked = spec([group("P", "admission")], publication={"group": "P"}, constraints={"excludes": [["P", "P"]]})
    assert solve(study(asked, contracts, known)).results[0].best == ("m:P@serial",)
