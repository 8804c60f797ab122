"""Statistics of samples: those of a record, and an interval that can be relied on."""

from __future__ import annotations

import random
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts import Record
from megasolve.gpu.harness.statistics import lower_median, median_interval, quantile, summarize

SAMPLES = st.lists(st.floats(0.5, 1e4), min_size=1, max_size=30)


@given(SAMPLES, st.floats(0, 1))
@settings(max_examples=50)
def test_quantiles_are_those_of_numpy(samples: list[float], share: float) -> None:
    assert quantile(sorted(samples), share) == pytest.approx(float(np.quantile(samples, share)), rel=1e-9)


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=9))
@settings(max_examples=30)
def test_the_median_is_the_one_that_a_record_of_the_samples_states(samples_ps: list[int]) -> None:
    samples_us = tuple(Decimal(sample).scaleb(-6) for sample in samples_ps)
    key = {"group": "B", "backend": "megakernel", "entries": ("B",), "budget_ctas": 1, "batch": 1, "precision": "bf16", "device": "h200"}
    provenance = {"kind": "measured", "source": "a test"}
    record = Record.model_validate({**key, "context": {}, "samples_us": samples_us, "provenance": provenance})
    assert lower_median(sorted(samples_ps)) == record.time_ps


@given(SAMPLES)
@settings(max_examples=20)
def test_the_interval_holds_the_median_and_lies_within_the_samples(samples: list[float]) -> None:
    found = summarize(samples)
    assert min(samples) <= found.low <= found.median <= found.high <= max(samples)
    assert summarize(samples) == found


def test_the_interval_holds_the_true_median_about_as_often_as_it_says() -> None:
    draw = random.Random(5)
    hits = 0
    for trial in range(100):
        samples = [draw.gauss(100.0, 5.0) for _ in range(31)]
        low, high = median_interval(samples, trial)
        hits += low <= 100.0 <= high
    assert 85 <= hits <= 100


def test_more_samples_tell_more() -> None:
    draw = random.Random(1)
    few, many = ([draw.gauss(100.0, 5.0) for _ in range(count)] for count in (10, 400))
    assert summarize(many).uncertainty < summarize(few).uncertainty / 2


def test_scatter_is_relative_and_nothing_is_said_of_times_that_are_not_positive() -> None:
    assert summarize([100.0] * 5).spread == 0
    assert summarize([90.0, 100.0, 110.0]).spread == pytest.approx(0.1)
    assert summarize([-1.0, 0.0, 1.0]).spread == float("inf")
    assert summarize([-1.0, 0.0, 1.0]).uncertainty == float("inf")


def test_no_sample_has_no_median() -> None:
    with pytest.raises(ValueError, match="no sample"):
        summarize([])
