"""Where the time of the workers went, operator by operator."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from megasolve.simulate.tiles.machine import TileMachine
from megasolve.simulate.tiles.program import TileProgram
from megasolve.simulate.tiles.why import OperatorTime, why
from tests.support.simulation.tile_programs import Draw, machine, program, scheduled, tile, tile_machines, tile_programs


@settings(max_examples=100, deadline=None)
@given(tile_programs(Draw()), tile_machines())
def test_the_parts_add_up_to_the_time_of_all_workers(tiles: TileProgram, on: TileMachine) -> None:
    schedule = scheduled(tiles, on, trace=True)
    reasons = why(schedule, tiles)
    assert sum(each.total_ps for each in reasons.operators) + reasons.ending_ps == on.workers * schedule.makespan_ps
    assert sum(each.computing_ps for each in reasons.operators) == schedule.busy_ps
    assert sum(each.queued_ps for each in reasons.operators) == schedule.queued_ps
    assert sum(each.queued_ps + each.loading_ps for each in reasons.operators) == schedule.loading_ps
    assert sum(each.tiles for each in reasons.operators) == tiles.tile_count
    assert all(min(each.idle_ps, each.queued_ps, each.loading_ps, each.computing_ps) >= 0 for each in reasons.operators)


def test_each_operator_says_what_its_workers_waited_for() -> None:
    tiles = program(tile("load", c=5, a=10, to=("x",)), tile("load", c=5, a=10, to=("x",)), tile("join", "x", c=3), x=2)
    reasons = why(scheduled(tiles, machine(2), trace=True), tiles)
    load = OperatorTime("load", 2, idle_ps=0, queued_ps=10_000, loading_ps=20_000, computing_ps=10_000)
    join = OperatorTime("join", 1, idle_ps=10_000, queued_ps=0, loading_ps=0, computing_ps=3_000)
    assert reasons.operators == (load, join)
    assert reasons.ending_ps == 3_000


def test_an_opaque_operator_counts_for_every_worker() -> None:
    tiles = program(replace(tile("scan", c=5, a=10), is_opaque=True))
    assert why(scheduled(tiles, machine(4), trace=True), tiles).operators[0].computing_ps == 20_000


def test_a_schedule_without_spans_cannot_say_why() -> None:
    tiles = program(tile("load", c=5))
    with pytest.raises(ValueError, match="trace=True"):
        why(scheduled(tiles, machine()), tiles)
