"""The bound of a score, and the pieces that it is made of: no score is below it, serial ones and their pieces are equal."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from megasolve.simulate import (
    Composition,
    Deadlock,
    Detail,
    Objective,
    RegionPlan,
    RepeatPlan,
    Score,
    Sharing,
    lower_bound,
    score,
    simulate,
)
from megasolve.simulate.predict.maxplus import advance
from megasolve.simulate.predict.occurrences import blocks_matrix, cycle_blocks, publication_blocks, ready_blocks
from megasolve.simulate.predict.pieces import Order, assembled, piece, repeated
from megasolve.simulate.predict.scoring import event_graph
from tests.support.simulation.compositions import compositions


def _scored(composition: Composition, objective: Objective, **how: Any) -> Score:
    found = score(composition, objective, **how)
    assert not isinstance(found, Deadlock)
    return found


def _asked(composition: Composition, objective: Objective) -> None:
    assume(objective is not Objective.CHUNK_INTERVAL or composition.consumers)


@pytest.mark.parametrize("objective", Objective)
@settings(max_examples=40)
@given(compositions())
def test_no_score_is_below_its_bound(objective: Objective, composition: Composition) -> None:
    _asked(composition, objective)
    assert lower_bound(composition, objective) <= _scored(composition, objective).value_ps


@pytest.mark.parametrize("objective", Objective)
@settings(max_examples=25)
@given(compositions(sharing=Sharing.SERIAL))
def test_a_serial_score_is_its_bound(objective: Objective, composition: Composition) -> None:
    _asked(composition, objective)
    assert lower_bound(composition, objective) == _scored(composition, objective).value_ps


@settings(max_examples=40)
@given(compositions())
def test_no_node_of_a_full_lowering_waits_for_ctas_or_for_a_slot(composition: Composition) -> None:
    # Kernels on two streams wait for SMs: their bound has a test of its own.
    assume(composition.sharing is not Sharing.STREAMS)
    for objective in Objective:
        if objective is not Objective.CHUNK_INTERVAL or composition.consumers:
            graph, _ = event_graph(composition, objective, detail=Detail.FULL)
            outcome = simulate(graph)
            assert not isinstance(outcome, Deadlock)
            for node, before in enumerate(graph.predecessors):
                assert outcome.start[node] == max((outcome.finish[one] for one in before), default=0), graph.nodes[node].name


def _assembled(composition: Composition, order: Order) -> tuple[int | None, ...]:
    pieces = []
    for block, regions in groupby(composition.regions, key=lambda region: _block_around(composition, region)):
        inside = [piece(region, composition.works, order) for region in regions]
        pieces += inside if block is None else [repeated(inside, block.times)]
    return assembled(pieces, order.middle_steps)


def _serial_order(composition: Composition, objective: Objective) -> Order:
    schedule, blocks = composition.schedule, composition.repeats
    if objective is not Objective.FIRST_PUBLICATION:
        return Order((), composition.producers, composition.consumers, schedule.cycle_steps, repeats=blocks)
    admission, chunk = composition.awaited(composition.admission), composition.awaited(composition.consumers)
    return Order(
        admission, composition.producers, chunk, schedule.horizon_step, schedule.publication, composition.unawaited, repeats=blocks
    )


def _block_around(composition: Composition, region: RegionPlan) -> RepeatPlan | None:
    block = composition.repeat_of(region.groups[0])
    return block if region.is_inside(block) else None


@settings(max_examples=40)
@given(compositions(sharing=Sharing.SERIAL))
def test_a_serial_order_is_made_of_the_pieces_of_its_regions(composition: Composition) -> None:
    whole = {Objective.FIRST_PUBLICATION: publication_blocks(composition), Objective.PRODUCER_STEP: cycle_blocks(composition)}
    for objective, blocks in whole.items():
        assert _assembled(composition, _serial_order(composition, objective)) == blocks_matrix(blocks, lambda _label, ps: ps)


@settings(max_examples=40)
@given(compositions(sharing=Sharing.DYNAMIC))
def test_a_split_is_what_precedes_it_and_the_times_at_which_that_leaves_host_and_device_free(composition: Composition) -> None:
    steps = composition.schedule.ready_step
    blocks = ready_blocks(composition)
    skipped = composition.unawaited if steps == composition.schedule.horizon_step else frozenset()
    order = Order(composition.admission, composition.producers, (), steps, unawaited=skipped, repeats=composition.repeats)
    assert _assembled(composition, order) == blocks_matrix(blocks, lambda _label, ps: ps)
    ahead = advance((0, 0), blocks_matrix(blocks, lambda _label, ps: ps))
    assert (
        _scored(composition, Objective.FIRST_PUBLICATION, ahead=ahead).value_ps
        == _scored(composition, Objective.FIRST_PUBLICATION).value_ps
    )


@settings(max_examples=25)
@given(compositions(), st.integers(1, 50))
def test_times_past_2_to_53_stay_exact_in_the_bound(composition: Composition, shift: int) -> None:
    far = 2**53 * shift + 1
    slow = {
        key: replace(one, services=tuple(replace(each, duration_ps=each.duration_ps + far) for each in one.services))
        for key, one in composition.works.items()
    }
    changed = replace(composition, works=slow)
    assert lower_bound(changed) <= _scored(changed, Objective.FIRST_PUBLICATION).value_ps
