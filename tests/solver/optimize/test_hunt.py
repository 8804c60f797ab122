"""The K best designs that a search proves are those of ranking the whole space, with their names, their scores and their ties."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts import Study
from megasolve.simulate import Ablation, Deadlock, Objective, score
from megasolve.solver import ImpossibleObjective, Judge, Question, Ranked
from megasolve.solver.optimize.hunt import Hunt
from megasolve.solver.optimize.ways.fixed import best_variant
from megasolve.solver.select.compose import compose
from megasolve.solver.select.selection import rank
from tests.support.planning.launch_studies import graph_study, launch_studies
from tests.support.planning.random_studies import studies


def judge_of(study: Study, objective: Objective = Objective.FIRST_PUBLICATION) -> Judge:
    return Judge(study, Question(study.spec.value, 1, objective))


def designs(ranking: tuple[Ranked, ...]) -> list[Ranked]:
    return [row for row in ranking if row.same_as is None]


def assert_same(study: Study, objective: Objective, ablation: Ablation, top: int) -> None:
    try:
        judge = judge_of(study, objective)
    except ImpossibleObjective:
        return
    whole = rank(judge, ablation)
    found = Hunt(judge_of(study, objective), top=top, ablation=ablation).run()
    first = designs(whole.ranking)
    same = Counter(row.same_as or row.id for row in whole.ranking)
    assert found.is_proven
    assert [hit.score_ps for hit in found.hits] == [row.score_ps for row in first[:top]]
    if objective is not Objective.FIRST_PUBLICATION or study.spec.value.publication is not None:
        # Where groups do not run, and have kernels of several kinds, names and counts follow the first kind alone.
        return
    assert [str(hit.candidate) for hit in found.hits] == [row.id for row in first[:top]]
    assert [hit.candidates for hit in found.hits] == [same[row.id] for row in first[:top]]
    if first:
        tied = [row for row in whole.ranking if row.score_ps == whole.ranking[0].score_ps]
        assert (found.ties.designs, found.ties.candidates) == (len(designs(tuple(tied))), len(tied))


@pytest.mark.parametrize("objective", Objective)
@settings(max_examples=25)
@given(launch_studies())
def test_a_search_finds_what_ranking_the_whole_space_finds(objective: Objective, study: Study) -> None:
    assert_same(study, objective, Ablation.FULL, 5)


@settings(max_examples=25)
@given(studies())
def test_a_search_finds_it_too_where_much_is_excluded(study: Study) -> None:
    for ablation in Ablation:
        assert_same(study, Objective.FIRST_PUBLICATION, ablation, 3)


@pytest.mark.parametrize("objective", Objective)
@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_in_any_graph_a_search_finds_the_scores_that_ranking_the_whole_space_finds(objective: Objective, seed: int) -> None:
    study = graph_study(Random(seed))
    try:
        whole = rank(judge_of(study, objective))
    except ImpossibleObjective:
        return
    found = Hunt(judge_of(study, objective), top=10).run()
    assert found.is_proven
    assert [hit.score_ps for hit in found.hits] == [row.score_ps for row in designs(whole.ranking)[:10]]


def test_what_precedes_a_split_may_come_later_in_the_spec() -> None:
    # Q, which has to wait for nothing, is admitted before the maker P+B, of which the first group is the first of the spec.
    study = graph_study(Random(1_000_272))
    whole = designs(rank(judge_of(study)).ranking)
    assert "c:Q/m:P+B/m:C@fixed:88/44" in [row.id for row in whole[:10]]
    assert [hit.score_ps for hit in Hunt(judge_of(study), top=10).run().hits] == [row.score_ps for row in whole[:10]]


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_in_any_graph_the_entries_of_one_candidate_are_its_best(seed: int) -> None:
    judge = judge_of(graph_study(Random(seed)))
    for row in rank(judge).ranking[:10]:
        found = compose(judge, row.candidate, best_variant(judge, row.candidate)).composition
        timed = score(found, Objective.FIRST_PUBLICATION)
        assert not isinstance(timed, Deadlock)
        assert timed.value_ps == row.score_ps
