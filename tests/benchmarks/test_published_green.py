"""A served Qwen3-4B on green contexts: its programs are the published model, its plan has both signs, and a load is told by itself."""

from __future__ import annotations

import pytest

from benchmarks.published_derived import derived_us, shipped_study
from benchmarks.published_green import (
    BESIDE,
    GRAPHS,
    IN_TURN,
    KNOWN,
    PREFILL_MS,
    PRODUCTS_US,
    SHARED,
    SPLIT,
    STEPS_MS,
    Times,
    Way,
    of_sequences,
    product_us,
    queued_ms,
    settled,
    times_at,
)
from megasolve.contracts.sizes.symbols import symbol_values
from megasolve.simulate import Objective
from megasolve.solver import explain, solve
from megasolve.solver.explain.explanation import Explanation
from tests.support.planning.studies import SPECS
from tests.support.planning.totals import ProgramTotals, program_totals

LAYER = 2560 * (4096 + 2 * 1024) + 4096 * 2560 + 3 * 2560 * 9728
HEAD = 2560 * 151_936


def totals_of(group: str, batch: int, **symbols: int) -> ProgramTotals:
    study = shipped_study(GRAPHS, symbols=symbols)
    contract = next(one.value for one in study.contracts if one.value.members == (group,))
    assert contract.kernels == 472
    return program_totals(contract.programs[group], symbol_values(study.spec.value, group, batch))


def test_the_programs_have_the_weights_of_the_model_and_as_many_kernels_as_their_graphs() -> None:
    decode, prefill = totals_of("D", 12), totals_of("P", 12)
    assert decode.operators == prefill.operators == 472
    # Norms are what is left beside the matrices: less than a thousandth.
    for totals in (decode, prefill):
        assert 0 < totals.weight_bytes - 2 * (36 * LAYER + HEAD) < 10**7


def test_a_step_reads_the_published_604_mb_of_4096_keys() -> None:
    per_key = (totals_of("D", 1, context=4096).state_bytes - totals_of("D", 1, context=2048).state_bytes) / 2048
    assert per_key * 4096 == pytest.approx(604e6, rel=0.001)


def test_a_prefill_is_of_one_request_whatever_the_batch_of_decode() -> None:
    assert totals_of("P", 12) == totals_of("P", 24)


def test_the_partition_is_best_for_the_gap_between_tokens_and_serial_order_for_the_first_one() -> None:
    study = shipped_study(GRAPHS)
    best = {}
    for objective in (Objective.PRODUCER_STEP, Objective.FIRST_PUBLICATION):
        (result,) = solve(study, batches=[12], objective=objective).results
        best[objective] = next(row.id for row in result.ranking if row.id in (SHARED, SPLIT))
    assert best == {Objective.PRODUCER_STEP: SPLIT, Objective.FIRST_PUBLICATION: SHARED}
    found = explain(study, SPLIT, batch=12)
    assert isinstance(found, Explanation)
    assert found.paid_by_sides is not None
    step, chunk = found.paid_by_sides.sides
    # A prefill computes, so it loses with its SMs, and hardly more by the bandwidth that it shares; a step has most of that left.
    assert 0 < (step.paid or 0) < (chunk.paid or 0) < 170 / 138 - 1 + 0.01


def test_the_gap_without_a_partition_is_a_step_and_a_prefill_and_so_is_the_first_token() -> None:
    (result,) = solve(shipped_study(GRAPHS), batches=[12]).results
    times = {row.id: dict(row.times) for row in result.ranking}
    assert times[SHARED][Objective.PRODUCER_STEP] == times[SHARED][Objective.FIRST_PUBLICATION]
    assert times[SPLIT][Objective.PRODUCER_STEP] < times[SHARED][Objective.PRODUCER_STEP]
    assert times[SPLIT][Objective.FIRST_PUBLICATION] > times[SHARED][Objective.FIRST_PUBLICATION]


def test_a_recorded_prefill_on_all_sms_makes_the_one_on_fewer_faster() -> None:
    firsts = {}
    for spec in (GRAPHS, KNOWN):
        (result,) = solve(of_sequences(shipped_study(spec), 12)).results
        firsts[spec] = {row.id: dict(row.times)[Objective.FIRST_PUBLICATION] for row in result.ranking}
    assert all(firsts[KNOWN][way] < firsts[GRAPHS][way] for way in (SHARED, SPLIT))


def test_the_page_has_the_parts_as_they_come_out() -> None:
    study = shipped_study(GRAPHS, symbols={"context": 1024})
    steps = (derived_us(study, "D_graph", "D", batch=batch) / 1000 / theirs - 1 for batch, theirs in STEPS_MS.items())
    prefill = derived_us(study, "P_graph", "P", batch=1) / 1000 / PREFILL_MS - 1
    slow = sorted(product_us(study, *product) / theirs - 1 for product, theirs in PRODUCTS_US.items())
    page, method = ((SPECS.parent / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("published", "method"))
    assert f"| {', '.join(f'{100 * error:+.1f}' for error in steps)} % |" in page
    assert f"| prefill on all SMs | 44.0 ms | {100 * prefill:+.1f} % |" in page
    assert f"products of 1,024 rows {100 * slow[0]:.0f} to {100 * slow[-1]:.0f} %" in method


def test_the_page_has_the_gap_that_a_recorded_prefill_makes_at_12_sequences() -> None:
    gap = IN_TURN.figures[0]
    times = times_at(KNOWN, 12)
    page = (SPECS.parent / "docs" / "published.md").read_text(encoding="utf-8")
    assert f"| {100 * (times.first_ms / gap.published_ms[8] - 1):+.0f}, +12, -5 % |" in page


def line(step_ms: float, prefill_ms: float) -> Times:
    return Times(step_ms, prefill_ms, step_ms * 1.5, prefill_ms * 1.2, prefill_ms * 1.3)


def test_as_many_sequences_are_under_way_as_tokens_keep_pace_with() -> None:
    found = settled(lambda batch: line(6 + 0.1 * batch, 40), 8, IN_TURN)
    assert found is not None
    batch, times = found
    token_ms = IN_TURN.token_ms(times, 8)
    assert token_ms == pytest.approx(times.step_ms / (1 - 0.32))
    # Little's law: requests a second, times tokens of each, times how long a token takes.
    assert abs(127 * 8 * (token_ms or 0) / 1000 - batch) <= 0.5


@pytest.mark.parametrize("way", [IN_TURN, BESIDE])
def test_a_load_whose_prefills_take_all_the_time_has_no_end(way: Way) -> None:
    assert settled(lambda batch: line(6 + 0.1 * batch, 130), 8, way) is None


def test_a_load_in_which_each_sequence_needs_one_more_has_no_end() -> None:
    assert settled(lambda batch: line(6 + batch, 40), 8, IN_TURN) is None


def test_beside_prefills_a_token_takes_between_a_step_on_all_sms_and_one_on_a_part() -> None:
    times = line(8, 50)
    token_ms = BESIDE.token_ms(times, 8)
    assert token_ms is not None
    assert times.step_ms < token_ms < times.split_step_ms


def test_a_first_token_waits_for_the_prefills_ahead_of_it() -> None:
    assert queued_ms(50, 10) == pytest.approx(50 + 0.5 * 50 / (2 * 0.5))
    assert queued_ms(100, 10) is None
