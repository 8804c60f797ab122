"""The wave rule, for kernels wave by wave in the engine and for operators without tiles."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.published_tables import GRID_US, grid_time
from megasolve.simulate.events.engine import simulate
from megasolve.simulate.events.graph import KernelGrid
from megasolve.simulate.events.outcome import Deadlock, Outcome
from megasolve.simulate.events.waves import opaque_compute_ps, opaque_ps, wave_factor, wave_of
from tests.support.simulation.graphs import Sketch, finished

US = 10**6
CHECKOUT = Path(__file__).parents[3]
counts_of_ctas = st.integers(1, 500)


def test_the_factor_counts_whole_waves() -> None:
    assert [wave_factor(grid, 131, 132) for grid in (132, 264, 400)] == [2, Fraction(3, 2), 1]


def test_a_wave_moves_its_part_of_the_bytes_and_computes_as_long_as_any() -> None:
    grid = KernelGrid(ctas=264, per_sm=1, resident_ctas=132)
    assert wave_of(500, 200, 1000, grid, 66) == (100 // 4 + 400 // 2, 200 * 500 // 4)


def test_waves_that_only_move_bytes_take_the_time_of_their_bytes() -> None:
    assert [wave_of(500, 1000, 1000, KernelGrid(100, 1, 100), ctas)[0] for ctas in (100, 50, 20)] == [500, 250, 100]


@given(st.integers(1, 1000), st.integers(0, 1000), counts_of_ctas, counts_of_ctas)
def test_the_waves_of_a_kernel_move_all_of_its_bytes(duration_ps: int, demand: int, grid_ctas: int, ctas: int) -> None:
    waves = [min(ctas, grid_ctas - begin) for begin in range(0, grid_ctas, ctas)]
    assert sum(wave_of(duration_ps, demand, 1000, KernelGrid(grid_ctas, 1, 132), one)[1] for one in waves) == duration_ps * demand


@given(st.integers(1000, 10**6), st.integers(0, 1000), st.integers(1, 40), st.integers(1, 12), st.integers(1, 12))
def test_on_a_constant_share_a_kernel_follows_the_wave_rule(ps: int, demand: int, grid: int, held: int, resident: int) -> None:
    sketch = Sketch(capacity_ctas=held)
    sketch.kernel("kernel", grid, ps, demand=demand, resident_ctas=resident)
    memory = Fraction(ps * demand, 1000)
    rule = memory + (ps - memory) * wave_factor(grid, held, resident)
    assert finished(sketch.graph()).makespan == max(floor(rule), ps)


@given(st.integers(1000, 10**6), st.integers(0, 1000), st.integers(1, 500), st.integers(1, 3))
def test_alone_on_the_device_of_its_record_a_kernel_takes_its_own_time(ps: int, demand: int, grid: int, per_sm: int) -> None:
    sketch = Sketch(capacity_ctas=132)
    sketch.kernel("kernel", grid, ps, demand=demand, per_sm=per_sm, resident_ctas=132 * per_sm)
    assert finished(sketch.graph()).makespan == ps


@given(st.integers(0, 10**9), st.integers(0, 10**6), counts_of_ctas, counts_of_ctas)
def test_on_the_workers_of_its_record_an_operator_takes_its_own_time(time_ps: int, size: int, grid: int, workers: int) -> None:
    memory_ps = -(-size * 10**12 // 10**9)
    assert opaque_ps(time_ps, size, 10**9, grid_ctas=grid, workers=workers, resident_ctas=workers) == max(time_ps, memory_ps)


def test_part_of_a_picosecond_is_rounded_up() -> None:
    assert opaque_ps(10, 0, 10**12, grid_ctas=9, workers=9, resident_ctas=3) == 4
    assert opaque_compute_ps(10, 0, 10**12, grid_ctas=9, workers=9, resident_ctas=3) == 4


def test_bytes_that_take_longer_than_the_record_leave_no_compute() -> None:
    assert opaque_compute_ps(10, 11, 10**12, grid_ctas=4, workers=1, resident_ctas=4) == 0
    assert opaque_ps(10, 11, 10**12, grid_ctas=4, workers=1, resident_ctas=4) == 11


def test_each_further_wave_costs_the_compute_once_more() -> None:
    assert [opaque_ps(30, 10, 10**12, grid_ctas=264, workers=workers, resident_ctas=264) for workers in (264, 132, 88, 44)] == [
        30,
        50,
        70,
        130,
    ]


def test_a_kernel_starts_on_what_is_free_and_its_other_blocks_take_what_comes_free() -> None:
    sketch = Sketch(capacity_ctas=132)
    sketch.single("producer", 88, 10)
    sketch.kernel("kernel", 104, 10)
    outcome = finished(sketch.graph())
    assert [(one.start, one.ctas, one.sms) for one in outcome.waves] == [(0, 44, 44), (10, 60, 60)]
    assert outcome.finish_of("kernel") == 10 * 2


def test_a_short_kernel_that_finds_one_sm_is_not_left_on_it_for_all_its_waves() -> None:
    """A share that is fixed at admission would make 1,320 us of these 10 us."""
    sketch = Sketch(capacity_ctas=132)
    sketch.single("almost all", 131, 5 * US)
    sketch.kernel("kernel", 132, 10 * US)
    assert finished(sketch.graph()).finish_of("kernel") == 15 * US


def test_several_blocks_share_an_sm_and_the_last_one_may_be_half_empty() -> None:
    sketch = Sketch(capacity_ctas=4)
    sketch.kernel("kernel", 5, 10, per_sm=2, resident_ctas=8)
    sketch.kernel("beside", 2, 10, per_sm=2, resident_ctas=8)
    outcome = finished(sketch.graph())
    assert [(one.sms, one.start) for one in outcome.waves] == [(3, 0), (1, 0)]


def test_wide_kernels_alternate_and_narrow_ones_overlap() -> None:
    """Two chains of kernels, one each stream: the device is handed over at each end of a kernel, or shared."""
    ends = []
    for ctas in (132, 66):
        sketch = Sketch(capacity_ctas=132)
        for name in ("first", "second"):
            before: tuple[int, ...] = ()
            for index in range(3):
                before = (sketch.kernel(f"{name} {index}", ctas, 10, *before),)
        outcome = finished(sketch.graph())
        ends.append([outcome.finish_of(f"{name} {index}") for index in range(3) for name in ("first", "second")])
    assert ends == [[10, 20, 30, 40, 50, 60], [10, 10, 20, 20, 30, 30]]


def test_of_kernels_ready_at_one_instant_the_one_of_lower_priority_starts_first() -> None:
    sketch = Sketch(capacity_ctas=132)
    sketch.kernel("first", 132, 10, priority=1)
    sketch.kernel("second", 132, 10)
    outcome = finished(sketch.graph())
    assert (outcome.finish_of("second"), outcome.finish_of("first")) == (10, 20)


def test_waves_that_overlap_make_a_kernel_no_faster_than_alone() -> None:
    """Half of its bytes could hide behind the compute of its other half: nobody measured that."""
    sketch = Sketch(capacity_ctas=132)
    sketch.single("half", 66, 1)
    sketch.kernel("kernel", 132, 100, demand=500)
    outcome = finished(sketch.graph())
    assert [(one.start, one.finish) for one in outcome.waves] == [(0, 75), (1, 100)]


def test_a_kernel_waits_for_the_first_free_sm() -> None:
    sketch = Sketch(capacity_ctas=132)
    sketch.single("all", 132, 10)
    kernel = sketch.kernel("kernel", 104, 10)
    assert finished(sketch.graph()).start[kernel] == 10


def test_a_kernel_that_no_sm_is_left_for_is_named_in_the_deadlock() -> None:
    sketch = Sketch(capacity_ctas=132)
    launch, entry = sketch.launch("all", 132)
    kernel = sketch.kernel("kernel", 104, 10)
    sketch.release(launch, sketch.add("waits", 1, entry, kernel, launch=launch))
    deadlock = simulate(sketch.graph())
    assert isinstance(deadlock, Deadlock)
    assert deadlock.waiting == (("kernel", 1, 0),)
    assert "launch 'kernel' needs 1 CTAs" in str(deadlock)


def producer_beside(codec: str, producer_ctas: int) -> Outcome:
    """Observation 1 of the paper: a producer on 80 or 88 CTAs beside a codec on the 52 or 44 that remain.

    Alone the producer takes 1,000 us on 80 CTAs and 978 us on 88. The conventional codec has a grid of 104 and a record of
    500 us on 132 CTAs, of which 100 us are bytes over bandwidth. The codec megakernel takes 700 us on 52 and 720 us on 44.
    """
    sketch = Sketch(capacity_ctas=132, bandwidth_bytes_per_s=1000)
    sketch.single("producer", producer_ctas, {80: 1000, 88: 978}[producer_ctas] * US, demand=600)
    if codec == "conventional":
        sketch.kernel("codec", 104, 500 * US, demand=200)
    else:
        rest = 132 - producer_ctas
        sketch.single("codec", rest, {52: 700, 44: 720}[rest] * US, demand=100)
    return finished(sketch.graph())


def test_observation_1_a_faster_kernel_makes_the_pair_slower_beside_a_conventional_codec() -> None:
    before, after = producer_beside("conventional", 80), producer_beside("conventional", 88)
    assert [[one.ctas for one in outcome.waves] for outcome in (before, after)] == [[52, 52], [44, 44, 16]]
    assert before.finish_of("codec") == (100 + 400 * 2) * US  # ceil(104/52) = 2 waves
    assert after.finish_of("codec") == (100 + 400 * 3) * US  # ceil(104/44) = 3 waves
    assert after.finish_of("producer") == 978 * US
    assert (before.finish_of("producer"), before.finish_of("codec"), after.finish_of("codec")) == (1000 * US, 900 * US, 1300 * US)
    assert (before.makespan, after.makespan) == (1000 * US, 1300 * US)


def test_observation_1_the_same_kernel_makes_the_pair_faster_beside_a_codec_megakernel() -> None:
    before, after = producer_beside("megakernel", 80), producer_beside("megakernel", 88)
    assert (before.makespan, after.makespan) == (1000 * US, 978 * US)
    assert after.finish_of("codec") > before.finish_of("codec")


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


def test_c40_the_wave_rule_sees_a_bump_where_none_was_measured_and_misses_the_measured_one() -> None:
    ours = {grid: grid_time(grid) / grid_time(128) for grid in (192, 256, 384)}
    theirs = {grid: GRID_US[grid] / GRID_US[128] for grid in (192, 256, 384)}
    assert ours[192] == Fraction(4, 3)
    assert max(ours, key=lambda grid: ours[grid]) == 192
    assert max(theirs, key=lambda grid: theirs[grid]) == 256


@given(st.integers(1, 10_000))
def test_observation_2_waves_on_a_third_of_the_sms_explain_at_most_three_times_of_the_measured_seven(grid: int) -> None:
    assert wave_factor(grid, 44, 132) <= 3


def test_docs_sharing_has_the_rounds_of_observation_1() -> None:
    page = (CHECKOUT / "docs/sharing.md").read_text(encoding="utf-8")
    for grid in (88, 104, 132, 156, 208, 264):
        wide, tight = -(-grid // 52), -(-grid // 44)
        more = round(100 * float(wave_factor(grid, 44, 132) / wave_factor(grid, 52, 132) - 1))
        assert f"| {grid} | {wide} | {tight} | +{more} % |" in page
    lost_us, explained_us = 9760 - 1290, 2 * 1290
    assert f"{explained_us / 1000:.2f} ms, {round(100 * explained_us / lost_us)} %" in page
    assert f"{(lost_us - explained_us) / 1000:.2f} ms, {round(100 * (1 - explained_us / lost_us))} %" in page
