"""Schedules worked out by hand: each mechanism of Table I that acts on the tile graph, off and on, in nanoseconds."""

from __future__ import annotations

from dataclasses import replace

from megasolve.contracts import PS_PER_NS
from megasolve.simulate.events.waves import opaque_compute_ps, opaque_ps
from megasolve.simulate.tiles.program import TileProgram
from tests.support.simulation.tile_programs import BYTE_PER_NS, machine, makespan_ns, program, scheduled, tile


def three_by_three(*, barriers: bool) -> TileProgram:
    first = [tile("A", c=10, to=(f"a{index}", "all")) for index in range(3)]
    second = [tile("B", "all" if barriers else f"a{index}", c=10) for index in range(3)]
    return program(*first, *second, a0=1, a1=1, a2=1, all=3)


def test_tile_edges_fill_the_wave_that_a_barrier_leaves_open() -> None:
    assert makespan_ns(three_by_three(barriers=True), machine(2)) == 40
    schedule = scheduled(three_by_three(barriers=False), machine(2), trace=True)
    assert schedule.makespan_ps == 30 * PS_PER_NS
    assert [span.start_ps // PS_PER_NS for span in schedule.spans] == [0, 0, 10, 10, 20, 20]


def weights_behind_a_tile(staging: int = 0) -> TileProgram:
    return program(tile("A", c=10, w=6, staging=staging, to=("a",)), tile("B", "a", c=10, w=6, a=2, staging=staging), a=1)


def test_prefetch_loads_weights_under_the_compute_before() -> None:
    assert makespan_ns(weights_behind_a_tile(), machine()) == 34
    assert makespan_ns(weights_behind_a_tile(), machine(prefetch=True)) == 28


def test_a_slot_needs_room_beside_the_largest_tile() -> None:
    tiles = weights_behind_a_tile(staging=8)
    assert makespan_ns(tiles, machine(prefetch=True, staging_bytes=13)) == 34
    assert makespan_ns(tiles, machine(prefetch=True, staging_bytes=14)) == 28


def test_prefetch_gains_nothing_where_the_queue_is_full_anyway() -> None:
    tiles = program(*[tile("A", c=10, w=20)] * 4)
    assert makespan_ns(tiles, machine(2)) == 90
    assert makespan_ns(tiles, machine(2, prefetch=True)) == 90


def test_prefetch_hurts_where_a_far_load_goes_before_a_near_one() -> None:
    tiles = program(tile("P", c=1, to=("p",)), tile("C", "p", c=50, a=1), tile("D", "p", c=1, w=40), p=1)
    assert makespan_ns(tiles, machine(2)) == 52
    assert makespan_ns(tiles, machine(2, prefetch=True)) == 91


def test_forwarding_saves_the_store_and_the_reload() -> None:
    assert makespan_ns(program(tile("A", c=10, out=4, to=("a",)), tile("B", "a", c=10, a=4), a=1), machine()) == 28
    assert makespan_ns(program(tile("A", c=10, to=("a",)), tile("B", "a", c=10), a=1), machine()) == 20


def test_four_tiles_take_whole_waves() -> None:
    tiles = program(*[tile("A", c=10)] * 4)
    assert [makespan_ns(tiles, machine(workers)) for workers in (4, 3, 2, 1)] == [10, 20, 20, 40]


def in_ns(grid_ctas: int, workers: int) -> float:
    """A record of 30 ns, of which memory takes 10, with 132 CTAs resident."""
    return opaque_ps(30 * PS_PER_NS, 10, BYTE_PER_NS, grid_ctas=grid_ctas, workers=workers, resident_ctas=132) / PS_PER_NS


def test_an_opaque_operator_follows_the_wave_rule() -> None:
    assert [in_ns(132, 88), in_ns(133, 88), in_ns(133, 44)] == [50, 30, 50]


def test_an_opaque_operator_as_a_tile_takes_what_the_wave_rule_says() -> None:
    compute_ps = opaque_compute_ps(30 * PS_PER_NS, 10, BYTE_PER_NS, grid_ctas=132, workers=88, resident_ctas=132)
    opaque = replace(tile("O", a=10), compute_ps=compute_ps, is_opaque=True)
    assert makespan_ns(program(opaque), machine(88)) == in_ns(132, 88)


def test_an_opaque_operator_takes_the_whole_pool_between_barriers() -> None:
    opaque = replace(tile("O", "a", c=20, a=10, to=("o",)), is_opaque=True)
    before = [tile("A", c=10, to=("a",)), tile("A", c=30, to=("a",))]
    after = [tile("B", "o", c=5), tile("B", "o", c=5)]
    assert makespan_ns(program(*before, opaque, *after, a=2, o=1), machine(2)) == 65


def test_a_port_at_half_the_bandwidth_slows_one_tile_and_two() -> None:
    one, two = program(tile("A", c=10, w=20)), program(*[tile("A", c=10, w=20)] * 2)
    assert [makespan_ns(one, machine()), makespan_ns(two, machine(2))] == [30, 50]
    half = machine(2, port_bytes_per_s=BYTE_PER_NS // 2)
    assert [makespan_ns(one, half), makespan_ns(two, half)] == [50, 70]


def test_each_wait_costs_what_the_contract_says() -> None:
    tiles = program(tile("A", c=10, to=("a", "b")), tile("B", "a", "b", c=10), a=1, b=1)
    assert makespan_ns(tiles, machine()) == 20
    assert makespan_ns(tiles, machine(wait_ps=3 * PS_PER_NS)) == 26


def test_one_more_worker_can_take_longer() -> None:
    signals, waits = {0: ("first",), 3: ("fourth",)}, dict.fromkeys(range(4, 8), ("fourth",)) | {8: ("first",)}
    times = enumerate((3, 2, 2, 2, 4, 4, 4, 4, 9))
    tiles = program(*[tile("T", *waits.get(index, ()), c=c, to=signals.get(index, ())) for index, c in times], first=1, fourth=1)
    assert [makespan_ns(tiles, machine(workers)) for workers in (3, 4)] == [12, 15]
