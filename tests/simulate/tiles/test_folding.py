"""Repeats that are not simulated change nothing: neither times nor totals nor deadlocks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from megasolve.simulate.tiles.machine import TileMachine
from megasolve.simulate.tiles.outcome import TileDeadlock
from megasolve.simulate.tiles.program import TileProgram, TileSection
from megasolve.simulate.tiles.scheduler import schedule_tiles
from megasolve.simulate.tiles.tile import Tile
from tests.support.simulation.tile_programs import Draw, machine, scheduled, stopped, tile_machines, tile_programs

LONG = Draw(least_repeats=3, most_repeats=25)
CHAINED = replace(LONG, is_chained=True)


def layer(tiles: int, weight_bytes: int = 0, output_bytes: int = 0) -> TileSection:
    """Return a layer of two operators of *tiles* tiles, each of which waits for all of the one before."""
    up = Tile("up", 5, weight_bytes, output_bytes=output_bytes, waits_before=("down",), signals=("up",))
    down = Tile("down", 7, weight_bytes, output_bytes=output_bytes, waits=("up",), signals=("down",))
    return TileSection((*[up] * tiles, *[down] * tiles), (("up", tiles), ("down", tiles)))


@settings(max_examples=125, deadline=None)
@given(tile_programs(CHAINED), tile_machines())
def test_folding_changes_nothing_where_each_repeat_follows_the_one_before(tiles: TileProgram, on: TileMachine) -> None:
    assert replace(scheduled(tiles, on), folded=0) == scheduled(tiles, on, fold=False)


@settings(max_examples=50, deadline=None)
@given(tile_programs(LONG), tile_machines())
def test_folding_changes_nothing_where_tiles_wait_for_nothing(tiles: TileProgram, on: TileMachine) -> None:
    assert replace(scheduled(tiles, on), folded=0) == scheduled(tiles, on, fold=False)


@settings(max_examples=50, deadline=None)
@given(tile_programs(replace(CHAINED, is_sound=False)), tile_machines())
def test_a_deadlock_is_the_same_with_folding(tiles: TileProgram, on: TileMachine) -> None:
    folded, whole = schedule_tiles(tiles, on), schedule_tiles(tiles, on, fold=False)
    assert folded == whole if isinstance(whole, TileDeadlock) else replace(scheduled(tiles, on), folded=0) == whole


@settings(max_examples=60, deadline=None)
@given(tile_programs(replace(CHAINED, has_opaque=False)), tile_machines())
def test_folding_changes_nothing_in_static_order(tiles: TileProgram, on: TileMachine) -> None:
    static = replace(on, is_static=True)
    assert replace(scheduled(tiles, static), folded=0) == scheduled(tiles, static, fold=False)


@pytest.mark.parametrize("workers", [3, 20])
def test_in_static_order_a_period_ends_where_the_workers_come_round(workers: int) -> None:
    on = machine(workers, is_static=True, queue_ps=3_000)
    schedules = [scheduled(TileProgram(body=layer(4, 3, 1), repeats=count), on) for count in (100, 1000)]
    # Eight tiles a layer: after three layers on three workers, and after five on twenty, each worker has the same tiles again.
    assert {count - schedule.folded for count, schedule in zip((100, 1000), schedules, strict=True)} <= set(range(30))
    whole = scheduled(TileProgram(body=layer(4, 3, 1), repeats=100), on, fold=False)
    assert replace(schedules[0], folded=0) == whole


@pytest.mark.parametrize("prefetch", [False, True])
def test_what_is_simulated_does_not_grow_with_the_repeats(prefetch: bool) -> None:
    on = machine(3, prefetch=prefetch, staging_bytes=100)
    counts = (20, 200, 10**9)
    schedules = [scheduled(TileProgram(body=layer(4, weight_bytes=3, output_bytes=1), repeats=count), on) for count in counts]
    assert len({count - schedule.folded for count, schedule in zip(counts, schedules, strict=True)}) == 1
    assert schedules[0].folded > 0


def test_the_tail_is_simulated_as_prefetch_sees_past_the_repeats() -> None:
    head = TileSection((Tile("head", 9, weight_bytes=50, waits_before=("down",)),))
    tiles = TileProgram(body=layer(4, weight_bytes=3), epilogue=head, repeats=40)
    on = machine(3, prefetch=True)
    folded, whole = scheduled(tiles, on), scheduled(tiles, on, fold=False)
    assert 0 < folded.folded < 40
    assert replace(folded, folded=0) == whole


def test_a_deadlock_behind_folded_repeats_names_the_same_waits() -> None:
    head = TileSection((Tile("head", 9, waits=("never",)),), (("never", 1),))
    tiles = TileProgram(body=layer(4), epilogue=head, repeats=40)
    assert stopped(tiles, machine(3)) == stopped(tiles, machine(3), fold=False)
    assert stopped(tiles, machine(3)).waiting == ("head waits for 'never' (0 of 1 arrivals)",)
