"""The wave rule, and elastic launches in the engine."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from megasolve.simulate.events.graph import Admission
from megasolve.simulate.events.waves import in_waves, wave_factor
from tests.support.simulation.graphs import Sketch, finished


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
