"""The OR-Tools model, the plain predicates and a brute-force reading of the design keep the same set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from ortools.sat.python import cp_model

from megasolve.contracts import MegasolveError, Study, load_spec
from megasolve.simulate import Objective
from megasolve.solver import Judge, Question, SolverFault, candidates, prune, solve
from megasolve.solver.search import model as model_module
from megasolve.solver.search.model import FAMILIES, SpaceModel
from tests.support.judges.supported import supported
from tests.support.planning.random_studies import studies
from tests.support.planning.studies import SPECS, nh_tts_with_later_chunks


def judge_of(study: Study, batch: int = 1, objective: Objective = Objective.FIRST_PUBLICATION) -> Judge:
    return Judge(study, Question(study.spec.value, batch, objective))


@settings(max_examples=60)
@given(studies())
def test_model_predicates_and_enumeration_keep_the_same_set(study: Study) -> None:
    judge = judge_of(study)
    expected = {name: variants for name, variants in supported(study, 1).items() if variants}
    by_model = {
        str(candidate): {tuple(choice.entries for choice in one) for one in variants} for candidate, variants in prune(judge).items()
    }
    by_predicates = {
        str(candidate): {
            tuple(choice.entries for choice in one) for one in judge.variants(candidate) if judge.is_feasible(one, candidate.policy)
        }
        for candidate in candidates(study.spec.value)
    }
    assert by_model == expected
    assert {name: variants for name, variants in by_predicates.items() if variants} == expected


@settings(max_examples=60)
@given(studies())
def test_a_candidate_has_causes_exactly_when_no_variant_of_it_is_supported(study: Study) -> None:
    judge = judge_of(study)
    expected = supported(study, 1)
    assert {str(one) for one in candidates(study.spec.value)} == set(expected)
    for candidate in candidates(study.spec.value):
        causes = judge.causes(candidate)
        assert bool(causes) is not bool(expected[str(candidate)])
        assert len(set(causes)) == len(causes)


@settings(max_examples=30)
@given(studies())
def test_each_candidate_is_ranked_or_excluded_and_nothing_is_lost(study: Study) -> None:
    result = solve(study).results[0]
    every_id = [str(one) for one in candidates(study.spec.value)]
    assert sorted([row.id for row in result.ranking] + [row.id for row in result.excluded]) == sorted(every_id)
    assert all(row.causes for row in result.excluded)
    assert [row.score_ps for row in result.ranking] == sorted(row.score_ps for row in result.ranking)


@pytest.mark.parametrize("objective", Objective)
def test_model_and_predicates_agree_on_nh_tts_at_every_objective(objective: Objective) -> None:
    study = nh_tts_with_later_chunks()
    judge = judge_of(study, 32, objective)
    assert {str(candidate) for candidate in prune(judge)} == {str(one) for one in candidates(study.spec.value)}


def _with(monkeypatch: pytest.MonkeyPatch, family: Callable[[SpaceModel], None]) -> None:
    monkeypatch.setattr(model_module, "FAMILIES", (*FAMILIES, family))


def test_c61_a_model_that_the_solver_rejects_is_a_fault_and_not_an_exclusion(monkeypatch: pytest.MonkeyPatch) -> None:
    def overflow(space: SpaceModel) -> None:
        score_ps = space.model.new_int_var(0, 2 * 10**13, "score_ps")
        space.model.add(10**6 * score_ps <= 9 * 10**18)

    _with(monkeypatch, overflow)
    with pytest.raises(SolverFault, match="MODEL_INVALID"):
        solve(load_spec(SPECS / "worked_example.yaml"))


def test_c61_no_duration_enters_the_solver() -> None:
    space = SpaceModel(judge_of(load_spec(SPECS / "nh_tts.yaml"), 32))
    for family in FAMILIES:
        family(space)
    proto = space.model.proto
    assert all(list(variable.domain) == [0, 1] for variable in proto.variables)
    coefficients = {coefficient for constraint in proto.constraints for coefficient in constraint.linear.coeffs}
    assert coefficients <= {-1, 1}


def test_c63_enumeration_uses_one_worker_and_finds_every_tie(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = []

    class Watched(cp_model.CpSolver):
        def solve(self, *args: Any) -> cp_model.CpSolverStatus:
            workers.append((self.parameters.num_workers, self.parameters.enumerate_all_solutions))
            return super().solve(*args)

    monkeypatch.setattr(cp_model, "CpSolver", Watched)
    result = solve(load_spec(SPECS / "equal_partitions.yaml")).results[0]
    assert workers == [(1, True)]
    assert len(result.best) == 8


def test_c64_an_infeasible_answer_that_contradicts_the_predicates_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, lambda space: space.never())
    with pytest.raises(SolverFault, match="CP-SAT keeps 0 variants, the rules keep 1"):
        solve(load_spec(SPECS / "worked_example.yaml"))


def test_c64_an_answer_with_one_candidate_missing_is_a_fault_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def lose_one(space: SpaceModel) -> None:
        space.never(next(literal for policy, literal in space.policies.items() if str(policy) == "dynamic:88/44"))

    _with(monkeypatch, lose_one)
    with pytest.raises(SolverFault, match="dynamic:88/44"):
        solve(load_spec(SPECS / "worked_example.yaml"))


def test_c64_a_solution_that_is_no_candidate_is_a_fault_too(monkeypatch: pytest.MonkeyPatch) -> None:
    families = tuple(family for family in FAMILIES if family.__name__ not in {"applicability", "co_residency"})
    monkeypatch.setattr(model_module, "FAMILIES", families)
    with pytest.raises(SolverFault, match="no candidate"):
        solve(load_spec(SPECS / "nh_tts.yaml"))


def test_a_fault_of_the_solver_is_a_megasolve_error() -> None:
    assert issubclass(SolverFault, MegasolveError)
