"""Who is admitted, and when: whole launches, kernels wave by wave, and all that ends at one instant; cases from the field."""

from __future__ import annotations

import pytest

from megasolve.simulate.events.engine import simulate
from megasolve.simulate.events.graph import Admission, EventGraph
from megasolve.simulate.events.outcome import Outcome
from tests.support.simulation.graphs import Sketch, finished

US = 10**6


MS = 10**9


def chain_beside_a_gemm(ctas: int, *, is_kernel: bool) -> EventGraph:
    """Three communication kernels of one CTA in a chain, and a GEMM, all ready at once, the first of the chain first."""
    sketch = Sketch(capacity_ctas=132)
    first = sketch.single("comm1", 1, 200 * US)
    if is_kernel:
        sketch.kernel("gemm", ctas, 3 * MS)
    else:
        sketch.single("gemm", ctas, 3 * MS)
    sketch.single("comm3", 1, 200 * US, sketch.single("comm2", 1, 200 * US, first))
    return sketch.graph()


def test_c19_all_or_nothing_makes_a_chain_wait_for_a_gemm_that_fills_the_device() -> None:
    outcome = finished(chain_beside_a_gemm(132, is_kernel=False))
    assert [outcome.finish_of(name) for name in ("comm1", "gemm", "comm2", "comm3")] == [200 * US, 3200 * US, 3400 * US, 3600 * US]


@pytest.mark.parametrize(("grid", "gemm_us", "chain_us"), [(132, 3200, 3400), (264, 3200, 3400), (400, 3000, 2650)])
def test_c19_blocks_that_are_left_take_an_sm_that_comes_free_before_kernels_that_are_ready_later(
    grid: int, gemm_us: int, chain_us: int
) -> None:
    outcome = finished(chain_beside_a_gemm(grid, is_kernel=True))
    assert [(one.ctas, one.start) for one in outcome.waves[:2]] == [(131, 0), (1, 200 * US)]
    assert (outcome.finish_of("gemm"), outcome.finish_of("comm3")) == (gemm_us * US, chain_us * US)


@pytest.mark.parametrize(("grid", "gemm_ps"), [(132, 6 * MS), (264, 4_500 * US), (400, 3 * MS)])
def test_c19_holding_one_sm_back_is_free_only_for_some_grids(grid: int, gemm_ps: int) -> None:
    sketch = Sketch(capacity_ctas=132)
    sketch.single("held back", 1, 10 * MS)
    sketch.kernel("gemm", grid, 3 * MS)
    assert finished(sketch.graph()).finish_of("gemm") == gemm_ps


def test_c22_four_launches_that_fill_the_device_to_the_last_cta_run_together() -> None:
    budgets = (47, 43, 23, 19)
    assert 47 / 132 + 43 / 132 + 23 / 132 + 19 / 132 > 1.0
    sketch = Sketch(capacity_ctas=132)
    for budget in budgets:
        sketch.single(f"launch of {budget}", budget, MS)
    assert finished(sketch.graph()).admitted == (0, 0, 0, 0)


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
