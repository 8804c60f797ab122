"""Exact times under contention: rates that are shared, instants that coincide, times beyond 64 bits; cases from the field."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest

from megasolve.simulate.events.arithmetic import FLOAT, Arithmetic
from megasolve.simulate.events.engine import StepLimitExceeded, simulate
from megasolve.simulate.events.graph import EventGraph
from megasolve.simulate.events.outcome import Outcome
from tests.support.simulation.graphs import Sketch, finished

MS = 10**9


def gemm_and_copies(copy_demands: Sequence[int]) -> EventGraph:
    sketch = Sketch(capacity_ctas=142, bandwidth_bytes_per_s=864)
    sketch.single("gemm", 128, MS, demand=864)
    for demand in copy_demands:
        sketch.single("copy", 1, MS, demand=demand)
    return sketch.graph()


@pytest.mark.parametrize(("copy_demand", "slowdown"), [(864, Fraction(2)), (100, Fraction(964, 864))])
def test_c35_sms_suffice_and_bandwidth_does_not(copy_demand: int, slowdown: Fraction) -> None:
    outcome = finished(gemm_and_copies([copy_demand]))
    assert outcome.admitted == (0, 0)
    assert outcome.finish_of("gemm") == outcome.finish_of("copy") == slowdown * MS


def test_c35_the_second_copy_is_admitted_too() -> None:
    assert finished(gemm_and_copies([100, 100])).admitted == (0, 0, 0)


def ten_steps_beside_a_timer() -> EventGraph:
    """Ten steps of a tenth, stretched to three times their time by contention, and a timer that ends with the last."""
    sketch = Sketch(capacity_ctas=132, bandwidth_bytes_per_s=1)
    after: tuple[int, ...] = ()
    for index in range(10):
        after = (sketch.add(f"step {index}", 100, *after, demand=1),)
    for name in "ab":
        sketch.add(f"load {name}", 1000, demand=1)
    sketch.single("producer", 132, 3000)
    sketch.single("consumer", 132, 1000, after[0])
    return sketch.graph()


@pytest.mark.parametrize("arithmetic", Arithmetic, ids=lambda arithmetic: arithmetic.value)
def test_c70_events_that_coincide_are_one_instant_after_rates_of_a_third(arithmetic: Arithmetic) -> None:
    assert 0.1 + 0.1 + 0.1 != 0.3
    outcome = simulate(ten_steps_beside_a_timer(), arithmetic=arithmetic)
    assert isinstance(outcome, Outcome)
    assert outcome.finish_of("step 9") == outcome.finish_of("load a") == outcome.released[0] == outcome.admitted[1] == 3000


def test_c70_time_never_runs_backwards() -> None:
    for outcome in (simulate(ten_steps_beside_a_timer()), simulate(ten_steps_beside_a_timer(), arithmetic=FLOAT)):
        assert isinstance(outcome, Outcome)
        assert all(start <= finish for start, finish in zip(outcome.start, outcome.finish, strict=True))


def test_c71_times_beyond_32_and_64_bits_are_exact() -> None:
    sketch = Sketch()
    late = sketch.add("3 s in ns", 3_000_000_000 * 1000)
    sketch.add("beyond 64 bits", 2**63, late)
    assert finished(sketch.graph()).finish == (3_000_000_000_000, 3_000_000_000_000 + 2**63)


def test_c71_a_simulation_that_runs_too_long_stops_and_says_so() -> None:
    sketch = Sketch()
    after: tuple[int, ...] = ()
    for index in range(20):
        after = (sketch.add(f"step {index}", MS, *after),)
    with pytest.raises(StepLimitExceeded, match="stopped after 10 instants at 11 ms with 10 of 20 nodes done"):
        simulate(sketch.graph(), step_limit=10)


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


def test_c70_three_tasks_at_a_third_of_the_rate_end_together_and_exactly() -> None:
    sketch = Sketch(bandwidth_bytes_per_s=3)
    ends = [sketch.add(name, 7, demand=3) for name in "abc"]
    after = sketch.add("after", 1, *ends)
    outcome = simulate(sketch.graph())
    assert isinstance(outcome, Outcome)
    assert [outcome.finish[node] for node in (*ends, after)] == [21, 21, 21, 22]
