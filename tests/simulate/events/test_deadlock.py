"""Grids that wait for what never starts: who holds, who waits, and under which order; cases from the field."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from megasolve.simulate.events.engine import simulate
from megasolve.simulate.events.graph import Admission, EventGraph
from megasolve.simulate.events.orders import deadlocks_under_some_order
from megasolve.simulate.events.outcome import Deadlock, Outcome
from tests.support.simulation.graphs import Sketch, finished

MS = 10**9


def spinning_grid(blocks: int, resident: int, admission: Admission) -> EventGraph:
    sketch = Sketch(capacity_ctas=resident)
    sketch.single("grid with a barrier", blocks, MS, admission=admission)
    return sketch.graph()


@pytest.mark.parametrize("admission", [Admission.ORDINARY, Admission.COOPERATIVE])
def test_c17_a_grid_barrier_over_more_blocks_than_fit_is_a_deadlock(admission: Admission) -> None:
    resident = 56 * (2048 // 1024)
    deadlock = simulate(spinning_grid(128, resident, admission))
    assert isinstance(deadlock, Deadlock)
    assert deadlock.waiting[0].needs == 128
    assert finished(spinning_grid(112, resident, admission)).makespan == MS


def test_c17_the_blocks_that_fit_spin_on_the_sixteen_that_never_start() -> None:
    deadlock = simulate(spinning_grid(128, 112, Admission.ORDINARY))
    assert isinstance(deadlock, Deadlock)
    assert deadlock.waiting[0].needs - deadlock.waiting[0].has == 16


def spinning_blocks(order: Sequence[str], slots: int) -> EventGraph:
    """One launch per block: a consumer holds its slot while it waits for the last producer."""
    sketch = Sketch(capacity_ctas=slots)
    launches = [sketch.launch(f"{role} {index}", 1) for index, role in enumerate(order)]
    producers = [
        sketch.add("produce", 10, entry, launch=launch) for role, (launch, entry) in zip(order, launches, strict=True) if role == "producer"
    ]
    ends = iter(producers)
    for role, (launch, entry) in zip(order, launches, strict=True):
        work = next(ends) if role == "producer" else sketch.add("consume", 10, entry, *producers[-1:], launch=launch)
        sketch.release(launch, work)
    return sketch.graph()


def test_c20_blocks_that_spin_on_blocks_without_a_slot_deadlock() -> None:
    deadlock = simulate(spinning_blocks(["consumer"] * 1280 + ["producer"] * 8, 1280))
    assert isinstance(deadlock, Deadlock)
    assert (len(deadlock.holding), len(deadlock.waiting), deadlock.free_ctas) == (1280, 8, 0)
    assert "'consumer 0' holds 1 and waits on 'producer 1287'" in str(deadlock)
    assert str(deadlock).endswith("and 1276 more.")


def test_c20_producers_first_or_a_grid_that_fits_is_feasible() -> None:
    assert isinstance(simulate(spinning_blocks(["producer"] * 1280 + ["consumer"] * 1280, 1280)), Outcome)
    assert isinstance(simulate(spinning_blocks(["consumer"] * 1272 + ["producer"] * 8, 1280)), Outcome)


def test_c20_a_feasible_order_is_reported_as_a_deadlock_under_another() -> None:
    found = deadlocks_under_some_order(spinning_blocks(["producer", "consumer", "consumer"], 2))
    assert [len(deadlock.order) for deadlock in found] == [3, 3]
    assert all(deadlock.order[-1] == "producer 0" for deadlock in found)
