"""No bound exceeds its score: no path that a search knows is longer than what any design takes, in chains, in graphs and with repeats."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python import cp_model

from megasolve.contracts import Study
from megasolve.simulate import Objective
from megasolve.solver import ImpossibleObjective, Judge, Question
from megasolve.solver.optimize.hunt import Hunt
from megasolve.solver.search.kept import SolverFault
from tests.support.planning.launch_studies import chain_of_launches, graph_study, repeated_study


def assert_bounded(study: Study, objective: Objective) -> None:
    try:
        hunt = Hunt(Judge(study, Question(study.spec.value, 1, objective)), top=100)
    except ImpossibleObjective:
        return
    hunt.run()
    for hit in hunt.hits.values():
        for index, way in hit.ways:
            front = hunt.fronts[index]
            lengths = [word.along(way, front.space.repeats) for word in front.model.words]
            assert all(length <= hit.score_ps * front.space.clocks[0].divisor for length in lengths if length is not None)


@pytest.mark.parametrize("objective", Objective)
@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_no_path_of_a_chain_is_longer_than_a_score(objective: Objective, seed: int) -> None:
    assert_bounded(chain_of_launches(Random(seed)), objective)


@pytest.mark.parametrize("objective", Objective)
@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_no_path_of_a_graph_is_longer_than_a_score(objective: Objective, seed: int) -> None:
    assert_bounded(graph_study(Random(seed)), objective)


@pytest.mark.parametrize("objective", Objective)
@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_no_path_with_repeats_is_longer_than_a_score(objective: Objective, seed: int) -> None:
    assert_bounded(repeated_study(Random(seed)), objective)


def test_a_bound_above_that_of_the_answer_beside_it_is_a_fault_of_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(cp_model.CpSolver):
        def value(self, expression: cp_model.LinearExprT) -> int:
            return super().value(expression) + 1

    monkeypatch.setattr(cp_model, "CpSolver", Wrong)
    made = chain_of_launches(Random(3))
    with pytest.raises(SolverFault, match="CP-SAT proves that no cover is below"):
        Hunt(Judge(made, Question(made.spec.value, 1, Objective.FIRST_PUBLICATION))).run()
