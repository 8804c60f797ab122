"""The Python API takes plain values and refuses what the command refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from megasolve.contracts import Edge, GroupSpec, load_spec, shipped_specs
from megasolve.simulate import Ablation, Objective
from megasolve.solver import ImpossibleObjective, SpaceTooLarge, UnknownBatch, UnknownName, explain, refuse_huge_space, service_table, solve

WORKED = load_spec(shipped_specs() / "worked_example.yaml")


@pytest.mark.parametrize("objective", [Objective.FIRST_PUBLICATION, Objective.PRODUCER_STEP])
def test_an_objective_may_be_given_by_its_name(objective: Objective) -> None:
    by_name = solve(WORKED, objective=objective.value).results[0]
    assert by_name.objective is objective
    assert [row.score_ps for row in by_name.ranking] == [row.score_ps for row in solve(WORKED, objective=objective).results[0].ranking]


@pytest.mark.parametrize("ablation", list(Ablation))
def test_an_ablation_may_be_given_by_its_name(ablation: Ablation) -> None:
    by_name = solve(WORKED, ablation=ablation.value).results[0]
    assert by_name.ablation is ablation
    assert [row.score_ps for row in by_name.ranking] == [row.score_ps for row in solve(WORKED, ablation=ablation).results[0].ranking]


@pytest.mark.parametrize(("batches", "shown"), [("32", "'32'"), (b" ", "b' '"), ([32.0], "32.0"), ([True], "True"), ([[1]], r"\[1\]")])
@pytest.mark.parametrize("asked", [solve, service_table])
def test_batches_are_a_list_of_whole_numbers(asked: Callable[..., object], batches: Any, shown: str) -> None:
    with pytest.raises(UnknownBatch, match=f"batches must be .*numbers, not {shown}; the spec lists 32"):
        asked(WORKED, batches=batches)


def test_an_unknown_name_is_refused_with_the_allowed_ones() -> None:
    with pytest.raises(UnknownName, match=r"no ablation 'addditive'; there are full, additive, no_overlap"):
        solve(WORKED, ablation="addditive")
    with pytest.raises(UnknownName, match="no objective 'nope'"):
        solve(WORKED, objective="nope")


@pytest.mark.parametrize("batches", [[7], [], 32])
def test_a_batch_that_the_spec_does_not_list_is_refused(batches: list[int]) -> None:
    with pytest.raises(UnknownBatch, match="the spec"):
        solve(WORKED, batches=batches)


def test_a_batch_that_is_asked_for_twice_is_planned_once() -> None:
    assert [result.batch for result in solve(WORKED, batches=[32, 32]).results] == [32]


def test_the_interval_of_chunks_that_nobody_describes_is_refused() -> None:
    with pytest.raises(ImpossibleObjective, match=r"stream\.next_chunk"):
        solve(WORKED, objective="chunk_interval")


def test_explaining_a_spec_of_several_batches_needs_one_of_them() -> None:
    nh_tts = load_spec(shipped_specs() / "nh_tts.yaml")
    with pytest.raises(UnknownBatch, match="1, 32, 64"):
        explain(nh_tts, "m:P+B+L+C@serial")
    with pytest.raises(UnknownBatch, match="batch 2"):
        explain(nh_tts, "m:P+B+L+C@serial", batch=2)


def test_a_space_that_nobody_can_rank_is_refused_before_it_is_made() -> None:
    (first, *_) = WORKED.spec.value.groups
    groups = tuple(first.model_copy(update={"name": f"P{index}"}) for index in range(17))
    huge = WORKED.spec.value.model_copy(update={"groups": groups})
    with pytest.raises(SpaceTooLarge, match="17 groups have 86,093,442 covers > 100,000"):
        refuse_huge_space(huge)


def test_a_branch_that_nobody_can_rank_is_refused_before_it_is_counted() -> None:
    groups = (GroupSpec(name="P", role="admission"), *(GroupSpec(name=f"B{index}", role="producer") for index in range(40)))
    edges = tuple(Edge.model_validate({"from": "P", "to": f"B{index}"}) for index in range(40))
    with pytest.raises(SpaceTooLarge, match="the 40 groups of one branch have too many regions to list"):
        refuse_huge_space(WORKED.spec.value.model_copy(update={"groups": groups, "edges": edges}))
