"""Calibration: the factor with which a simulated standalone run reproduces its record, or why there is none to be had."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts import Study
from megasolve.simulate.expand.setup import Mechanisms
from megasolve.solver import Calibration, Derived, service_table
from megasolve.solver.evidence.calibration import TOLERANCE, calibrate, calibration_facts, calibration_from, fitted
from megasolve.solver.evidence.tile_times import TiledCall, call_of, derive
from tests.support.planning.programs import decoding, fused, kernels, operator
from tests.support.planning.studies import Fields, record

# Eight tiles of 10 us on four workers, two rounds, and 1.6 us of transfers.
COMPUTING = (operator("A", tiles=8, compute_us=10, weight_bytes=200_000),)


def call(*operators: Fields) -> TiledCall:
    asked = decoding(kernels(*operators))
    return call_of(asked, asked.contracts[0].value, "D", budget_ctas=4, batch=1, shapes={})


def calibration(recorded_us: float, *operators: Fields) -> Calibration:
    return calibrate(call(*operators), int(recorded_us * 10**6), Mechanisms())


def rows(asked: Study) -> dict[str, tuple[int | None, tuple[Calibration, ...]]]:
    return {row.key.entry: (row.time_ps, row.calibrations) for row in service_table(asked).rows}


def test_a_run_that_reproduces_its_record_keeps_its_times() -> None:
    plain = derive(call(*COMPUTING))
    assert isinstance(plain, Derived)
    for record_ps in (plain.duration_ps, plain.duration_ps * 1009 // 1000, plain.duration_ps * 991 // 1000):
        found = calibrate(call(*COMPUTING), record_ps, Mechanisms())
        assert (found.factor, found.simulated_ps, found.finding) == (Fraction(1), plain.duration_ps, None)


@settings(max_examples=40)
@given(st.integers(8, 60))
def test_a_factor_reproduces_the_record_within_the_tolerance(recorded_us: int) -> None:
    found = calibration(recorded_us, *COMPUTING)
    assert found.finding is None
    assert abs(found.simulated_ps - found.record_ps) <= TOLERANCE * found.record_ps


@settings(max_examples=100)
@given(st.integers(0, 10**6), st.integers(1, 10**6), st.fractions(Fraction(1, 100), Fraction(100)))
def test_a_time_that_is_linear_in_the_factor_is_fitted_or_called_memory_bound(memory: int, compute: int, true: Fraction) -> None:
    record_ps = round(1000 * (memory + compute * true))
    factor, simulated, finding = fitted(lambda factor: round(1000 * (memory + compute * factor)), record_ps, TOLERANCE)
    if finding and "memory-bound" in finding:
        assert factor == 1
        assert compute <= TOLERANCE * (memory + compute)
    else:
        assert abs(simulated - record_ps) <= TOLERANCE * record_ps
        assert (finding is not None) == (not Fraction(1, 5) <= factor <= 5)


def test_compute_that_hides_behind_the_transfers_is_not_calibrated() -> None:
    found = calibration(12, operator("A", tiles=8, compute_us=0.01, weight_bytes=1_000_000, staging_bytes=0))
    assert found.factor == 1
    assert found.finding == "memory-bound, so no factor on compute explains the difference: simulated 8.010 us, recorded 12.000 us"


def test_a_record_below_the_time_of_the_transfers_is_a_finding() -> None:
    found = calibration(3, operator("A", compute_us=4, weight_bytes=6_000_000, staging_bytes=0))
    assert found.factor == 1
    assert found.finding is not None
    assert found.finding.startswith("the transfers alone take 6.000 us, longer than the record")


def test_an_implausible_factor_is_kept_and_called_so() -> None:
    found = calibration(80, operator("A", compute_us=10))
    assert found.factor == 8
    assert found.finding == "implausible: a factor of 8 is outside of 0.2 to 5.0; simulated 10.000 us, recorded 80.000 us"


def test_times_that_jump_over_the_record_are_not_calibrated() -> None:
    factor, simulated, finding = fitted(lambda factor: 100 if factor <= 2 else 300, 200, TOLERANCE)
    assert (factor, simulated) == (Fraction(1), 100)
    assert finding == "memory-bound, so no factor on compute explains the difference: simulated 0.000 us, recorded 0.000 us"
    factor, simulated, finding = fitted(lambda factor: int(100 * factor) if factor <= 1 else 300, 200, TOLERANCE)
    assert (factor, simulated) == (Fraction(1), 100)
    assert finding is not None
    assert finding.startswith("no factor comes within 1.0% of the record")


def test_a_program_that_cannot_run_is_not_calibrated_and_says_why() -> None:
    stuck = calibration(3, operator("A", compute_us=4, staging_bytes=10**9))
    unknown = calibration(3, operator("A", tiles="layers", compute_us=4))
    assert [one.factor for one in (stuck, unknown)] == [1, 1]
    assert stuck.finding is not None
    assert "needs 1000000000 bytes of staging" in stuck.finding
    assert unknown.finding == "cannot be calibrated: symbol 'layers' has no value"


def test_the_factor_of_a_kernel_is_that_of_the_same_operator_in_a_megakernel() -> None:
    loose, entry = kernels(operator("A", compute_us=10)), fused(operator("A", compute_us=10), operator("B", "A", compute_us=10))
    found = rows(decoding(loose, entry, records=[record(loose, "D", 20, 4)]))
    (made,) = found["D"][1]
    assert (made.factor, found["D"][0], found["D_graph"][0]) == (Fraction(2), 30_000_000, 20_000_000)


def test_a_calibrated_time_says_to_what_it_was_calibrated() -> None:
    loose, entry = kernels(operator("A", compute_us=10)), fused(operator("A", compute_us=10))
    table = service_table(decoding(loose, entry, records=[record(loose, "D", 20, 4)]))
    (use,) = (row.use for row in table.rows if row.key.entry == "D")
    assert use is not None
    assert use.record.provenance.source.endswith("; calibrated to records of D_graph: compute of A x 2")


def test_without_a_record_nothing_is_calibrated() -> None:
    found = rows(decoding(kernels(*COMPUTING), fused(*COMPUTING)))
    assert [calibrations for _, calibrations in found.values()] == [(), ()]


def test_kernels_with_records_of_their_own_have_factors_of_their_own() -> None:
    first = kernels(operator("A", compute_us=10), entry="first", order=1)
    second = kernels(operator("B", compute_us=10), entry="second", order=2)
    entry = fused(operator("A", compute_us=10), operator("B", "A", compute_us=10))
    recorded = [record(first, "D", 20, 4), record(second, "D", 15, 4)]
    found = rows(decoding(first, second, entry, records=recorded))
    assert [one.factor for one in found["D"][1]] == [2, Fraction(3, 2)]
    assert found["D"][0] == 35_000_000
    assert [one.factor for one in found["second"][1]] == [Fraction(3, 2)]


def test_of_two_implementations_the_first_by_name_calibrates() -> None:
    fast, slow = (kernels(operator("A", compute_us=10), entry=f"{name}_D", implementation=name) for name in ("fast", "slow"))
    recorded = [record(fast, "D", 20, 4), record(slow, "D", 40, 4)]
    found = rows(decoding(slow, fast, fused(operator("A", compute_us=10)), records=recorded))
    assert found["D"][0] == 20_000_000


def test_opaque_operators_are_observed_and_never_scaled() -> None:
    observed = {"name": "O", "kind": "opaque", "grid_ctas": 4, "duration_us": 10, "hbm_bytes": 0, "resident_ctas": 4}
    found = calibration(40, operator("A", compute_us=10), {**observed, "after": [{"operator": "A"}]})
    assert (found.operators, found.factor, found.simulated_ps) == (("A",), Fraction(3), 40_000_000)


def test_what_the_cache_keeps_is_read_back_whole() -> None:
    for found in (calibration(30, *COMPUTING), calibration(80, operator("A", compute_us=10))):
        assert calibration_from(calibration_facts(found)) == found


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("entry", 1),
        ("operators", "A"),
        ("operators", [None]),
        ("factor", 2),
        ("factor", "-2"),
        ("simulated_ps", "x"),
        ("simulated_ps", 1.5),
        ("record_ps", 0),
        ("finding", 3),
        ("more", 1),
    ],
)
def test_facts_with_one_false_value_are_no_calibration(name: str, value: Any) -> None:
    facts = calibration_facts(calibration(30, *COMPUTING))
    with pytest.raises(ValueError, match="expected"):
        calibration_from({**facts, name: value})
