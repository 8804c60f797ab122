"""Laws of the lowering, on random compositions: COMPACT is FULL, both are the words of the design, ablations coincide."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings

from megasolve.simulate import (
    Ablation,
    Composition,
    Deadlock,
    Detail,
    Objective,
    Score,
    Sharing,
    branches,
    critical_path,
    score,
    simulate,
)
from megasolve.simulate.predict.scoring import event_graph
from tests.support.judges.algorithm1 import simulate_literally
from tests.support.judges.literal_schedule import first_publication, steady
from tests.support.simulation.compositions import compositions, without_bytes

STEADY = (Objective.PRODUCER_STEP, Objective.CHUNK_INTERVAL)


def scored(composition: Composition, objective: Objective = Objective.FIRST_PUBLICATION, **how: Any) -> Score:
    outcome = score(composition, objective, **how)
    assert not isinstance(outcome, Deadlock)
    return outcome


def _asks(composition: Composition, objective: Objective) -> bool:
    return objective is not Objective.CHUNK_INTERVAL or bool(composition.consumers)


@pytest.mark.parametrize("objective", Objective)
@settings(max_examples=75)
@given(compositions())
def test_compact_and_full_lowering_give_the_same_score(objective: Objective, composition: Composition) -> None:
    assume(_asks(composition, objective))
    for ablation in Ablation:
        compact = scored(composition, objective, ablation=ablation, detail=Detail.COMPACT)
        full = scored(composition, objective, ablation=ablation, detail=Detail.FULL)
        assert compact.value_ps == full.value_ps, ablation


@pytest.mark.parametrize("detail", Detail)
@pytest.mark.parametrize("objective", Objective)
@settings(max_examples=30)
@given(compositions())
def test_the_two_ablations_coincide(objective: Objective, detail: Detail, composition: Composition) -> None:
    assume(_asks(composition, objective))
    additive = scored(composition, objective, ablation=Ablation.ADDITIVE, detail=detail)
    serialized = scored(composition, objective, ablation=Ablation.NO_OVERLAP, detail=detail)
    assert additive.value_ps == serialized.value_ps


@pytest.mark.parametrize("detail", Detail)
@settings(max_examples=75)
@given(compositions(sharing=Sharing.SERIAL))
def test_the_serial_order_is_the_literal_walk_over_its_occurrences(detail: Detail, composition: Composition) -> None:
    assert scored(composition, detail=detail).value_ps == first_publication(composition)


@pytest.mark.parametrize("sharing", [Sharing.FIXED, Sharing.DYNAMIC])
def test_a_split_of_looping_launches_is_two_chains_that_share_the_bandwidth(sharing: Sharing) -> None:
    @settings(max_examples=75)
    @given(compositions(sharing=sharing, loops=True))
    def law(composition: Composition) -> None:
        assert scored(composition).value_ps == first_publication(composition)

    law()


@settings(max_examples=50)
@given(compositions(sharing=Sharing.DYNAMIC, loops=False))
def test_a_producer_that_does_not_loop_is_launched_again_for_each_step_of_the_tail(composition: Composition) -> None:
    quiet = without_bytes(composition)
    assert scored(quiet).value_ps == first_publication(quiet)


@pytest.mark.parametrize("objective", STEADY)
@settings(max_examples=30)
@given(compositions(loops=True))
def test_a_steady_score_is_the_long_run_time_of_a_cycle(objective: Objective, composition: Composition) -> None:
    # What the kernels of two streams take of each other's SMs is in test_streams.py, cycles among it.
    assume(_asks(composition, objective) and composition.sharing is not Sharing.STREAMS)
    assert scored(composition, objective).value_ps == steady(composition, objective)


@settings(max_examples=15)
@given(compositions(sharing=Sharing.SERIAL, loops=False))
def test_a_serial_cycle_without_a_loop_on_the_device_is_walked_alike(composition: Composition) -> None:
    assume({*composition.consumers}.isdisjoint(composition.region_of(composition.producers[0]).groups))
    assert scored(composition, Objective.PRODUCER_STEP).value_ps == steady(composition, Objective.PRODUCER_STEP)


@settings(max_examples=30)
@given(compositions())
def test_the_full_graph_means_the_same_to_the_printed_algorithm(composition: Composition) -> None:
    graph, _ = event_graph(composition, Objective.FIRST_PUBLICATION, detail=Detail.FULL)
    outcome = simulate(graph)
    assert not isinstance(outcome, Deadlock)
    assert [Fraction(time) for time in outcome.finish] == simulate_literally(graph)


@pytest.mark.parametrize("objective", Objective)
@settings(max_examples=50)
@given(compositions())
def test_the_segments_of_the_critical_path_sum_to_the_score(objective: Objective, composition: Composition) -> None:
    assume(_asks(composition, objective))
    for detail in Detail:
        found = scored(composition, objective, detail=detail)
        segments = critical_path(found)
        assert sum(segment.elapsed_ps for segment in segments) == found.value_ps
        assert all(segment.elapsed_ps > 0 for segment in segments)


@settings(max_examples=50)
@given(compositions())
def test_the_later_branch_is_the_publication_and_compact_branches_are_the_full_ones(composition: Composition) -> None:
    assume(composition.consumers)
    compact, full = scored(composition), scored(composition, detail=Detail.FULL)
    found = branches(composition, compact)
    assert found is not None
    assert max(found.chunk_ps, found.horizon_ps) == compact.value_ps
    assert found == branches(composition, full)
