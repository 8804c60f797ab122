"""What a longer first chunk costs: a step per frame; cases from the field."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.support.planning.answers import first, scores_ms
from tests.support.planning.studies import conventional, group, record, spec, study


def chunked(first_chunk: int, step_us: float, fixed_us: float) -> Fraction:
    """The first publication, in ms, of a stream with d = l = 0; prefill and first decode share the fixed part."""
    kernels = [conventional("P"), conventional("B"), conventional("C")]
    known = [record(kernel, name, us) for kernel, name, us in zip(kernels, "PBC", (fixed_us - 30_000, step_us, 30_000), strict=True)]
    groups = [group("P", "admission"), group("B", "producer"), group("C", "consumer")]
    return scores_ms(first(study(spec(groups, stream={"first_chunk": first_chunk}), kernels, known)))["c:P/c:B/c:C@serial"]


@pytest.mark.parametrize(("frames", "predicted_ms"), [(2, "232.7"), (10, "794.3"), (25, "1847.3")])
def test_c47_the_first_chunk_costs_a_step_per_frame(frames: int, predicted_ms: str) -> None:
    assert chunked(frames, 70_200, 92_300) == Fraction(predicted_ms)


def test_c47_the_measured_slope_is_the_step() -> None:
    assert chunked(25, 70_200, 92_300) - chunked(2, 70_200, 92_300) == 23 * Fraction("70.2")
    assert round((1851 - 233) / 23, 1) == pytest.approx(70.2, abs=0.15)


@pytest.mark.parametrize(
    ("frames", "from_slope", "from_component", "measured"),
    [(2, 265, 276, 266), (4, 362, 384, 362), (8, 557, 600, 556), (12, 752, 816, 753)],
)
def test_c48_an_instrumented_step_predicts_too_much(frames: int, from_slope: int, from_component: int, measured: int) -> None:
    assert int(chunked(frames, 48_700, 167_700)) == from_slope
    component = chunked(frames, 54_000, 167_700)
    assert round(component) == from_component
    assert 1.03 < float(component) / measured < 1.09
