"""Situations from the field whose subject is the simulation of launches; the numbers are those of the case list."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest

from megasolve.simulate.events.arithmetic import FLOAT
from megasolve.simulate.events.engine import StepLimitExceeded, simulate
from megasolve.simulate.events.graph import Admission, EventGraph
from megasolve.simulate.events.orders import deadlocks_under_some_order
from megasolve.simulate.events.outcome import Deadlock, Outcome
from tests.support.simulation.graphs import Sketch, finished

US = 10**6
MS = 10**9


def spinning_grid(blocks: int, resident: int, admission: Admission) -> EventGraph:
    sketch = Sketch(capacity_ctas=resident)
    sketch.single("grid with a barrier", blocks, MS, admission=admission)
    return sketch.graph()


@pytest.mark.parametrize("admission", [Admission.ORDINARY, Admission.COOPERATIVE])
def test_c17_a_grid_barrier_over_more_blocks_than_fit_is_a_deadlock(admission: Admission) -> None:
    resident = 56 * (2048 // 1024)
    deadlock = simulate(spinning_grid(128, resident, admission))
    assert isinstance(deadlock, Deadlock)
    assert deadlock.waiting[0].needs == 128
    assert finished(spinning_grid(112, resident, admission)).makespan == MS


def test_c17_the_blocks_that_fit_spin_on_the_sixteen_that_never_start() -> None:
    deadlock = simulate(spinning_grid(128, 112, Admission.ORDINARY))
    assert isinstance(deadlock, Deadlock)
    assert deadlock.waiting[0].needs - deadlock.waiting[0].has == 16


def chain_beside_a_gemm(gemm: tuple[int, Admission]) -> EventGraph:
    """Three communication kernels of one CTA in a chain, and a GEMM, all ready at once, the first of the chain first."""
    sketch = Sketch(capacity_ctas=132)
    ctas, admission = gemm
    first = sketch.single("comm1", 1, 200 * US)
    sketch.single("gemm", ctas, 3 * MS, admission=admission, resident_ctas=132)
    sketch.single("comm3", 1, 200 * US, sketch.single("comm2", 1, 200 * US, first))
    return sketch.graph()


def test_c19_all_or_nothing_makes_a_chain_wait_for_a_gemm_that_fills_the_device() -> None:
    outcome = finished(chain_beside_a_gemm((132, Admission.COOPERATIVE)))
    assert [outcome.finish_of(name) for name in ("comm1", "gemm", "comm2", "comm3")] == [200 * US, 3200 * US, 3400 * US, 3600 * US]


@pytest.mark.parametrize(("grid", "gemm_ps"), [(132, 6 * MS), (264, 4_500 * US), (400, 3 * MS)])
def test_c19_holding_one_sm_back_is_free_only_for_some_grids(grid: int, gemm_ps: int) -> None:
    outcome = finished(chain_beside_a_gemm((grid, Admission.ELASTIC)))
    assert outcome.held[1] == 131
    assert outcome.finish_of("gemm") == gemm_ps
    assert outcome.finish_of("comm3") == 600 * US


def spinning_blocks(order: Sequence[str], slots: int) -> EventGraph:
    """One launch per block: a consumer holds its slot while it waits for the last producer."""
    sketch = Sketch(capacity_ctas=slots)
    launches = [sketch.launch(f"{role} {index}", 1) for index, role in enumerate(order)]
    producers = [
        sketch.add("produce", 10, entry, launch=launch) for role, (launch, entry) in zip(order, launches, strict=True) if role == "producer"
    ]
    ends = iter(producers)
    for role, (launch, entry) in zip(order, launches, strict=True):
        work = next(ends) if role == "producer" else sketch.add("consume", 10, entry, *producers[-1:], launch=launch)
        sketch.release(launch, work)
    return sketch.graph()


def test_c20_blocks_that_spin_on_blocks_without_a_slot_deadlock() -> None:
    deadlock = simulate(spinning_blocks(["consumer"] * 1280 + ["producer"] * 8, 1280))
    assert isinstance(deadlock, Deadlock)
    assert (len(deadlock.holding), len(deadlock.waiting), deadlock.free_ctas) == (1280, 8, 0)
    assert "'consumer 0' holds 1 and waits on 'producer 1287'" in str(deadlock)
    assert str(deadlock).endswith("and 1276 more.")


def test_c20_producers_first_or_a_grid_that_fits_is_feasible() -> None:
    assert isinstance(simulate(spinning_blocks(["producer"] * 1280 + ["consumer"] * 1280, 1280)), Outcome)
    assert isinstance(simulate(spinning_blocks(["consumer"] * 1272 + ["producer"] * 8, 1280)), Outcome)


def test_c20_a_feasible_order_is_reported_as_a_deadlock_under_another() -> None:
    found = deadlocks_under_some_order(spinning_blocks(["producer", "consumer", "consumer"], 2))
    assert [len(deadlock.order) for deadlock in found] == [3, 3]
    assert all(deadlock.order[-1] == "producer 0" for deadlock in found)


def test_c22_four_launches_that_fill_the_device_to_the_last_cta_run_together() -> None:
    budgets = (47, 43, 23, 19)
    assert 47 / 132 + 43 / 132 + 23 / 132 + 19 / 132 > 1.0
    sketch = Sketch(capacity_ctas=132)
    for budget in budgets:
        sketch.single(f"launch of {budget}", budget, MS)
    assert finished(sketch.graph()).admitted == (0, 0, 0, 0)


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


def three_that_end_together(*, no_op: bool) -> Outcome:
    """A, B and C release 44 CTAs each at one instant; X needs 88 and Y 44."""
    sketch = Sketch(capacity_ctas=132)
    for name in "ABC":
        sketch.single(name, 44, 10 * US)
    if no_op:
        sketch.add("no-op", 0, sketch.add("timer", 10 * US))
    sketch.single("X", 88, US)
    sketch.single("Y", 44, US)
    return finished(sketch.graph())


def test_c69_all_completions_of_an_instant_come_before_any_admission() -> None:
    outcome = three_that_end_together(no_op=False)
    assert outcome.admitted[3:] == (10 * US, 10 * US)


def test_c69_an_event_that_does_nothing_changes_nothing() -> None:
    assert three_that_end_together(no_op=True).admitted == three_that_end_together(no_op=False).admitted


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


@pytest.mark.parametrize("arithmetic_settings", [{}, {"arithmetic": FLOAT}], ids=["exact", "float"])
def test_c70_events_that_coincide_are_one_instant_after_rates_of_a_third(arithmetic_settings: dict[str, object]) -> None:
    assert 0.1 + 0.1 + 0.1 != 0.3
    outcome = simulate(ten_steps_beside_a_timer(), **arithmetic_settings)  # type: ignore[arg-type]
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
