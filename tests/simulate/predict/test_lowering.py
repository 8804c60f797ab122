"""The lowering by hand: which launches there are, what they wait for, and what that adds up to. Times are small picoseconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from megasolve.simulate import (
    Capacity,
    Composition,
    Detail,
    NodeKind,
    Objective,
    RegionPlan,
    Schedule,
    Score,
    Service,
    Sharing,
    Work,
    design_key,
    lower,
    score,
)
from megasolve.simulate.predict.occurrences import publication_blocks
from tests.support.simulation.compositions import composition, cost, graphed, megakernel, streamed, work, works
from tests.support.simulation.four_groups import LAUNCH, SPLIT, WHOLE, four, scored


def launches(asked: Composition) -> list[tuple[str, list[str]]]:
    """Return each launch of the serial order with the groups that it runs, in order."""
    runs = [run for block in publication_blocks(asked) for run in block.each_run()]
    return [(run.region.name, [one.group for part in run.sections for one in part.each()]) for run in runs]


def test_one_megakernel_is_one_launch_over_everything() -> None:
    asked = four(megakernel("P", "B", "L", "C", dispatch=LAUNCH))
    assert launches(asked) == [("m:P+B+L+C", ["P", "B", "L", "B", "L", "B", "L", "C"])]
    assert scored(asked).value_ps == 1 + 100 + 3 * 40 + 60


def test_a_region_with_every_producer_persists_over_the_steps() -> None:
    asked = four(megakernel("P", dispatch=LAUNCH), megakernel("B", "L", dispatch=LAUNCH), megakernel("C", dispatch=LAUNCH))
    assert launches(asked) == [("m:P", ["P"]), ("m:B+L", ["B", "L"] * 3), ("m:C", ["C"])]
    assert scored(asked).value_ps == 3 + 100 + 3 * 40 + 60


def test_the_prefill_rides_with_the_first_step_and_the_codec_with_the_last() -> None:
    asked = four(megakernel("P", "B", dispatch=LAUNCH), megakernel("L", "C", dispatch=LAUNCH))
    assert launches(asked) == [
        ("m:P+B", ["P", "B"]),
        ("m:L+C", ["L"]),
        ("m:P+B", ["B"]),
        ("m:L+C", ["L"]),
        ("m:P+B", ["B"]),
        ("m:L+C", ["L", "C"]),
    ]
    assert scored(asked).value_ps == 6 + 100 + 3 * 40 + 60


def test_a_conventional_region_is_launched_for_admission_each_step_and_each_chunk() -> None:
    launched = tuple(replace(one, services=(replace(one.services[0], dispatch=cost(1)),)) for one in WHOLE)
    asked = composition((graphed("P", "B", "L", "C"),), "P BL C", Schedule(2, 3), Sharing.SERIAL, works(launched))
    assert [groups for _, groups in launches(asked)] == [["P"], ["B", "L"], ["B", "L"], ["B", "L"], ["C"]]
    assert scored(asked).value_ps == 5 + 100 + 3 * 40 + 60


def test_a_producer_that_does_not_loop_is_launched_again_for_each_step() -> None:
    asked = four(megakernel("P", "B", "L", "C", dispatch=LAUNCH, loops=False))
    assert [groups for _, groups in launches(asked)] == [["P", "B", "L"], ["B", "L"], ["B", "L", "C"]]
    assert scored(asked).value_ps == 3 + 100 + 3 * 40 + 60


def test_the_worked_example_of_the_paper_is_30_1_against_28_2_ms() -> None:
    us = 10**6
    launch = cost(host_ps=100 * us)
    spent = works(
        (work("P", 11800 * us), work("B", 3000 * us), work("L", 1000 * us), work("C", 6000 * us)),
        (work("B", 4500 * us), work("L", 1500 * us), work("C", 8000 * us)),
    )
    regions = (megakernel("P", dispatch=launch), megakernel("B", "L", dispatch=launch), megakernel("C", dispatch=launch))
    totals = {
        sharing: scored(composition(regions, "P BL C", Schedule(2, 3), sharing, spent)).value_ps
        for sharing in (Sharing.SERIAL, Sharing.DYNAMIC)
    }
    assert totals == {Sharing.SERIAL: 30100 * us, Sharing.DYNAMIC: 28200 * us}


def test_a_dynamic_split_ends_the_producer_launch_at_step_r_and_dispatches_the_producer_first() -> None:
    asked = four(
        megakernel("P", dispatch=LAUNCH), megakernel("B", "L", dispatch=LAUNCH), megakernel("C", dispatch=LAUNCH), sharing=Sharing.DYNAMIC
    )
    ready = 1 + 100 + 1 + 2 * 40
    assert scored(asked).value_ps == ready + max(1 + 60, 2 + 80)
    graph = lower(asked, detail=Detail.FULL)
    assert [(launch.name, launch.holds) for launch in graph.launches] == [("m:P", 132), ("m:B+L", 132), ("m:B+L", 88), ("m:C", 44)]


def test_a_dynamic_split_with_h_equal_to_r_starts_no_empty_producer_launch() -> None:
    asked = four(megakernel("P"), megakernel("B", "L"), megakernel("C"), sharing=Sharing.DYNAMIC, horizon=2)
    graph = lower(asked, detail=Detail.FULL)
    assert [launch.name for launch in graph.launches] == ["m:P", "m:B+L", "m:C"]
    assert scored(asked).value_ps == 100 + 2 * 40 + 80


def test_a_fixed_split_holds_both_launches_from_the_start_of_production() -> None:
    asked = four(
        megakernel("P", dispatch=LAUNCH), megakernel("B", "L", dispatch=LAUNCH), megakernel("C", dispatch=LAUNCH), sharing=Sharing.FIXED
    )
    assert scored(asked).value_ps == 1 + 100 + 1 + 2 * 60 + max(60, 80)
    outcome = score(asked, detail=Detail.FULL)
    assert isinstance(outcome, Score)
    assert outcome.outcome is not None
    assert outcome.outcome.admitted == (1, 102, 103)


def test_a_fixed_split_in_one_shared_launch_admits_on_all_ctas_before_its_pools_part() -> None:
    spent = works((), (work("P", 90), *SPLIT[1:]))
    asked = composition((megakernel("P", "B", "L", "C", dispatch=LAUNCH),), "P BL C", Schedule(2, 3), Sharing.FIXED, spent)
    assert scored(asked).value_ps == 1 + 90 + 2 * 60 + max(60, 80)
    (launch,) = lower(asked).launches
    assert (launch.holds, launch.pools) == (88 + 44, (1, 1))


def test_a_separate_producer_launch_that_holds_admission_runs_it_on_its_own_side() -> None:
    asked = four(megakernel("P", "B", "L", dispatch=LAUNCH), megakernel("C", dispatch=LAUNCH), sharing=Sharing.FIXED)
    assert scored(asked).value_ps == 1 + 150 + 2 * 60 + max(60, 80)
    assert [(launch.name, launch.holds) for launch in lower(asked).launches] == [("m:P+B+L", 88), ("m:C", 44)]


def test_a_producer_that_enters_late_still_slows_the_chunk_that_runs_already() -> None:
    regions = (megakernel("B", dispatch=cost(exposed_ps=50)), megakernel("C"))
    spent = works((work("B", 7), work("C", 7)), (work("B", 10, hbm_bytes=10), work("C", 1, calls=100, hbm_bytes=1)))
    asked = composition(regions, "- B C", Schedule(1, 2), Sharing.DYNAMIC, spent)
    # From step r at 57, the chunk is alone for 50; then both halve their rate for 20, in which the producer does its 10.
    assert scored(asked).value_ps == 57 + 100 + 10


def test_a_host_that_does_not_wait_runs_ahead_of_the_device() -> None:
    ahead = cost(5, 2, waits=False)
    asked = four(megakernel("P", dispatch=ahead), megakernel("B", "L", dispatch=ahead), megakernel("C", dispatch=ahead))
    assert scored(asked).value_ps == 5 + 2 + 100 + 2 + 3 * 40 + 2 + 60


def test_a_host_that_runs_ahead_can_still_be_the_one_that_is_waited_for() -> None:
    late = cost(200, 2, waits=False)
    asked = four(megakernel("P", dispatch=late), megakernel("B", "L", dispatch=late), megakernel("C", dispatch=late))
    assert scored(asked).value_ps == 3 * 200 + 2 + 60


def decode(region: RegionPlan, *services: Service) -> Composition:
    """Return the only step of D in *region*, which is all that there is."""
    return composition((region,), "- D -", Schedule(1, 1, "D"), Sharing.SERIAL, works((Work("D", 1, services),)))


def test_stream_launched_kernels_cost_one_launch_each() -> None:
    asked = decode(streamed("D"), Service("empty kernels", 500, None, 500, cost(6400)))
    assert scored(asked).value_ps == 500 * (6400 + 1)
    kernels = [node for node in lower(asked, detail=Detail.FULL).nodes if node.kind is NodeKind.TASK]
    assert len(kernels) == 500


def test_each_kernel_of_a_stream_costs_its_own_launch_and_waits_only_if_it_says_so() -> None:
    ahead, behind = Service("ahead", 100, None, 1, cost(5, 1, waits=False)), Service("behind", 100, None, 1, cost(10, 2, waits=True))
    assert scored(decode(streamed("D"), ahead, behind)).value_ps == (5 + 1 + 100) + (10 + 2 + 100)
    assert scored(decode(streamed("D"), behind, ahead)).value_ps == (10 + 2 + 100) + (1 + 100)


def test_a_graph_costs_one_launch_and_a_gap_before_each_kernel() -> None:
    asked = decode(graphed("D"), Service("empty kernels", 500, None, 500, cost(15000, gap_ps=580)))
    assert scored(asked).value_ps == 15000 + 500 * 580 + 500


def test_a_graph_of_unlike_kernels_costs_the_launch_of_the_dearest_and_the_gap_of_each() -> None:
    host, device = Service("host", 100, None, 2, cost(9, 0, gap_ps=1)), Service("device", 100, None, 3, cost(1, 7, gap_ps=4))
    assert scored(decode(graphed("D"), host, device)).value_ps == 9 + 2 * 1 + 100 + 3 * 4 + 100


def test_a_persistent_launch_by_graph_has_its_gap_once() -> None:
    asked = four(megakernel("P", dispatch=cost(1, gap_ps=7)), megakernel("B", "L", dispatch=cost(1, gap_ps=5)), megakernel("C"))
    assert scored(asked).value_ps == (1 + 7 + 100) + (1 + 5 + 3 * 40) + 60


@pytest.mark.parametrize("region", [graphed, streamed])
def test_a_joined_region_costs_in_the_admission_what_that_costs_and_in_each_step_what_a_step_costs(
    region: Callable[..., RegionPlan],
) -> None:
    spent = works((work("P", 100, dispatch=cost(1000)), work("B", 30, dispatch=cost(1))))
    joined, cut = (
        composition(regions, "P B -", Schedule(3, 3, "B"), Sharing.SERIAL, spent)
        for regions in ((region("P", "B"),), (region("P"), region("B")))
    )
    assert scored(joined).value_ps == scored(cut).value_ps == 1000 + 100 + 3 * (1 + 30)
    assert design_key(joined, Objective.FIRST_PUBLICATION) == design_key(cut, Objective.FIRST_PUBLICATION)


def test_the_first_token_waits_for_admission_and_no_step() -> None:
    regions = (megakernel("P", dispatch=LAUNCH), megakernel("B", "L", dispatch=LAUNCH))
    asked = composition(regions, "P BL -", Schedule(0, 0, "P"), Sharing.SERIAL, works(WHOLE))
    assert launches(asked) == [("m:P", ["P"])]
    assert scored(asked).value_ps == 101


def test_a_first_token_inside_a_wider_launch_does_not_wait_for_the_rest_of_it() -> None:
    asked = composition((megakernel("P", "B", "L", dispatch=LAUNCH),), "P BL -", Schedule(0, 0, "P"), Sharing.SERIAL, works(WHOLE))
    assert scored(asked).value_ps == 101


def test_without_a_consumer_publication_may_wait_for_a_group_in_the_middle_of_a_step() -> None:
    regions = (megakernel("P", dispatch=LAUNCH), megakernel("B", "L", dispatch=LAUNCH))
    asked = composition(regions, "P BL -", Schedule(3, 3, "B"), Sharing.SERIAL, works(WHOLE))
    assert scored(asked).value_ps == 2 + 100 + 2 * 40 + 30


def test_ctas_that_two_launches_cannot_hold_together_are_waited_for() -> None:
    asked = four(megakernel("P"), megakernel("B", "L"), megakernel("C"), sharing=Sharing.DYNAMIC)
    crowded = replace(asked, capacity=Capacity(132, 88, 52))
    assert scored(crowded).value_ps == 180 + 60 + 80


@pytest.mark.parametrize("sharing", [one for one in Sharing if one is not Sharing.STREAMS])
@pytest.mark.parametrize("tail", [1, 4000])
def test_4096_steps_take_no_more_nodes_than_8(sharing: Sharing, tail: int) -> None:
    regions = (megakernel("P"), megakernel("B", "L"), megakernel("C"))
    short, long = (
        four(*regions, sharing=sharing, ready=2, horizon=10),
        four(*regions, sharing=sharing, ready=4097 - tail, horizon=4096 + tail),
    )
    assert len(lower(long).nodes) <= len(lower(short).nodes)
