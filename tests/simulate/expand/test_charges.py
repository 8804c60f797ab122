"""What waits cost: one cost each, or by kind of edge, and where tiles run; each switched off by its name."""

from __future__ import annotations

from fractions import Fraction

import pytest

from megasolve.simulate.expand.setup import Mechanisms, device_rates, tile_machine
from megasolve.simulate.tiles.outcome import TileSchedule
from megasolve.simulate.tiles.program import TileProgram, scaled
from megasolve.simulate.tiles.scheduler import schedule_tiles
from tests.support.planning.launches import device
from tests.support.planning.operators import HEAD, block, contract_with, expanded, stated, tiles_of

EDGES = "data_us: 3, queue_us: 2, task_us: 1"
CHAIN = (stated("a", 2), stated("b", 2, "{operator: a}"), stated("c", 2, "{operator: b}"))


def us(synchronization: str, *off: str, operators: tuple[str, ...] = CHAIN, workers: int = 2) -> float:
    """Return how long a program of *operators* takes under *synchronization* with the mechanisms *off*."""
    contract = contract_with(block(*operators), head=HEAD + f"synchronization: {{kind: counters, {synchronization}}}\n")
    mechanisms = Mechanisms().without(*off)
    program = expanded(contract, *off, rates=device_rates(contract, device(), workers))
    schedule = schedule_tiles(program, tile_machine(contract, device(), workers, mechanisms))
    assert isinstance(schedule, TileSchedule)
    return schedule.makespan_ps / 10**6


def test_each_kind_of_edge_costs_where_it_stands_and_nothing_where_it_is_off() -> None:
    # Three tiles of 1 us in a row on each of two workers; a wait for data of 3 us hides the 2 us in which a worker turns to its next tile.
    assert us(EDGES) == 3 * 1 + 3 * 1 + 2 * 3
    assert us(EDGES, "data_edges") == 3 * 1 + 3 * 1 + 2 * 2
    assert us(EDGES, "queue_edges") == us(EDGES)
    assert us(EDGES, "data_edges", "queue_edges") == 3 * 1 + 3 * 1
    assert us(EDGES, "task_cost") == 3 * 1 + 2 * 3
    assert us(EDGES, "synchronization") == 3
    assert us("cost_us: 0") == 3


def test_an_idle_worker_has_nothing_to_turn_from() -> None:
    assert us("data_us: 0, queue_us: 2, task_us: 0", operators=(stated("a", 4),), workers=4) == 1
    assert us("data_us: 0, queue_us: 2, task_us: 0", operators=(stated("a", 4),), workers=1) == 4 + 3 * 2


def test_a_hand_off_picks_its_cost() -> None:
    by = "data_us: {counter: 3, flag: 2, shared: 1}, queue_us: 0, task_us: 0"
    for hand_off, cost in (("counter", 3), ("flag", 2), ("shared", 1)):
        edge = f"{{operator: a, hand_off: {hand_off}}}"
        assert us(by, operators=(stated("a", 2), stated("b", 2, edge))) == 2 + cost


def test_counters_of_one_region_open_apart_where_they_are_handed_on_apart() -> None:
    by = "data_us: {counter: 3, flag: 1}, queue_us: 0, task_us: 0"
    late, soon = stated("b", 1, "{operator: a}"), stated("c", 1, "{operator: a, hand_off: flag}", compute_us=5)
    contract = contract_with(block(stated("a", 2), late, soon), head=HEAD + f"synchronization: {{kind: counters, {by}}}\n")
    program = expanded(contract)
    assert program.prologue.counters == (("a by counter", 2), ("a by flag", 2))
    assert program.prologue.delays_ps == {"a by counter": 3_000_000, "a by flag": 1_000_000}
    assert us(by, operators=(stated("a", 2), late, soon)) == 1 + 1 + 5


def test_counters_that_only_keep_an_order_open_at_once() -> None:
    free = stated("b", 2, "{operator: a}", waits=0)
    assert us("data_us: 3, queue_us: 0, task_us: 0", operators=(stated("a", 2), free)) == 2


def test_a_delay_stands_between_repeats_too() -> None:
    head = HEAD + "synchronization: {kind: counters, data_us: 3, queue_us: 0, task_us: 0}\n"
    contract = contract_with(block(stated("a", 1, "{operator: a, previous: true}"), repeat=100), head=head)
    program = expanded(contract)
    assert program.repeats == 99
    schedule = schedule_tiles(program, tile_machine(contract, device(), 2))
    assert isinstance(schedule, TileSchedule)
    assert (schedule.makespan_ps, schedule.folded > 0) == ((100 + 99 * 3) * 10**6, True)


def test_barriers_cost_what_data_does() -> None:
    assert us(EDGES, "readiness") == us(EDGES)


def test_a_barrier_is_no_cheaper_than_the_hand_offs_that_it_stands_in_place_of() -> None:
    by_flag = "data_us: {flag: 2, shared: 1}, queue_us: 0, task_us: 0"
    chain = (stated("a", 2), stated("b", 2, "{operator: a, hand_off: flag}"), stated("c", 2, "{operator: b, hand_off: shared}"))
    assert us(by_flag, operators=chain) == 3 * 1 + 2 + 1
    assert us(by_flag, "readiness", operators=chain) == 3 * 1 + 2 * 2
    assert us(by_flag.replace("{", "{counter: 0.5, "), "readiness", operators=chain) == 3 * 1 + 2 * 0.5


@pytest.mark.parametrize("factor", [1, 2])
def test_what_a_task_costs_is_not_scaled(factor: int) -> None:
    contract = contract_with(block(stated("a", 1)), head=HEAD + "synchronization: {kind: counters, data_us: 3, queue_us: 0, task_us: 1}\n")
    program: TileProgram = scaled(expanded(contract), {"a": Fraction(factor)})
    (one,) = tiles_of(program, "a")
    assert (one.compute_ps, one.waiting_ps) == ((factor + 1) * 10**6, 10**6)


def test_in_static_order_tiles_run_where_the_contract_says() -> None:
    uneven = ("name: a, kind: explicit, tiles: 4, compute_us: [10, 1, 10, 1]",)
    assert us("order: static", operators=uneven) == 20
    assert us("order: static", "static_order", operators=uneven) == 11
    assert us("order: dynamic", operators=uneven) == 11
