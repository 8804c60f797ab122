"""The wave rule, for elastic launches in the engine and for operators without tiles."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.published_tables import GRID_US, grid_time
from megasolve.simulate.events.graph import Admission
from megasolve.simulate.events.outcome import Outcome
from megasolve.simulate.events.waves import in_waves, opaque_compute_ps, opaque_ps, wave_factor
from tests.support.simulation.graphs import Sketch, finished

US = 10**6
counts_of_ctas = st.integers(1, 500)


def test_the_factor_counts_whole_waves() -> None:
    assert [wave_factor(grid, 131, 132) for grid in (132, 264, 400)] == [2, Fraction(3, 2), 1]


def test_only_the_compute_part_is_multiplied() -> None:
    duration_ps, demand = in_waves(500, 200, 1000, Fraction(3))
    assert duration_ps == 100 + 400 * 3
    assert demand == Fraction(200 * 500, 1300)


def test_a_task_that_only_moves_bytes_takes_the_same_time() -> None:
    assert in_waves(500, 1000, 1000, Fraction(3)) == (500, 1000)


@given(st.integers(1, 1000), st.integers(0, 1000), st.integers(1, 300), st.integers(1, 132), st.integers(1, 132))
def test_the_bytes_stay_and_the_demand_stays_within_the_bandwidth(
    duration_ps: int, demand: int, grid_ctas: int, held_ctas: int, resident_ctas: int
) -> None:
    longer_ps, stretched = in_waves(duration_ps, demand, 1000, wave_factor(grid_ctas, held_ctas, resident_ctas))
    assert longer_ps * stretched == duration_ps * demand
    assert 0 <= stretched <= 1000


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


def test_an_elastic_launch_starts_on_what_is_free_and_keeps_it() -> None:
    sketch = Sketch(capacity_ctas=132)
    sketch.single("producer", 88, 10)
    sketch.single("grid", 104, 10, admission=Admission.ELASTIC, resident_ctas=132)
    outcome = finished(sketch.graph())
    assert outcome.held == (88, 44)
    assert outcome.finish_of("grid") == 10 * 3


def test_an_elastic_launch_waits_for_the_first_free_cta() -> None:
    sketch = Sketch(capacity_ctas=132)
    sketch.single("all", 132, 10)
    sketch.single("grid", 104, 10, admission=Admission.ELASTIC, resident_ctas=132)
    assert finished(sketch.graph()).admitted == (0, 10)


def producer_beside(codec: str, producer_ctas: int) -> Outcome:
    """Observation 1 of the paper: a producer on 80 or 88 CTAs beside a codec on the 52 or 44 that remain.

    Alone the producer takes 1,000 us on 80 CTAs and 978 us on 88. The conventional codec has a grid of 104 and a record of
    500 us on 132 CTAs, of which 100 us are bytes over bandwidth. The codec megakernel takes 700 us on 52 and 720 us on 44.
    """
    sketch = Sketch(capacity_ctas=132, bandwidth_bytes_per_s=1000)
    sketch.single("producer", producer_ctas, {80: 1000, 88: 978}[producer_ctas] * US, demand=600)
    if codec == "conventional":
        sketch.single("codec", 104, 500 * US, demand=200, admission=Admission.ELASTIC, resident_ctas=132)
    else:
        rest = 132 - producer_ctas
        sketch.single("codec", rest, {52: 700, 44: 720}[rest] * US, demand=100)
    return finished(sketch.graph())


def test_observation_1_a_faster_kernel_makes_the_pair_slower_beside_an_elastic_codec() -> None:
    before, after = producer_beside("conventional", 80), producer_beside("conventional", 88)
    assert (before.held[1], after.held[1]) == (52, 44)
    assert before.finish_of("codec") == (100 + 400 * 2) * US  # ceil(104/52) = 2 waves
    assert after.finish_of("codec") == (100 + 400 * 3) * US  # ceil(104/44) = 3 waves
    assert after.finish_of("producer") == 978 * US
    assert (before.finish_of("producer"), before.finish_of("release 1"), after.finish_of("release 1")) == (1000 * US, 900 * US, 1300 * US)
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
