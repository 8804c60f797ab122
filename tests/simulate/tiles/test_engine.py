"""What barriers, idle workers, rounds and prefetch cost and save among tiles; cases from the field."""

from __future__ import annotations

import pytest

from benchmarks.published_tables import dependent_grid_ps
from megasolve.contracts import PS_PER_NS
from megasolve.simulate.events.waves import wave_factor
from tests.support.simulation.tile_programs import machine, program, scheduled, tile

SYNC_NS = 730


def norm_then_matmul(*, redundant: bool, norm_ns: int, slow_ns: int = 0) -> tuple[int, int]:
    """Return makespan and idle time, in ns, of a norm and 82 matmul tiles on 82 workers.

    The norm runs once, on one worker, with a barrier after it; or in each matmul tile, without one, where it takes *slow_ns*
    longer.
    """
    if redundant:
        tiles = [tile("matmul", c=norm_ns + slow_ns + 2_000) for _ in range(82)]
        schedule = scheduled(program(*tiles), machine(82))
    else:
        norm = tile("norm", c=norm_ns, to=("normed",))
        tiles = [tile("matmul", "normed", c=SYNC_NS + 2_000) for _ in range(82)]
        schedule = scheduled(program(norm, *tiles, normed=1), machine(82))
    return schedule.makespan_ps // PS_PER_NS, schedule.idle_ps // PS_PER_NS


def test_c27_what_fewer_barriers_save_by_themselves_is_tens_of_microseconds_not_the_milliseconds_that_were_measured() -> None:
    for barriers, saved_us, measured_us in ((28, 20, -2_839), (56, 41, 1_673)):
        assert round(barriers * SYNC_NS / 1000) == saved_us
        assert abs(measured_us) > 40 * saved_us


def test_c27_a_norm_on_one_of_82_ctas_is_explained_by_the_idle_ones_and_not_by_the_barrier() -> None:
    _, idle_ns = norm_then_matmul(redundant=False, norm_ns=3_000)
    assert idle_ns == 81 * 3_000
    assert idle_ns > 50 * SYNC_NS
    assert norm_then_matmul(redundant=True, norm_ns=3_000)[1] == 0


def test_c27_a_redundant_norm_loses_where_it_takes_longer_than_the_barrier_that_it_saves() -> None:
    once = norm_then_matmul(redundant=False, norm_ns=3_000)[0]
    assert norm_then_matmul(redundant=True, norm_ns=3_000, slow_ns=SYNC_NS - 1)[0] < once
    assert norm_then_matmul(redundant=True, norm_ns=3_000, slow_ns=SYNC_NS + 1)[0] > once


def test_c27_fewer_working_ctas_cost_more_waves_than_the_barrier_saves() -> None:
    tiles = [tile("qkv", c=2_000) for _ in range(82)]
    wide, narrow = (scheduled(program(*tiles), machine(workers)).makespan_ps // PS_PER_NS for workers in (82, 16))
    assert (wide, narrow) == (2_000, 12_000)
    assert narrow > wide + SYNC_NS


@pytest.mark.parametrize(("workers", "waves"), [(132, 2), (128, 2), (127, 3)])
def test_c39_four_sms_of_132_are_free_for_256_equal_tiles_and_a_fifth_costs_half(workers: int, waves: int) -> None:
    tiles = [tile("matmul", c=10) for _ in range(256)]
    assert scheduled(program(*tiles), machine(workers)).makespan_ps == waves * 10 * PS_PER_NS
    assert wave_factor(256, workers, 256) == waves


@pytest.mark.parametrize("grid", [128, 170, 192, 448, 1024])
@pytest.mark.parametrize("bandwidth_bytes_per_s", [200_000_000_000, 1_530_000_000_000, 8_000_000_000_000])
def test_c41_prefetch_gains_at_most_the_time_in_which_the_bus_was_idle(grid: int, bandwidth_bytes_per_s: int) -> None:
    off, on = (dependent_grid_ps(grid, prefetch=prefetch, bandwidth_bytes_per_s=bandwidth_bytes_per_s) for prefetch in (False, True))
    bus_ps = grid * -(-65_536 * 10**12 // bandwidth_bytes_per_s)
    assert 0 <= off - on <= off - bus_ps


def test_c41_on_a_saturated_bus_prefetch_gains_nothing() -> None:
    tiles = [tile("matmul", c=10, w=20, staging=20) for _ in range(4)]
    off, on = (scheduled(program(*tiles), machine(2, prefetch=prefetch)) for prefetch in (False, True))
    assert off.makespan_ps == on.makespan_ps == 90 * PS_PER_NS
