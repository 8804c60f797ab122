"""Situations from the field about tiles, waves, launches and prefetch; the numbers are those of the case list."""

from __future__ import annotations

from fractions import Fraction

import pytest

from benchmarks.published_decode import steps_us
from benchmarks.published_tables import GRAPH_US, GRID_US, LAUNCHES_US, chain_constants, dependent_grid_ps, grid_time
from megasolve.simulate.events.engine import simulate
from megasolve.simulate.events.graph import Admission
from megasolve.simulate.events.outcome import Outcome
from megasolve.simulate.events.waves import wave_factor
from megasolve.solver import solve
from tests.support.planning.studies import conventional, group, megakernel, record, spec, study
from tests.support.simulation.graphs import Sketch, finished
from tests.support.simulation.tile_programs import PS_PER_NS, machine, program, scheduled, tile

US = 10**6
MS = 10**9
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


def test_c27_the_ranking_turns_with_the_position_so_the_position_is_part_of_the_key() -> None:
    plain, redundant = megakernel("D", entry="plain"), megakernel("D", entry="redundant")
    times_us = {1: (5_655, 3_982), 200: (6_202, 6_883)}
    winners = {}
    for position in times_us:
        shapes = {"position": position}
        asked = spec([group("D", "producer", shapes=shapes)], publication={"group": "D", "step": 1})
        contracts = [{**one, "loops_on_device": False} for one in (plain, redundant)]
        records = [
            record(contract, "D", duration, shapes={"position": at})
            for at, durations in times_us.items()
            for contract, duration in zip(contracts, durations, strict=True)
        ]
        best = solve(study(asked, contracts, records)).results[0].ranking[0]
        winners[position] = best.entries
    assert winners == {1: ("redundant",), 200: ("plain",)}


def beside_a_collective(demand: int, traffic: int) -> Fraction:
    """Return the slowdown of a kernel of 1 ms beside a collective that moves *traffic* GB/s of the device's 2,000."""
    sketch = Sketch(capacity_ctas=108, bandwidth_bytes_per_s=2_000)
    sketch.single("collective", 1, 10 * MS, demand=traffic)
    sketch.single("kernel", 100, MS, demand=demand)
    return Fraction(finished(sketch.graph()).finish_of("kernel")) / MS


@pytest.mark.parametrize(("traffic", "slowdown"), [(600, Fraction(13, 10)), (900, Fraction(29, 20))])
def test_c34_beside_a_collective_the_shared_rate_gives_a_lower_bound_of_what_was_measured(traffic: int, slowdown: Fraction) -> None:
    assert beside_a_collective(2_000, traffic) == slowdown
    for alone_ms, beside_ms in ((0.18, 0.33), (1.18, 2.08), (0.02, 0.05)):
        assert slowdown < beside_ms / alone_ms


def test_c34_a_kernel_that_only_computes_is_not_slowed_by_traffic() -> None:
    assert beside_a_collective(0, 900) == 1


def pipeline_beside_a_peer(held: int, kernel_ps: int) -> Outcome:
    """A persistent kernel that holds CTAs of a device of 148, and a peer of 8 CTAs and 1 ms that is ready with it."""
    sketch = Sketch(capacity_ctas=148)
    sketch.single("kernel", held, kernel_ps, admission=Admission.COOPERATIVE)
    sketch.single("peer", 8, MS, admission=Admission.COOPERATIVE)
    outcome = simulate(sketch.graph())
    assert isinstance(outcome, Outcome)
    return outcome


def test_c37_a_kernel_on_every_sm_keeps_its_peer_out_and_eight_free_sms_let_it_in() -> None:
    full, margin = pipeline_beside_a_peer(148, 4 * MS), pipeline_beside_a_peer(140, 4 * MS)
    assert (full.admitted[1], margin.admitted[1]) == (4 * MS, 0)


