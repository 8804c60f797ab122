"""The engine against the literal Algorithm 1, and the laws that any simulation of it obeys."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import isclose
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.simulate.events.arithmetic import FLOAT
from megasolve.simulate.events.engine import StepLimitExceeded, simulate
from megasolve.simulate.events.graph import Admission, EventGraph, KernelGrid, Node, NodeKind
from megasolve.simulate.events.outcome import Deadlock, Outcome
from megasolve.simulate.events.tables import GraphError
from tests.support.judges.algorithm1 import Stuck, simulate_literally
from tests.support.simulation.graphs import Family, Sketch, event_graphs, finished

ALL = Family()
ALL_OR_NOTHING = Family(kinds=(Admission.COOPERATIVE,), kernels=False)
CROWDED = Family(kinds=(Admission.COOPERATIVE,), slots=(1,), most_ps=2)
NEVER_ZERO = Family(floor_ps=1)
ROOMY = Family(kinds=(Admission.COOPERATIVE,), kernels=False, roomy=True)


def agree(outcome: Outcome | Deadlock, literal: list[Fraction] | Stuck) -> bool:
    """Whether both finish at the same rationals, or both stop at the same place with the same holders."""
    if isinstance(outcome, Outcome) or not isinstance(literal, Stuck):
        return isinstance(outcome, Outcome) and list(outcome.finish) == literal
    held = {holder.launch: holder.ctas for holder in outcome.holding}
    stopped = (outcome.at, outcome.free_ctas, held, outcome.unfinished)
    return stopped == (literal.at, literal.free_ctas, literal.held, len(literal.undone))


@settings(max_examples=150, deadline=None)
@given(event_graphs(ALL))
def test_the_engine_equals_algorithm_1_with_instants_settled(graph: EventGraph) -> None:
    assert agree(simulate(graph), simulate_literally(graph))


@settings(max_examples=50, deadline=None)
@given(event_graphs(ALL_OR_NOTHING))
def test_the_engine_equals_algorithm_1_where_all_launches_are_all_or_nothing(graph: EventGraph) -> None:
    assert agree(simulate(graph), simulate_literally(graph))


@settings(max_examples=50, deadline=None)
@given(event_graphs(CROWDED))
def test_the_engine_equals_algorithm_1_where_tasks_of_zero_time_wait_for_a_slot(graph: EventGraph) -> None:
    assert agree(simulate(graph), simulate_literally(graph))


@settings(max_examples=75, deadline=None)
@given(event_graphs(NEVER_ZERO))
def test_the_engine_equals_algorithm_1_as_printed_where_no_node_takes_zero_time(graph: EventGraph) -> None:
    assert agree(simulate(graph), simulate_literally(graph, settle=False))


@settings(max_examples=25, deadline=None)
@given(event_graphs(ALL))
def test_names_change_no_time(graph: EventGraph) -> None:
    nodes = tuple(replace(node, name=f"{index % 3}") for index, node in enumerate(graph.nodes))
    launches = tuple(replace(launch, name="same") for launch in graph.launches)
    renamed, original = simulate(replace(graph, nodes=nodes, launches=launches)), simulate(graph)
    assert isinstance(renamed, Outcome) == isinstance(original, Outcome)
    if isinstance(renamed, Outcome) and isinstance(original, Outcome):
        assert renamed.finish == original.finish


def with_no_op(graph: EventGraph, after: int, place: int) -> EventGraph:
    """Put a node that does nothing at index *place*, on every edge that leaves the node *after*."""
    shift = [index + (index >= place) for index in range(len(graph.nodes))]
    nodes = list(graph.nodes)
    nodes.insert(place, Node("no-op", NodeKind.CONTROL, 0))
    edges = [tuple(place if before == after else shift[before] for before in all_before) for all_before in graph.predecessors]
    edges.insert(place, (shift[after],))
    return replace(graph, nodes=tuple(nodes), predecessors=tuple(edges), releases=tuple(shift[index] for index in graph.releases))


@settings(max_examples=100, deadline=None)
@given(event_graphs(ALL), st.data())
def test_a_node_that_does_nothing_changes_no_time(graph: EventGraph, choice: st.DataObject) -> None:
    after = choice.draw(st.integers(0, len(graph.nodes) - 1))
    place = choice.draw(st.integers(0, len(graph.nodes)))
    original, padded = simulate(graph), simulate(with_no_op(graph, after, place))
    if isinstance(original, Outcome):
        assert isinstance(padded, Outcome)
        assert padded.finish[:place] + padded.finish[place + 1 :] == original.finish
    else:
        assert isinstance(padded, Deadlock)
        assert (padded.at, padded.free_ctas) == (original.at, original.free_ctas)
        assert [holder[:2] for holder in padded.holding] == [holder[:2] for holder in original.holding]


@settings(max_examples=50, deadline=None)
@given(event_graphs(ALL))
def test_a_float_preview_stays_within_a_billionth(graph: EventGraph) -> None:
    preview, exact = simulate(graph, arithmetic=FLOAT), simulate(graph)
    assert isinstance(preview, Outcome) == isinstance(exact, Outcome)
    if isinstance(preview, Outcome) and isinstance(exact, Outcome):
        assert all(isclose(rough, true, rel_tol=1e-9) for rough, true in zip(preview.finish, exact.finish, strict=True))


@settings(max_examples=50, deadline=None)
@given(event_graphs(ALL_OR_NOTHING))
def test_launches_never_hold_more_ctas_than_there_are(graph: EventGraph) -> None:
    outcome = simulate(graph)
    if isinstance(outcome, Outcome):
        spans = [(a, r, ctas) for a, r, ctas in zip(outcome.admitted, outcome.released, outcome.held, strict=True) if a is not None]
        for instant, _, _ in spans:
            assert sum(ctas for a, r, ctas in spans if r is not None and a <= instant < r) <= graph.capacity_ctas


@settings(max_examples=50, deadline=None)
@given(event_graphs(ALL))
def test_waves_and_launches_never_hold_more_than_there_is_and_no_kernel_is_faster_than_alone(graph: EventGraph) -> None:
    outcome = simulate(graph)
    if isinstance(outcome, Outcome):
        for one in outcome.waves:
            beside = sum(other.sms for other in outcome.waves if other.start <= one.start < other.finish)
            held = zip(outcome.admitted, outcome.released, outcome.held, strict=True)
            # What ordinary launches take before they have all is not in `admitted`: the sum is at most the capacity either way.
            beside += sum(ctas for a, r, ctas in held if a is not None and r is not None and a <= one.start < r)
            assert beside <= graph.capacity_ctas
        for place, node in enumerate(graph.nodes):
            if node.grid is not None:
                assert sum(one.ctas for one in outcome.waves if one.node == place) == node.grid.ctas
                assert outcome.finish[place] - outcome.start[place] >= node.duration_ps


@settings(max_examples=50, deadline=None)
@given(event_graphs(ROOMY))
def test_with_room_for_all_no_task_is_faster_than_alone(graph: EventGraph) -> None:
    outcome = finished(graph)
    for node, start, finish in zip(graph.nodes, outcome.start, outcome.finish, strict=True):
        assert finish - start >= node.duration_ps


@given(st.integers(1, 1000), st.integers(1, 1000), st.integers(1, 50), st.integers(1, 50))
def test_two_tasks_slow_each_other_down_by_at_most_two(first: int, second: int, one_ps: int, other_ps: int) -> None:
    sketch = Sketch(bandwidth_bytes_per_s=1000)
    sketch.add("one", one_ps, demand=first)
    sketch.add("other", other_ps, demand=second)
    outcome = finished(sketch.graph())
    assert outcome.finish[0] <= 2 * one_ps
    assert outcome.finish[1] <= 2 * other_ps


def test_times_are_ints_until_memory_contends() -> None:
    sketch = Sketch(bandwidth_bytes_per_s=3)
    for demand in (1, 2):
        sketch.add(f"fits {demand}", 5, demand=demand)
    assert [type(time) for time in finished(sketch.graph()).finish] == [int, int]
    sketch.add("contends", 5, demand=1)
    assert finished(sketch.graph()).finish == (Fraction(20, 3),) * 3


def test_a_small_launch_passes_one_that_does_not_fit() -> None:
    sketch = Sketch(capacity_ctas=132)
    sketch.single("first", 88, 10)
    sketch.single("large", 88, 10)
    sketch.single("small", 44, 10)
    outcome = finished(sketch.graph())
    assert outcome.admitted == (0, 10, 0)
    assert outcome.released == (10, 20, 10)


def test_ready_order_is_time_then_index() -> None:
    sketch = Sketch(capacity_ctas=1)
    late = sketch.add("late", 1)
    sketch.single("later", 1, 10, late)
    sketch.single("sooner", 1, 10)
    assert finished(sketch.graph()).admitted == (10, 0)


def test_a_task_of_zero_time_waits_for_a_slot_and_then_passes_those_in_line() -> None:
    sketch = Sketch()
    launch, entry = sketch.launch("launch", 1)
    first = sketch.add("first", 5, entry, launch=launch)
    second = sketch.add("second", 5, sketch.add("early", 1), entry, launch=launch)
    instant = sketch.add("instant", 0, sketch.add("late", 3), entry, launch=launch)
    sketch.release(launch, first, second, instant)
    graph = sketch.graph()
    outcome = finished(graph)
    assert (outcome.finish_of("instant"), outcome.finish_of("second")) == (5, 10)
    assert agree(outcome, simulate_literally(graph))


def test_tasks_of_zero_time_take_turns_in_one_slot_at_one_instant() -> None:
    sketch = Sketch()
    launch, entry = sketch.launch("launch", 1)
    sketch.release(launch, *(sketch.add(f"task {index}", index % 2, launch=launch) for index in range(6)), entry)
    graph = sketch.graph()
    outcome = finished(graph)
    assert [outcome.finish_of(f"task {index}") for index in range(6)] == [0, 1, 0, 2, 0, 3]
    assert agree(outcome, simulate_literally(graph))


def test_an_ordinary_launch_keeps_what_it_has_and_runs_nothing_until_it_has_all() -> None:
    sketch = Sketch(capacity_ctas=132)
    sketch.single("runs", 88, 10)
    sketch.single("waits", 88, 5, admission=Admission.ORDINARY)
    sketch.single("small", 44, 1)
    outcome = finished(sketch.graph())
    assert outcome.admitted == (0, 10, 10)
    assert outcome.finish_of("waits") == 15


def test_ordinary_launches_that_hold_parts_of_each_other_deadlock() -> None:
    sketch = Sketch(capacity_ctas=132)
    first, first_entry = sketch.launch("stage0", 88, admission=Admission.ORDINARY)
    second, second_entry = sketch.launch("codec", 88, admission=Admission.ORDINARY)
    chunk = sketch.add("chunk", 5, second_entry, launch=second)
    step = sketch.add("step", 5, first_entry, chunk, launch=first)
    sketch.release(first, step)
    sketch.release(second, chunk)
    deadlock = simulate(sketch.graph())
    assert isinstance(deadlock, Deadlock)
    assert deadlock.holding == (("stage0", 88, ("codec",)), ("codec", 44, ()))
    assert deadlock.waiting == (("codec", 88, 44),)
    assert str(deadlock) == (
        "Deadlock at 0 ms, 5 unfinished: launch 'codec' needs 88 CTAs and has 44; 0 free; "
        "'stage0' holds 88 and waits on 'codec'; 'codec' holds 44."
    )


def test_a_cycle_is_a_deadlock_that_names_no_launch() -> None:
    node = Node("task", NodeKind.TASK, 1)
    deadlock = simulate(EventGraph((node, node), ((1,), (0,)), (), (), 1, 1))
    assert isinstance(deadlock, Deadlock)
    assert "the nodes wait for each other" in str(deadlock)


def test_what_follows_a_release_may_not_be_of_that_launch() -> None:
    sketch = Sketch()
    release = sketch.single("launch", 1, 5)
    sketch.add("stray", 1, release, launch=0)
    with pytest.raises(GraphError, match="'stray' becomes ready after its launch was released"):
        simulate(sketch.graph())


def test_a_release_that_overtakes_a_task_is_refused() -> None:
    sketch = Sketch()
    launch, entry = sketch.launch("launch", 1)
    sketch.add("long", 5, entry, launch=launch)
    sketch.release(launch, entry, sketch.add("short", 1))
    with pytest.raises(GraphError, match="released while one of its nodes is not done"):
        simulate(sketch.graph())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"launch": 3}, "names launch 3"),
        ({"launch": 0, "pool": 2}, "names pool 2"),
        ({"duration_ps": -1}, "at least 0"),
        ({"demand": Fraction(-1, 2)}, "at least 0"),
        ({"grid": KernelGrid(1, 0, 1)}, "counts of CTAs are at least 1"),
        ({"grid": KernelGrid(1, 1, 1), "duration_ps": 1}, "has a grid of its own and is in launch 0"),
    ],
)
def test_a_node_that_means_nothing_is_refused(changes: dict[str, Any], message: str) -> None:
    sketch = Sketch()
    sketch.single("launch", 1, 5)
    graph = sketch.graph()
    with pytest.raises(GraphError, match=message):
        simulate(replace(graph, nodes=(*graph.nodes[:-1], replace(graph.nodes[-1], **changes))))


@pytest.mark.parametrize("capacity", [88.0, -1])
def test_capacity_is_a_whole_number_of_ctas(capacity: int) -> None:
    with pytest.raises(GraphError, match="expected a whole number"):
        simulate(replace(Sketch().graph(), capacity_ctas=capacity))


def test_the_step_limit_stops_with_a_clear_message() -> None:
    sketch = Sketch()
    for duration_ps in range(1, 10):
        sketch.add("task", duration_ps)
    with pytest.raises(StepLimitExceeded, match=r"stopped after 3 instants .* with 3 of 9 nodes done"):
        simulate(sketch.graph(), step_limit=3)
    assert isinstance(simulate(sketch.graph(), step_limit=9), Outcome)


def test_an_empty_graph_ends_at_zero() -> None:
    assert finished(Sketch().graph()).makespan == 0


def test_a_node_is_found_by_its_index_its_name_and_never_by_an_ambiguous_one() -> None:
    sketch = Sketch()
    for name in ("one", "two", "two"):
        sketch.add(name, 7)
    outcome = finished(sketch.graph())
    assert outcome.finish_of(0) == outcome.finish_of("one") == 7
    with pytest.raises(LookupError, match="2 nodes are named 'two'"):
        outcome.finish_of("two")
