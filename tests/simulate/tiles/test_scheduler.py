"""The tile scheduler against the literal schedule of the design, and the laws that any tile schedule obeys."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts import PS_PER_NS
from megasolve.simulate.tiles.bounds import lower_bounds, queued_bytes
from megasolve.simulate.tiles.machine import TileMachine
from megasolve.simulate.tiles.outcome import TileDeadlock, TileSchedule
from megasolve.simulate.tiles.program import TileProgram, TileSection, scaled
from megasolve.simulate.tiles.scheduler import schedule_tiles
from megasolve.simulate.tiles.tile import Tile
from tests.support.judges.literal_tiles import Literal, Task
from tests.support.simulation.tile_programs import Draw, machine, makespan_ns, program, scheduled, tile, tile_machines, tile_programs

SOUND = Draw()
ANY = Draw(is_sound=False)
STATIC = Draw(has_opaque=False)


def moments(task: Task) -> tuple[int | None, ...]:
    assert task.worker is not None
    return task.worker.number, task.started_at, task.computes_at, task.computed_at, task.done_at


def agree(schedule: TileSchedule | TileDeadlock, literal: list[Task] | int) -> bool:
    """Whether every tile has the same worker and times in both, or both stop with as many tiles left."""
    if isinstance(schedule, TileDeadlock) or isinstance(literal, int):
        return isinstance(schedule, TileDeadlock) and schedule.unfinished == literal
    spans = [(span.worker, span.start_ps, span.compute_ps, span.computed_ps, span.done_ps) for span in schedule.spans]
    return spans == [moments(task) for task in literal]


@settings(max_examples=250, deadline=None)
@given(tile_programs(SOUND), tile_machines())
def test_the_scheduler_equals_the_literal_schedule_tile_by_tile(tiles: TileProgram, on: TileMachine) -> None:
    assert agree(schedule_tiles(tiles, on, trace=True), Literal(tiles, on).run())


@settings(max_examples=200, deadline=None)
@given(tile_programs(STATIC), tile_machines(), st.sampled_from((None, None, 7, 4)))
def test_in_static_order_the_scheduler_equals_the_literal_schedule(tiles: TileProgram, on: TileMachine, staging: int | None) -> None:
    static = replace(on, is_static=True, staging_bytes=staging)
    literal = Literal(tiles, static)
    schedule, end = schedule_tiles(tiles, static, trace=True), literal.run()
    assert agree(schedule, end)
    if isinstance(schedule, TileDeadlock):
        assert schedule.at_ps == literal.now
        assert schedule.waiting


@settings(max_examples=120, deadline=None)
@given(tile_programs(SOUND), tile_machines())
def test_the_scheduler_equals_the_literal_schedule_where_slots_are_cramped(tiles: TileProgram, on: TileMachine) -> None:
    cramped = replace(on, staging_bytes=12, prefetch=True)
    assert agree(schedule_tiles(tiles, cramped, trace=True), Literal(tiles, cramped).run())


@settings(max_examples=100, deadline=None)
@given(tile_programs(ANY), tile_machines())
def test_the_scheduler_stops_where_and_when_the_literal_schedule_stops(tiles: TileProgram, on: TileMachine) -> None:
    tight, literal = replace(on, staging_bytes=4), Literal(tiles, replace(on, staging_bytes=4))
    schedule, end = schedule_tiles(tiles, tight, trace=True), literal.run()
    assert agree(schedule, end)
    if isinstance(schedule, TileDeadlock):
        assert schedule.at_ps == literal.now
        assert schedule.waiting


@settings(max_examples=50, deadline=None)
@given(tile_programs(SOUND), tile_machines())
def test_a_trace_changes_nothing(tiles: TileProgram, on: TileMachine) -> None:
    traced = scheduled(tiles, on, trace=True)
    assert replace(traced, spans=()) == scheduled(tiles, on, fold=False)
    assert [span.tile for span in traced.spans] == list(range(tiles.tile_count))
    assert traced.makespan_ps == max((span.done_ps for span in traced.spans), default=0)


@settings(max_examples=50, deadline=None)
@given(tile_programs(SOUND), tile_machines())
def test_where_staging_suffices_nothing_deadlocks(tiles: TileProgram, on: TileMachine) -> None:
    sections = (tiles.prologue, tiles.body, tiles.epilogue)
    largest = max((max(tile.staging_bytes, tile.output_bytes) for section in sections for tile in section.tiles), default=0)
    assert isinstance(schedule_tiles(tiles, replace(on, staging_bytes=largest)), TileSchedule)


@settings(max_examples=50, deadline=None)
@given(tile_programs(SOUND), tile_machines())
def test_the_time_of_the_workers_is_compute_load_and_idle(tiles: TileProgram, on: TileMachine) -> None:
    schedule = scheduled(tiles, on)
    assert schedule.busy_ps + schedule.loading_ps + schedule.idle_ps == on.workers * schedule.makespan_ps
    assert 0 <= schedule.queued_ps <= schedule.loading_ps
    assert schedule.idle_ps >= 0


def renamed(section: TileSection) -> TileSection:
    """Give operators and counters other names, in another alphabetical order."""
    names = {"a": "z", "b": "y", "c": "x", "d": "w"}
    tiles = [
        replace(
            each,
            operator=each.operator[::-1],
            waits=tuple(names[name] for name in each.waits),
            waits_before=tuple(names[name] for name in each.waits_before),
            signals=tuple(names[name] for name in each.signals),
        )
        for each in section.tiles
    ]
    delays = {names[name]: delay for name, delay in section.delays_ps.items()}
    return TileSection(tuple(tiles), tuple((names[name], target) for name, target in reversed(section.counters)), delays)


@settings(max_examples=50, deadline=None)
@given(tile_programs(SOUND), tile_machines())
def test_names_of_operators_and_counters_change_nothing(tiles: TileProgram, on: TileMachine) -> None:
    other = TileProgram(renamed(tiles.prologue), renamed(tiles.body), renamed(tiles.epilogue), tiles.repeats)
    schedule, again = scheduled(tiles, on, trace=True), scheduled(other, on, trace=True)
    assert replace(again, never_staged=()) == replace(schedule, never_staged=())


def test_latency_delays_a_transfer_and_occupies_nothing() -> None:
    tiles = program(tile("load", c=10, w=20), tile("load", c=10, w=20))
    assert scheduled(tiles, machine(2)).makespan_ps == 50_000
    assert scheduled(tiles, machine(2, latency_ps=7_000)).makespan_ps == 57_000


def test_a_load_gets_what_its_worker_has_under_way_once_per_latency() -> None:
    tiles = program(tile("load", c=10, w=20))
    on = machine(1, latency_ps=6_000, in_flight_bytes=4)
    # 20 bytes pass the queue in 20 ns and arrive 6 later; 4 at a time they take 5 latencies.
    assert scheduled(tiles, replace(on, in_flight_bytes=None)).makespan_ps == 36_000
    assert scheduled(tiles, on).makespan_ps == 40_000
    assert scheduled(tiles, replace(on, in_flight_bytes=8)).makespan_ps == 36_000
    assert scheduled(tiles, replace(on, latency_ps=0)).makespan_ps == 30_000


def test_more_workers_have_more_under_way_until_the_queue_is_full() -> None:
    tiles = program(*(tile("load", w=8) for _ in range(8)))
    on = {workers: machine(workers, latency_ps=12_000, in_flight_bytes=2) for workers in (1, 2, 4, 8)}
    # A load takes its worker 48 ns and the queue 8: alone 8 in a row, on eight workers the queue hands out one each 8 ns.
    assert [makespan_ns(tiles, on[workers]) for workers in on] == [384, 200, 120, 104]
    assert makespan_ns(tiles, replace(on[1], in_flight_bytes=None)) == 160


def test_stores_and_opaque_operators_have_no_limit_in_flight() -> None:
    on = machine(1, latency_ps=6_000, in_flight_bytes=1)
    assert makespan_ns(program(tile("store", c=1, out=20)), on) == 27
    assert makespan_ns(program(replace(tile("kernel", c=1, w=20), is_opaque=True)), on) == 27


def test_weights_that_are_prefetched_pass_the_port_of_their_worker() -> None:
    tiles = program(tile("A", c=30, w=4, staging=4, to=("a",)), tile("B", "a", c=1, w=4, a=2, staging=6), a=1)
    on = machine(1, latency_ps=6_000, in_flight_bytes=2, staging_bytes=10, prefetch=True)
    # Each tile's weights take 12 ns and its activations 6; of the second the weights arrive under the first.
    assert makespan_ns(tiles, on) == 12 + 30 + 8 + 1
    assert makespan_ns(tiles, replace(on, prefetch=False)) == 12 + 30 + 18 + 1


def test_a_counter_with_a_delay_opens_so_much_after_its_last_needed_arrival() -> None:
    tiles = (tile("A", c=10, to=("a",)), tile("A", c=4, to=("a",)), tile("B", "a", c=1, a=2))
    late = TileProgram(TileSection(tiles, (("a", 2),), {"a": 3_000}))
    # Ready, started and loading only then: 10 + 3 + 2 + 1, whichever worker runs it.
    assert [makespan_ns(late, machine(workers)) for workers in (2, 3)] == [16, 16]
    assert makespan_ns(TileProgram(TileSection(tiles, (("a", 2),))), machine(2)) == 13
    first = TileProgram(TileSection(tiles, (("a", 1),), {"a": 3_000}))
    assert makespan_ns(first, machine(2)) == 10
    unseen = TileProgram(TileSection(tiles[:2], (("a", 2),), {"a": 3_000}))
    assert makespan_ns(unseen, machine(2)) == 10
    open_at_once = TileProgram(TileSection(tiles[2:], (("a", 0),), {"a": 3_000}))
    assert makespan_ns(open_at_once, machine(2)) == 3


def test_a_delay_reaches_into_the_next_section() -> None:
    body = TileSection((Tile("step", 7_000, waits_before=("done",), signals=("done",)),), (("done", 1),), {"done": 2_000})
    assert makespan_ns(TileProgram(body=body, repeats=1000), machine()) == 1000 * 7 + 999 * 2


def test_a_worker_turns_to_its_next_tile_while_that_loads() -> None:
    tiles = program(tile("A", a=4, c=10), tile("A", a=4, c=10), tile("A", a=4, c=10))
    # Nothing comes before the first tile of a worker; each later one waits for the slower of its load and the turn.
    assert makespan_ns(tiles, machine(1, queue_ps=3_000)) == 14 * 3
    assert makespan_ns(tiles, machine(1, queue_ps=9_000)) == 14 + 2 * 19
    assert makespan_ns(tiles, machine(3, queue_ps=9_000)) == 12 + 10


def test_an_opaque_operator_follows_the_last_compute_of_every_worker() -> None:
    kernel = replace(tile("kernel", "a", c=5, to=("b",)), is_opaque=True)
    tiles = program(tile("A", c=10, to=("a",)), tile("A", c=4, to=("a",)), kernel, tile("B", "b", c=1), a=2, b=1)
    assert makespan_ns(tiles, machine(2)) == 16
    assert makespan_ns(tiles, machine(2, queue_ps=3_000)) == 10 + 3 + 5 + 3 + 1


def test_in_static_order_a_worker_waits_for_its_tiles_one_by_one() -> None:
    uneven = program(tile("A", c=10), tile("A", c=1), tile("A", c=10), tile("A", c=1))
    assert makespan_ns(uneven, machine(2)) == 11
    assert makespan_ns(uneven, machine(2, is_static=True)) == 20
    # The second tile waits for the first one, and the third, behind it on no other worker, does not wait for both.
    blocked = program(tile("A", c=10, to=("a",)), tile("B", "a", c=10), tile("C", c=1), tile("D", c=1), a=1)
    spans = scheduled(blocked, machine(2, is_static=True), trace=True).spans
    assert [(span.worker, span.start_ps) for span in spans] == [(0, 0), (1, 10_000), (0, 10_000), (1, 20_000)]


def test_an_opaque_tile_has_no_place_in_static_order() -> None:
    with pytest.raises(ValueError, match="an opaque tile takes all workers"):
        schedule_tiles(program(replace(tile("kernel", c=1), is_opaque=True)), machine(2, is_static=True))


def test_what_is_in_l2_does_not_pass_the_queue() -> None:
    near = program(*(replace(tile("near", c=10), cached_weight_bytes=20) for _ in range(2)), tile("far", c=10, w=20))
    # The loads from L2 take their latency, beside each other and beside the one from memory.
    ends = [span.computed_ps for span in scheduled(near, machine(3, l2_latency_ps=3_000), trace=True).spans]
    assert ends == [13_000, 13_000, 30_000]
    assert makespan_ns(near, machine(3)) == 30
    assert queued_bytes(near) == 20
    assert lower_bounds(near, machine(3, l2_latency_ps=3_000)).bandwidth_ps == 20_000


def test_from_l2_a_worker_draws_what_it_has_under_way_per_latency_of_that() -> None:
    near, on = program(replace(tile("near", c=10), cached_activation_bytes=20)), machine(1, l2_latency_ps=3_000, in_flight_bytes=4)
    assert makespan_ns(near, on) == 15 + 10
    both = program(replace(tile("both", c=10, w=20), cached_activation_bytes=20))
    assert makespan_ns(both, replace(on, latency_ps=6_000)) == 30 + 15 + 10
    assert makespan_ns(both, replace(on, latency_ps=6_000, in_flight_bytes=None)) == 26 + 10
    assert makespan_ns(near, replace(on, in_flight_bytes=None, port_bytes_per_s=10**9)) == 23 + 10


def test_transfers_are_rounded_up_one_by_one() -> None:
    tiles = program(tile("load", w=1), tile("load", w=1), tile("load", w=1))
    assert scheduled(tiles, machine(1, bandwidth_bytes_per_s=3 * 10**12)).makespan_ps == 3


def test_workers_of_one_sm_share_its_port() -> None:
    tiles = program(tile("load", w=20), tile("load", w=20))
    on = machine(2, port_bytes_per_s=10**9 // 2)
    assert scheduled(tiles, on).makespan_ps == 60_000
    assert scheduled(tiles, replace(on, per_port=2)).makespan_ps == 80_000


def test_a_tile_that_fits_no_free_worker_is_passed_over() -> None:
    stored = tile("store", c=1, out=10, staging=10)
    tiles = program(stored, tile("large", c=1, staging=10), tile("small", c=1, staging=2))
    spans = scheduled(tiles, machine(1, staging_bytes=12), trace=True).spans
    assert [span.start_ps for span in spans] == [0, 11_000, 1_000]


def test_operators_whose_weights_fit_no_slot_are_named() -> None:
    tiles = program(tile("gate", c=10, w=7, staging=8), tile("up", c=10, w=6, staging=8))
    assert scheduled(tiles, machine(staging_bytes=14, prefetch=True)).never_staged == ("gate",)
    assert scheduled(tiles, machine(staging_bytes=15, prefetch=True)).never_staged == ()
    assert scheduled(tiles, machine(staging_bytes=14)).never_staged == ()


def test_a_program_without_tiles_takes_no_time() -> None:
    assert scheduled(TileProgram(), machine()).makespan_ps == 0


def test_a_counter_that_does_not_stand_there_is_refused() -> None:
    with pytest.raises(ValueError, match="matmul waits for counter 'b'"):
        schedule_tiles(program(tile("matmul", "b"), a=1), machine())
    with pytest.raises(ValueError, match="matmul arrives at counter 'b'"):
        schedule_tiles(program(tile("matmul", to=("b",)), a=1), machine())
    orphan = TileProgram(epilogue=TileSection((Tile("head", 1, waits_before=("gone",)),)))
    with pytest.raises(ValueError, match="head waits, in the section before, for counter 'gone'"):
        schedule_tiles(orphan, machine())
    with pytest.raises(ValueError, match="0 workers"):
        schedule_tiles(TileProgram(), machine(0))


@pytest.mark.parametrize(("loads", "early", "ends"), [(6, 0, 16), (6, 8, 10), (6, 3, 13), (20, 8, 22), (20, 10, 20)])
def test_a_tile_computes_on_what_has_come_and_ends_no_earlier_than_it_or_its_load_allows(loads: int, early: int, ends: int) -> None:
    tiles = program(replace(tile("A", c=10, w=loads), early_ps=early * PS_PER_NS))
    assert makespan_ns(tiles, machine(1)) == ends


def test_what_a_worker_computes_while_its_load_queues_is_no_waiting() -> None:
    tiles = program(tile("A", w=10), replace(tile("A", c=8, w=4), early_ps=6 * PS_PER_NS))
    schedule = scheduled(tiles, machine(2))
    # It starts at once; 10 of the queue and 4 of the load are left 6 shorter by what it computes meanwhile.
    assert (schedule.makespan_ps, schedule.queued_ps, schedule.loading_ps) == (16_000, 4_000, 10_000 + 8_000)


def test_a_factor_on_computes_holds_for_what_runs_during_the_load() -> None:
    tiles = program(replace(tile("A", c=10, w=6), early_ps=5_001))
    (slower,) = scaled(tiles, {"A": Fraction(3, 2)}).prologue.tiles
    assert (slower.compute_ps, slower.early_ps) == (15_000, 7_501)
