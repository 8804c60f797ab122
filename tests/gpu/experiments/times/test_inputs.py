"""Inputs of one call by itself: exactly what it reads has values, and its answer is clear."""

from __future__ import annotations

import numpy as np
import pytest

from megasolve.gpu.experiments.times.inputs import call_trial, drawn_inputs, poisoned, timed_call
from megasolve.gpu.workloads.streamlet.model import model_of
from megasolve.gpu.workloads.streamlet.reference import margin
from megasolve.gpu.workloads.streamlet.trials import LEAST_MARGIN
from tests.support.kernels.streamlet import small

MODEL = model_of(small().spec.value, 2)
START = poisoned(MODEL, 3)
OUTPUTS = {"P": {"P.x", "P.logits", "k_cache"}, "B": {"B.x", "B.projected", "k_cache"}, "L": {"L.logits"}, "C": {"samples"}}
each_group = pytest.mark.parametrize("group", ["P", "B", "L", "C"])


@each_group
def test_a_call_reads_nothing_but_its_inputs(group: str) -> None:
    call = timed_call(MODEL, group)
    trial = call_trial(MODEL, START, call, seed=5)
    written = [name for name in OUTPUTS[group] if np.isfinite(np.asarray(trial.expected.view(name), float)).any()]
    assert set(written) == OUTPUTS[group]
    for name in OUTPUTS[group] - {"k_cache", "samples"}:
        assert np.isfinite(np.asarray(trial.expected.view(name), float)).all(), name
    assert margin(trial.expected, call) >= LEAST_MARGIN


@each_group
def test_what_a_call_writes_is_poisoned_before(group: str) -> None:
    call = timed_call(MODEL, group)
    before = drawn_inputs(MODEL, START, call, seed=5)
    for name in OUTPUTS[group] - {"k_cache"}:
        assert np.isnan(np.asarray(before.view(name), float)).all(), name


@each_group
def test_inputs_are_fresh_for_another_seed_and_weights_are_shared(group: str) -> None:
    call = timed_call(MODEL, group)
    first, again, other = (drawn_inputs(MODEL, START, call, seed) for seed in (1, 1, 2))
    assert first.weights is other.weights
    assert np.array_equal(first.ids, again.ids)
    assert np.array_equal(first.floats, again.floats, equal_nan=True)
    is_same = np.array_equal(first.ids, other.ids) and np.array_equal(first.floats, other.floats, equal_nan=True)
    assert not is_same


def test_a_step_is_timed_where_its_caches_are_as_full_as_its_program_says() -> None:
    call = timed_call(MODEL, "B")
    before = drawn_inputs(MODEL, START, call, seed=1)
    keys = np.asarray(before.view("k_cache"), float)
    assert call.number == MODEL.sizes.steps
    assert np.isfinite(keys[:, :, :, :-1]).all()
    assert np.isnan(keys[:, :, :, -1]).all()
