"""The lower bounds of a tile schedule: no schedule beats one, and skipped repeats change none."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple, replace

import pytest
from hypothesis import given, settings

from megasolve.simulate.tiles.bounds import lower_bounds, queued_bytes
from megasolve.simulate.tiles.machine import TileMachine
from megasolve.simulate.tiles.outcome import TileSchedule
from megasolve.simulate.tiles.program import TileProgram, TileSection
from megasolve.simulate.tiles.scheduler import schedule_tiles
from megasolve.simulate.tiles.tile import Tile
from tests.support.simulation.tile_programs import Draw, machine, makespan_ns, program, tile, tile_machines, tile_programs

LONG = Draw(most_repeats=12)


@settings(max_examples=100)
@given(tile_programs(), tile_machines())
def test_no_schedule_beats_a_bound(tiles: TileProgram, on: TileMachine) -> None:
    schedule = schedule_tiles(tiles, on)
    if isinstance(schedule, TileSchedule):
        assert max(astuple(lower_bounds(tiles, on))) <= schedule.makespan_ps


@settings(max_examples=100)
@given(tile_programs(replace(LONG, is_sound=False)), tile_machines())
def test_the_path_through_skipped_repeats_is_that_through_every_one_of_them(tiles: TileProgram, on: TileMachine) -> None:
    opened, end = passed(tiles.prologue, {}, on)
    for _ in range(tiles.repeats):
        opened, last = passed(tiles.body, opened, on)
        end = max(end, last)
    assert lower_bounds(tiles, on).path_ps == max(end, passed(tiles.epilogue, opened, on)[1])


def passed(section: TileSection, before: dict[str, int], on: TileMachine) -> tuple[dict[str, int], int]:
    """Return when each counter of *section* opens at the earliest, and when its last tile is done: tile by tile.

    A wait for a counter at which later tiles arrive, against program order, bounds nothing.
    """
    arrivals: dict[str, list[int]] = {name: [] for name, _ in section.counters}
    targets, due = dict(section.counters), Counter(name for one in section.tiles for name in one.signals)
    opened: dict[str, int] = {}
    end = 0
    for one in section.tiles:
        ready = max((before.get(name, 0) for name in one.waits_before), default=0)
        for name in one.waits:
            if name not in opened:
                delay = section.delays_ps.get(name, 0)
                opened[name] = opens(arrivals[name], targets[name], delay) if len(arrivals[name]) == due[name] else 0
            ready = max(ready, opened[name])
        weights = not on.prefetch or one.is_opaque
        load = one.activation_bytes + weights * one.weight_bytes
        near = one.cached_activation_bytes + weights * one.cached_weight_bytes
        cost = one.compute_ps + on.wait_ps * (len(one.waits) + len(one.waits_before))
        loads = max(moved_ps(one, load, on, near) - one.early_ps, 0)
        done = ready + loads + cost + moved_ps(one, one.output_bytes, on, is_load=False)
        end = max(end, done)
        for name in one.signals:
            arrivals[name].append(done)
    return {name: opens(arrivals[name], target, section.delays_ps.get(name, 0)) for name, target in targets.items()}, end


def opens(arrivals: list[int], target: int, delay: int) -> int:
    """Return when the last needed arrival has come, and the delay of the counter passed."""
    return sorted(arrivals)[target - 1] + delay if 0 < target <= len(arrivals) else 0


def moved_ps(one: Tile, size_bytes: int, on: TileMachine, near_bytes: int = 0, *, is_load: bool = True) -> int:
    latency, near_latency = on.latency_ps if size_bytes else 0, on.l2_latency_ps if near_bytes else 0
    port = None if one.is_opaque else on.port_bytes_per_s
    queued = -(-size_bytes * 10**12 // on.bandwidth_bytes_per_s)
    ported = 0 if port is None else -(-(size_bytes + near_bytes) * 10**12 // port)
    through = max(queued, ported) + max(latency, near_latency)
    if on.in_flight_bytes is None or one.is_opaque or not is_load:
        return through
    return max(through, -(-(size_bytes * latency + near_bytes * near_latency) // on.in_flight_bytes))


def test_each_bound_can_be_the_largest() -> None:
    moving = lower_bounds(program(*(tile("A", w=8, c=1) for _ in range(4))), machine(4))
    assert (moving.bandwidth_ps, moving.path_ps, moving.work_ps) == (32_000, 9_000, 9_000)
    chained = lower_bounds(program(tile("A", c=5, to=("a",)), tile("B", "a", c=7), a=1), machine(4))
    assert (chained.bandwidth_ps, chained.path_ps, chained.work_ps) == (0, 12_000, 3_000)
    working = lower_bounds(program(*(tile("A", c=5) for _ in range(5))), machine(2))
    assert (working.bandwidth_ps, working.path_ps, working.work_ps) == (0, 5_000, 12_500)


def test_weights_that_may_be_prefetched_bound_nothing_but_the_queue() -> None:
    tiles = program(tile("A", w=6, a=2, c=10))
    plain, ahead = lower_bounds(tiles, machine(1)), lower_bounds(tiles, machine(1, prefetch=True))
    assert (plain.path_ps, ahead.path_ps) == (18_000, 12_000)
    assert plain.bandwidth_ps == ahead.bandwidth_ps == 8_000


def test_a_port_and_a_latency_lengthen_the_path() -> None:
    tiles = program(tile("A", a=4, c=1, out=2))
    assert lower_bounds(tiles, machine(1)).path_ps == 7_000
    assert lower_bounds(tiles, machine(1, port_bytes_per_s=10**9 // 2, latency_ps=500)).path_ps == 14_000


def test_what_a_worker_has_under_way_lengthens_the_path_of_loads_and_the_work_of_workers() -> None:
    tiles, on = program(tile("A", w=20, c=1, out=20)), machine(2, latency_ps=6_000, in_flight_bytes=4)
    assert lower_bounds(tiles, on).path_ps == 30_000 + 1_000 + 26_000
    assert lower_bounds(tiles, on).work_ps == 31_000 // 2
    assert lower_bounds(tiles, replace(on, in_flight_bytes=None)).path_ps == 53_000


@pytest.mark.parametrize("repeats", [0, 1, 7])
def test_queued_bytes_count_every_repeat(repeats: int) -> None:
    body = program(tile("B", w=1, a=2, out=4)).prologue
    once = program(tile("A", w=10))
    assert queued_bytes(replace(once, body=body, repeats=repeats)) == 10 + 7 * repeats


def test_the_path_through_a_billion_repeats_is_not_counted_out() -> None:
    body = TileSection((Tile("step", 7, waits_before=("done",), signals=("done",)),), (("done", 1),))
    assert lower_bounds(TileProgram(body=body, repeats=10**9), machine()).path_ps == 7 * 10**9


def test_an_arrival_against_program_order_bounds_nothing() -> None:
    tiles = program(tile("slow", c=50, to=("a",)), tile("after", "a", c=60), tile("fast", c=2, to=("a",)), a=1)
    assert lower_bounds(tiles, machine(3)).path_ps == 60_000
    assert makespan_ns(tiles, machine(3)) == 62