def test_c37_the_kernel_that_is_faster_alone_makes_the_slower_pipeline() -> None:
    full, margin = pipeline_beside_a_peer(148, 4 * MS), pipeline_beside_a_peer(140, 4 * MS * 148 // 140)
    assert full.finish_of("kernel") < margin.finish_of("kernel")
    assert full.makespan > margin.makespan


@pytest.mark.parametrize(("grid", "waves"), [(108, 1), (109, 2), (216, 2), (217, 3)])
def test_c38_one_block_more_than_the_sms_doubles_the_rounds(grid: int, waves: int) -> None:
    assert wave_factor(grid, 108, grid) == waves


@pytest.mark.parametrize(
    ("grid", "held", "factor"),
    [
        (132, 88, "2"),
        (132, 66, "2"),
        (132, 44, "3"),
        (133, 88, "1"),
        (133, 66, "3/2"),
        (133, 44, "2"),
        (264, 88, "3/2"),
        (264, 44, "3"),
        (265, 88, "4/3"),
        (265, 44, "7/3"),
    ],
)
def test_c38_a_smaller_budget_slows_a_grid_by_whole_waves(grid: int, held: int, factor: str) -> None:
    assert wave_factor(grid, held, 132) == Fraction(factor)


@pytest.mark.parametrize(("workers", "waves"), [(132, 2), (128, 2), (127, 3)])
def test_c39_four_sms_of_132_are_free_for_256_equal_tiles_and_a_fifth_costs_half(workers: int, waves: int) -> None:
    tiles = [tile("matmul", c=10) for _ in range(256)]
    assert scheduled(program(*tiles), machine(workers)).makespan_ps == waves * 10 * PS_PER_NS
    assert wave_factor(256, workers, 256) == waves


def test_c40_the_wave_rule_sees_a_bump_where_none_was_measured_and_misses_the_measured_one() -> None:
    ours = {grid: grid_time(grid) / grid_time(128) for grid in (192, 256, 384)}
    theirs = {grid: GRID_US[grid] / GRID_US[128] for grid in (192, 256, 384)}
    assert ours[192] == Fraction(4, 3)
    assert max(ours, key=lambda grid: ours[grid]) == 192
    assert max(theirs, key=lambda grid: theirs[grid]) == 256


def test_c40_a_measured_record_wins_over_what_its_program_would_take() -> None:
    kernel = conventional("D", grid_ctas=256, programs=opaque_program(duration_us=45.0))
    asked = spec([group("D", "producer")], publication={"group": "D", "step": 1})
    measured = solve(study(asked, [kernel], [record(kernel, "D", 59.1)])).results[0].ranking[0]
    derived = solve(study(asked, [kernel], [])).results[0].ranking[0]
    assert (measured.evidence, measured.score_ps) == (("profiled",), 59_100_000)
    assert (derived.evidence, derived.score_ps) == (("tile-simulated",), 45_000_000)


def opaque_program(duration_us: float) -> dict[str, object]:
    operator = {"name": "kernel", "kind": "opaque", "grid_ctas": 132, "duration_us": duration_us, "hbm_bytes": 0, "resident_ctas": 132}
    return {"D": [{"operators": [operator]}]}


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


def test_c42_a_chain_of_launches_and_a_graph_have_the_published_constants() -> None:
    for kernels, launches_us in LAUNCHES_US.items():
        assert launches_us == pytest.approx(6.4 * kernels, rel=0.17)
        assert GRAPH_US[kernels] == pytest.approx(15 + 0.58 * kernels, rel=0.065)
    assert chain_constants(GRAPH_US) == pytest.approx((15, 0.58), rel=0.02)


def chain_score_us(kernels: int, launch_us: float, gap_us: float) -> float:
    """Return the score of a region of *kernels* kernels that take no time to speak of."""
    dispatch = {"kind": "graph", "host_waits": True, "host_us": launch_us, "exposed_us": 0, "gap_us": gap_us}
    chain = conventional("D", kernels=kernels, dispatch=dispatch)
    asked = spec([group("D", "producer")], publication={"group": "D", "step": 1})
    return float(solve(study(asked, [chain], [record(chain, "D", 0.000001)])).results[0].ranking[0].score_ps) / US


def launches_us(kernels: int) -> float:
    return chain_score_us(kernels, 0, 6.4)


def graph_launches_us(kernels: int) -> float:
    return chain_score_us(kernels, 15, 0.58)


def test_c42_from_three_kernels_on_the_graph_wins() -> None:
    assert launches_us(2) < graph_launches_us(2)
    assert launches_us(3) > graph_launches_us(3)


def test_c42_the_wrong_cost_per_kernel_overstates_a_saving_eleven_times() -> None:
    assert launches_us(500) == pytest.approx(3_200)
    assert graph_launches_us(500) == pytest.approx(305)
    ratio = 6.4 / 0.58
    assert ratio == pytest.approx(11, rel=0.01)


@pytest.mark.parametrize("device", ["h100_sxm", "h200"])
def test_c46_simulated_steps_differ_by_less_than_what_is_known_of_them(device: str) -> None:
    megakernel_us, graph_us = steps_us(device)
    assert 1 < graph_us / megakernel_us < 1.05
