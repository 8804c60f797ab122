"""Schedules that deadlock under some order of independent launches."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings

from megasolve.simulate.events.engine import simulate
from megasolve.simulate.events.graph import Admission, EventGraph
from megasolve.simulate.events.orders import TooManyOrders, deadlocks_under_some_order
from megasolve.simulate.events.outcome import Deadlock
from tests.support.simulation.graphs import Family, Sketch, event_graphs


def waiter_and_feeder(admission: Admission) -> EventGraph:
    """A launch whose task waits for another launch, which fits beside it only if it comes first."""
    sketch = Sketch(capacity_ctas=132)
    feeder, feeder_entry = sketch.launch("feeder", 88, admission=admission)
    waiter, waiter_entry = sketch.launch("waiter", 88, admission=admission)
    feed = sketch.add("feed", 5, feeder_entry, launch=feeder)
    sketch.release(feeder, feed)
    sketch.release(waiter, sketch.add("use", 5, waiter_entry, feed, launch=waiter))
    return sketch.graph()


@pytest.mark.parametrize("admission", [Admission.COOPERATIVE, Admission.ORDINARY])
def test_an_order_that_deadlocks_is_found_although_program_order_does_not(admission: Admission) -> None:
    graph = waiter_and_feeder(admission)
    assert not isinstance(simulate(graph), Deadlock)
    (found,) = deadlocks_under_some_order(graph)
    assert found.order == ("waiter", "feeder")
    assert found.deadlock.holding[-1].launch == "waiter"


def test_launches_that_depend_on_each_other_have_one_order() -> None:
    sketch = Sketch(capacity_ctas=132)
    after: tuple[int, ...] = ()
    for index in range(30):
        after = (sketch.single(f"step {index}", 132, 5, *after),)
    assert deadlocks_under_some_order(sketch.graph(), limit=1) == ()


def test_more_orders_than_the_limit_are_refused() -> None:
    sketch = Sketch()
    for index in range(7):
        sketch.single(f"launch {index}", 1, 5)
    with pytest.raises(TooManyOrders, match="7 launches have more than 720 orders"):
        deadlocks_under_some_order(sketch.graph())


@settings(max_examples=60, deadline=None)
@given(event_graphs(Family(most_launches=3)))
def test_all_permutations_together_find_no_more(graph: EventGraph) -> None:
    every = [simulate(graph, launch_priority=order) for order in permutations(range(len(graph.launches)))]
    assert bool(deadlocks_under_some_order(graph)) == any(isinstance(outcome, Deadlock) for outcome in every)
