"""Two compositions are one design exactly when they lower to the same event graph, names aside."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings

from megasolve.simulate import Capacity, Composition, Detail, EventGraph, Objective, Persistent, Phase, Schedule, Sharing, Work, design_key
from megasolve.simulate.predict.scoring import event_graph
from tests.support.simulation.compositions import CAPACITY, composition, compositions, cost, megakernel, work, works

FIRST = Objective.FIRST_PUBLICATION
SPENT = works((work("P", 100), work("B", 30), work("C", 60)), (work("P", 150), work("B", 45), work("C", 80)))


def dynamic(*, horizon: int = 3, capacity: Capacity = CAPACITY) -> Composition:
    regions = (megakernel("P"), megakernel("B"), megakernel("C"))
    return composition(regions, "P B C", Schedule(2, horizon), Sharing.DYNAMIC, SPENT, capacity=capacity)


def slower(asked: Composition, group: str, phase: Phase) -> Composition:
    one = asked.works[group, phase]
    services = tuple(replace(service, duration_ps=service.duration_ps + 1) for service in one.services)
    return replace(asked, works={**asked.works, (group, phase): Work(group, one.calls, services)})


def drawing(graph: EventGraph) -> object:
    """All of an event graph but its names."""
    nodes = [(node.kind, node.duration_ps, node.demand, node.launch, node.pool) for node in graph.nodes]
    launches = [(launch.holds, launch.pools, launch.admission) for launch in graph.launches]
    return nodes, graph.predecessors, launches, graph.releases, graph.publication


@settings(max_examples=30)
@given(compositions())
def test_the_names_of_regions_do_not_make_a_design(asked: Composition) -> None:
    renamed = replace(asked, regions=tuple(replace(region, name=f"region {index}") for index, region in enumerate(asked.regions)))
    assert design_key(asked, FIRST) == design_key(renamed, FIRST)


@pytest.mark.parametrize("objective", [FIRST, Objective.PRODUCER_STEP])
@settings(max_examples=30)
@given(compositions())
def test_a_design_changes_exactly_when_its_event_graph_does(objective: Objective, asked: Composition) -> None:
    # A steady serial cycle is one node, which may hide a longer task behind the host.
    assume(objective is FIRST or asked.sharing is not Sharing.SERIAL)
    for group, phase in asked.works:
        other = slower(asked, group, phase)
        graphs = [drawing(event_graph(one, objective, detail=Detail.FULL)[0]) for one in (asked, other)]
        assert (design_key(asked, objective) == design_key(other, objective)) == (graphs[0] == graphs[1])


def test_what_a_launch_costs_makes_a_design() -> None:
    dearer = tuple(replace(region, launching=Persistent(cost(1))) for region in dynamic().regions)
    assert design_key(replace(dynamic(), regions=dearer), FIRST) != design_key(dynamic(), FIRST)


def test_the_split_makes_a_design() -> None:
    assert design_key(dynamic(), FIRST) != design_key(dynamic(capacity=Capacity(132, 80, 44)), FIRST)


def test_two_dynamic_splits_without_producer_overlap_are_one_design_if_the_consumer_is_the_same() -> None:
    wide, narrow = (dynamic(horizon=2, capacity=Capacity(132, producer, 44)) for producer in (88, 80))
    assert design_key(wide, FIRST) == design_key(narrow, FIRST)


def test_a_steady_design_does_not_know_the_admission() -> None:
    slow = slower(dynamic(), "P", Phase.WHOLE)
    assert design_key(dynamic(), FIRST) != design_key(slow, FIRST)
    assert design_key(dynamic(), Objective.CHUNK_INTERVAL) == design_key(slow, Objective.CHUNK_INTERVAL)
