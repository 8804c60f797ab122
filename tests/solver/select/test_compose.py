"""From entries and records to a composition: whose figures a launch costs, which kernels a graph has, what launches hold."""

from __future__ import annotations

from typing import Any

import pytest

from megasolve.contracts import Study
from megasolve.simulate import Capacity, Composition, DispatchCost, Graphed, Objective, Phase, Service, Streamed
from megasolve.solver import Judge, Question, candidates
from megasolve.solver.select.compose import compose
from tests.support.planning.studies import SHAPE, Fields, conventional, group, megakernel, record, spec, study

PAIR: Fields = {"producer_ctas": 88, "consumer_ctas": 44}
LAUNCH_COSTS: Fields = {"graph": {"host_us": 9, "exposed_us": 3, "gap_us": 1.3}}
STAGES = [group("B", "producer"), group("C", "consumer")]


def composed(asked: Study, name: str) -> Composition:
    judge = Judge(asked, Question(asked.spec.value, 1, Objective.FIRST_PUBLICATION))
    candidate = next(one for one in candidates(asked.spec.value) if str(one) == name)
    (variant,) = judge.variants(candidate)
    assert judge.causes(candidate) == ()
    return compose(judge, candidate, variant).composition


def decode(kernels: list[Fields], durations_us: list[float], **figures: Any) -> Composition:
    known = [record(kernel, "D", us) for kernel, us in zip(kernels, durations_us, strict=True)]
    asked = spec([group("D", "producer")], publication={"group": "D", "step": 1})
    return composed(study(asked, kernels, known, **figures), "c:D@serial")


def graph(**figures: Any) -> Fields:
    return {"kind": "graph", "host_waits": True, **figures}


def costs_of(found: Composition) -> list[DispatchCost]:
    return [service.dispatch for service in found.works["D", Phase.WHOLE].services]


def test_a_launch_costs_what_the_device_says_where_the_contract_says_nothing() -> None:
    found = decode([conventional("D", dispatch=graph())], [10], launch=LAUNCH_COSTS)
    assert found.regions[0].launching == Graphed()
    assert costs_of(found) == [DispatchCost(9_000_000, 3_000_000, host_waits=True, gap_ps=1_300_000)]


def test_each_figure_that_the_contract_states_replaces_the_device_s() -> None:
    found = decode([conventional("D", dispatch=graph(exposed_us=0))], [10], launch=LAUNCH_COSTS)
    assert costs_of(found) == [DispatchCost(9_000_000, 0, host_waits=True, gap_ps=1_300_000)]


def test_a_gap_measured_in_a_profile_replaces_the_device_s_and_never_adds_to_it() -> None:
    found = decode([conventional("D", dispatch=graph(gap_us=0.58))], [10], launch=LAUNCH_COSTS)
    assert [cost.gap_ps for cost in costs_of(found)] == [580_000]


def test_a_gap_measured_before_each_kernel_of_a_stream_stands_for_the_launch_cost_of_the_device() -> None:
    launch: Fields = {"stream": {"host_us": 4, "exposed_us": 2}}
    dispatches = ({"kind": "stream", "host_waits": False, "gap_us": 0.58}, {"kind": "stream", "host_waits": True})
    kernels = [conventional("D", entry=f"k{order}", order=order, dispatch=one) for order, one in enumerate(dispatches)]
    found = decode(kernels, [10, 10], launch=launch)
    assert found.regions[0].launching == Streamed()
    assert costs_of(found) == [DispatchCost(0, 0, host_waits=False, gap_ps=580_000), DispatchCost(4_000_000, 2_000_000, host_waits=True)]


def test_a_conventional_kernel_of_kind_cooperative_is_a_launch_of_its_own() -> None:
    launch: Fields = {"cooperative": {"host_us": 4, "exposed_us": 1}}
    found = decode([conventional("D", kernels=3, dispatch={"kind": "cooperative", "host_waits": True})], [10], launch=launch)
    assert found.regions[0].launching == Streamed()
    assert costs_of(found) == [DispatchCost(4_000_000, 1_000_000, host_waits=True)]


def test_a_megakernel_costs_what_its_entry_does_and_has_its_gap_where_a_graph_launches_it() -> None:
    contract = megakernel("D", dispatch=graph(host_us=1, exposed_us=0, gap_us=7), loops_on_device=True)
    asked = spec([group("D", "producer")], publication={"group": "D", "step": 1})
    found = composed(study(asked, [contract], [record(contract, "D", 10)], launch=LAUNCH_COSTS), "m:D@serial")
    assert found.regions[0].entry.cost == DispatchCost(1_000_000, 0, host_waits=True, gap_ps=7_000_000)
    assert found.works["D", Phase.WHOLE].gaps_ps == 0


def test_the_kernels_of_a_group_come_in_their_order_and_each_with_its_own_record() -> None:
    kernels = [conventional("D", entry="second", order=2, kernels=3), conventional("D", entry="first", order=1)]
    found = decode(kernels, [30, 10])
    free = DispatchCost(0, 0, host_waits=True)
    assert found.works["D", Phase.WHOLE].services == (
        Service("first", 10_000_000, 0, 1, free),
        Service("second", 30_000_000, 0, 3, free),
    )


def split(stage: Fields, codec: Fields, name: str) -> Composition:
    known = [record(stage, "B", 5, ctas) for ctas in stage["budgets_ctas"]] + [
        record(codec, "C", 5, ctas) for ctas in codec["budgets_ctas"]
    ]
    asked = spec(STAGES, stream={"first_chunk": 1, "lookahead": 1}, budget_pairs=[PAIR])
    return composed(study(asked, [stage, codec], known), name)


@pytest.mark.parametrize(("per_sm", "packed", "held"), [(1, False, 88), (2, False, 88), (2, True, 44)])
def test_a_launch_holds_the_sms_that_its_ctas_take(per_sm: int, packed: bool, held: int) -> None:
    shape = {**SHAPE, "registers": 128, "ctas_per_sm": per_sm, "shared_bytes": 110_000}
    placement: Fields = {"placement": {"packed": "a cluster of two"}} if packed else {}
    stage = megakernel("B", budgets=(132, 88), launch=shape, **placement)
    found = split(stage, megakernel("C", budgets=(132, 44)), "m:B/m:C@dynamic:88/44")
    assert found.capacity == Capacity(132, held, 44)


def test_entries_that_must_share_every_sm_hold_half_of_each() -> None:
    small = {**SHAPE, "registers": 64, "shared_bytes": 16_384}
    pair = {"producer_ctas": 132, "consumer_ctas": 132}
    stage, codec = megakernel("B", launch=small), megakernel("C", launch=small)
    known = [record(stage, "B", 5), record(codec, "C", 5)]
    asked = study(spec(STAGES, stream={"first_chunk": 1, "lookahead": 1}, budget_pairs=[pair]), [stage, codec], known)
    assert composed(asked, "m:B/m:C@dynamic:132/132").capacity == Capacity(264, 132, 132)


def test_both_pools_of_a_shared_launch_are_part_of_what_it_holds() -> None:
    shared = megakernel("B", "C", budgets=(132, 88, 44), loops_on_device=True)
    known = [record(shared, member, 5, ctas) for member in "BC" for ctas in (132, 88, 44)]
    asked = study(spec(STAGES, stream={"first_chunk": 1, "lookahead": 1}, budget_pairs=[PAIR]), [shared], known)
    found = composed(asked, "m:B+C@fixed:88/44")
    assert (found.capacity.producer, found.capacity.consumer) == (88, 44)
