"""The wave rule for operators without tiles."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from megasolve.simulate.expand.waves import opaque_compute_ps, opaque_ps

COUNTS = st.integers(1, 500)


@given(st.integers(0, 10**9), st.integers(0, 10**6), COUNTS, COUNTS)
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
