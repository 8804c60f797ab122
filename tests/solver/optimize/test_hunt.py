"""The K best designs that a search proves are those of ranking the whole space, with their names, their scores and their ties."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts import Study
from megasolve.simulate import Ablation, Deadlock, Objective, score
from megasolve.simulate.plan.cover import Backend, Cover, Region
from megasolve.solver import ImpossibleObjective, Judge, Question, Ranked
from megasolve.solver.optimize.counting import counted
from megasolve.solver.optimize.hunt import Hunt
from megasolve.solver.optimize.ways.fixed import best_variant
from megasolve.solver.select.compose import compose
from megasolve.solver.select.selection import rank
from tests.support.planning.launch_studies import graph_study, launch_studies, layered_study
from tests.support.planning.random_studies import studies
from tests.support.planning.studies import Fields, conventional, group, megakernel, record, spec, study


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
@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_a_search_finds_it_too_where_blocks_of_groups_are_repeated(objective: Objective, seed: int) -> None:
    assert_same(layered_study(Random(seed)), objective, Ablation.FULL, 6)


def test_however_a_layer_of_many_kernels_is_cut_it_is_one_design() -> None:
    kernels = [f"K{place}" for place in range(44)]
    groups = [group("P", "admission"), *(group(name, "producer") for name in kernels), group("C", "consumer")]
    eager: Fields = {"kind": "stream", "host_waits": False, "host_us": 3, "exposed_us": 1}
    contracts = [conventional(one["name"], dispatch=dict(eager)) for one in groups]
    contracts += [megakernel(*kernels[begins : begins + 9], loops_over=[], host_us=2) for begins in (3, 10, 20)]
    known = [record(one, member, 5 if one["backend"] == "megakernel" else 6) for one in contracts for member in one["members"]]
    layer = {"name": "layer", "times": 24, "groups": kernels}
    plan = study({**spec(groups, stream={"first_chunk": 2}), "repeat": layer}, contracts, known)
    found = Hunt(judge_of(plan)).run()
    # None, one or two of the entries, of which two overlap: six designs, of 10^21 candidates.
    assert (found.is_proven, len(found.hits), found.state.simulated) == (True, 6, 6)
    assert found.hits[-1].candidate.cover == Cover((Region(Backend.CONVENTIONAL, ("P", *kernels, "C")),))
    # A cut anywhere between the kernels, or none of these and one at either end of the layer, or at both.
    assert found.hits[-1].candidates == 2**43 + 3


def test_where_every_candidate_takes_as_long_all_of_them_are_counted_as_ties() -> None:
    kernels = [f"K{place}" for place in range(30)]
    groups = [group("P", "admission"), *(group(name, "producer") for name in kernels), group("C", "consumer")]
    free: Fields = {"host_waits": False, "host_us": 0, "exposed_us": 0}
    contracts = [conventional(one["name"], dispatch={"kind": "stream", **free}) for one in groups]
    spans = [(first, first + count) for first in range(0, 28, 3) for count in (2, 3, 5) if first + count <= 30]
    contracts += [megakernel(*kernels[first:last], dispatch={"kind": "cooperative", **free}, loops_over=[]) for first, last in spans]
    known = [record(one, member, 5) for one in contracts for member in one["members"]]
    layer = {"name": "layer", "times": 24, "groups": kernels}
    judge = judge_of(study({**spec(groups, stream={"first_chunk": 2}, policies=["serial"]), "repeat": layer}, contracts, known))
    ties = Hunt(judge).run().ties
    assert (ties.candidates, ties.at_least) == (counted(judge).feasible, False)
    assert ties.candidates > 10**9 > ties.designs > 200


def test_times_beyond_the_numbers_of_the_solver_are_exact_and_proven() -> None:
    names = "HIJK"
    contracts = [*(conventional(name) for name in names), *(megakernel(*pair, loops_over=[]) for pair in ("HI", "IJ", "JK"))]
    known = [record(one, member, 10**9 + place) for place, one in enumerate(contracts) for member in one["members"]]
    layer = {"name": "layer", "times": 100_000, "groups": [*names]}
    plan = study(
        {**spec([group(name, "producer") for name in names], publication={"group": "K", "step": 3}), "repeat": layer}, contracts, known
    )
    whole, found = rank(judge_of(plan)), Hunt(judge_of(plan)).run()
    assert found.is_proven
    assert [hit.score_ps for hit in found.hits] == [row.score_ps for row in designs(whole.ranking)[:10]]
    assert all(hit.score_ps > 2**63 for hit in found.hits)


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


def test_where_the_presolve_of_the_solver_proved_a_wrong_bound_every_design_is_found() -> None:
    # With its default presolve OR-Tools 9.15 proves a bound above designs that it has not named (google/or-tools issue 5293).
    eager: Fields = {"kind": "cooperative", "host_waits": False}
    free: Fields = {**eager, "host_us": 0, "exposed_us": 0}
    stream: Fields = {"kind": "stream", "host_waits": False}
    graph: Fields = {"kind": "graph", "host_waits": True, "exposed_us": 0, "gap_us": 5}
    roles = {"A": "admission", **dict.fromkeys("BDEGH", "producer"), **dict.fromkeys("KL", "consumer")}
    groups = [group(name, role, calls={"D": 3, "H": 3, "K": 2, "L": 2}.get(name, 1)) for name, role in roles.items()]
    kernels: dict[str, tuple[int, Fields]] = {
        "A": (6, eager),
        "B": (18, free),
        "D": (52, {**stream, "gap_us": 3.5}),
        "E": (58, {**eager, "gap_us": 0}),
        "G": (18, stream),
        "H": (6, {**eager, "host_us": 0}),
    }
    entries: dict[str, tuple[tuple[int, ...], Fields]] = {
        "ABD": ((42, 3, 12), stream),
        "ABDE": ((48, 50, 52, 22), graph),
        "ABDEGHK": ((8, 16, 45, 9, 26, 30, 59), {**eager, "exposed_us": 0}),
        "EGHKL": ((56, 48, 54, 37, 60), eager),
        "GHKL": ((58, 58, 19, 14), eager),
        "K": ((9,), free),
        "L": ((22,), free),
    }
    one_by_one = [conventional(name, dispatch=dispatch, kernels=4 if name == "G" else 1) for name, (_, dispatch) in kernels.items()]
    fused = [megakernel(*members, dispatch=dispatch) for members, (_, dispatch) in entries.items()]
    fused[2]["loops_on_device"] = True
    known = [record(one, name, kernels[name][0]) for one, name in zip(one_by_one, kernels, strict=True)]
    for one, (members, (times, _)) in zip(fused, entries.items(), strict=True):
        known += [record(one, name, time) for name, time in zip(members, times, strict=True)]
    stream_schedule: Fields = {"first_chunk": 2, "right_context": 1, "next_chunk": 1}
    costs = {"stream": {"host_us": 100, "exposed_us": 0}, "graph": {"host_us": 0, "exposed_us": 20, "gap_us": 2.25}}
    asked = spec(groups, stream=stream_schedule, policies=["serial"])
    plan = study(asked, [*one_by_one, *fused], known, launch={**costs, "cooperative": {"host_us": 100, "exposed_us": 0}})
    whole = designs(rank(judge_of(plan, Objective.CHUNK_INTERVAL)).ranking)
    found = Hunt(judge_of(plan, Objective.CHUNK_INTERVAL), top=30).run()
    assert found.is_proven
    assert [hit.score_ps for hit in found.hits] == [row.score_ps for row in whole]
