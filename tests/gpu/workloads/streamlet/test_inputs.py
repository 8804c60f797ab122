"""Inputs of one call by itself: exactly what it reads has values, and its answer is clear."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from megasolve.gpu.programs.arenas import Arenas
from megasolve.gpu.workloads.streamlet.inputs import drawn_inputs, poisoned, timed_call
from megasolve.gpu.workloads.streamlet.model import model_of
from megasolve.gpu.workloads.streamlet.reference import reference
from tests.support.kernels.streamlet import small

MODEL = model_of(small().spec.value, 2)
START = poisoned(MODEL, 3)
OUTPUTS = {"P": {"P.x", "P.logits", "k_cache"}, "B": {"B.x", "B.projected", "k_cache"}, "L": {"L.logits"}, "C": {"samples"}}
each_group = pytest.mark.parametrize("group", ["P", "B", "L", "C"])


def before(group: str, seed: int) -> Arenas:
    return replace(drawn_inputs(MODEL, timed_call(MODEL, group), seed), weights=START.weights)


@each_group
def test_a_call_reads_nothing_but_its_inputs(group: str) -> None:
    expected = reference(MODEL, before(group, 5), [timed_call(MODEL, group)])
    written = [name for name in OUTPUTS[group] if np.isfinite(np.asarray(expected.view(name), float)).any()]
    assert set(written) == OUTPUTS[group]
    for name in OUTPUTS[group] - {"k_cache", "samples"}:
        assert np.isfinite(np.asarray(expected.view(name), float)).all(), name


@each_group
def test_what_a_call_writes_is_poisoned_before(group: str) -> None:
    for name in OUTPUTS[group] - {"k_cache"}:
        assert np.isnan(np.asarray(before(group, 5).view(name), float)).all(), name


@each_group
def test_inputs_are_fresh_for_another_seed(group: str) -> None:
    first, again, other = (before(group, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.ids, again.ids)
    assert np.array_equal(first.floats, again.floats, equal_nan=True)
    is_same = np.array_equal(first.ids, other.ids) and np.array_equal(first.floats, other.floats, equal_nan=True)
    assert not is_same


def test_a_step_is_timed_where_its_caches_are_as_full_as_its_program_says() -> None:
    keys = np.asarray(before("B", 1).view("k_cache"), float)
    assert timed_call(MODEL, "B").number == MODEL.sizes.steps
    assert np.isfinite(keys[:, :, :, :-1]).all()
    assert np.isnan(keys[:, :, :, -1]).all()
