"""Trials: clear inputs, the reference, and differences that are found wherever they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from megasolve.gpu.errors import GpuError
from megasolve.gpu.programs.arenas import Arenas, from_bfloat16, to_bfloat16
from megasolve.gpu.programs.group_calls import Call, serial_calls
from megasolve.gpu.workloads.comparing import TOLERANCE
from megasolve.gpu.workloads.streamlet.model import model_of
from megasolve.gpu.workloads.streamlet.reference import margin, reference
from megasolve.gpu.workloads.streamlet.trials import LEAST_MARGIN, Trial, differences, largest_distance, trial
from tests.support.kernels.streamlet import small, small_with

SPEC = small().spec.value
WHOLE = serial_calls(SPEC)


@pytest.fixture(scope="module")
def asked() -> Trial:
    """A trial of everything up to the first publication."""
    return trial(model_of(SPEC, 3), WHOLE, seed=1)


def test_equal_seeds_give_equal_inputs_and_others_do_not(asked: Trial) -> None:
    model = model_of(SPEC, 3)
    again, other = trial(model, WHOLE, seed=1), trial(model, WHOLE, seed=2)
    assert np.array_equal(asked.before.weights, again.before.weights)
    assert not np.array_equal(asked.before.weights, other.before.weights)


def test_what_nobody_has_written_is_poisoned(asked: Trial) -> None:
    written = {"state"}
    for name, tensor in asked.before.layout.tensors.items():
        if tensor.arena == "floats":
            assert np.isnan(np.asarray(asked.before.view(name), float)).all() == (name not in written), name


def test_every_activation_has_a_value_in_the_end(asked: Trial) -> None:
    partly_used = {"k_cache", "v_cache", "samples"}
    for name, tensor in asked.expected.layout.tensors.items():
        if tensor.arena == "floats" and name not in partly_used:
            assert np.isfinite(np.asarray(asked.expected.view(name), float)).all(), name


def test_the_reference_of_a_run_is_that_of_its_parts() -> None:
    model = model_of(SPEC, 2)
    whole = trial(model, WHOLE, seed=4)
    first = reference(model, whole.before, WHOLE[:5])
    second = reference(model, first, WHOLE[5:])
    np.testing.assert_array_equal(second.floats, whole.expected.floats)
    np.testing.assert_array_equal(second.ids, whole.expected.ids)


def test_a_later_call_starts_from_what_the_earlier_ones_left_in_float32() -> None:
    model = model_of(SPEC, 2)
    asked = trial(model, [Call("L", 1)], 4, WHOLE[:2])
    assert asked.before.floats.dtype == np.float32
    assert np.isfinite(np.asarray(asked.before.view("B.x"), float)).all()
    assert np.isnan(np.asarray(asked.before.view("L.logits"), float)).all()


def test_the_two_best_tokens_of_every_step_are_clearly_apart(asked: Trial) -> None:
    now = asked.before.copied(np.float64)
    for call in WHOLE:
        now = reference(model_of(SPEC, 3), now, [call])
        assert margin(now, call) >= LEAST_MARGIN


def test_inputs_whose_tokens_are_too_close_are_drawn_anew() -> None:
    model = model_of(SPEC, 1)
    assert trial(model, WHOLE[:3], seed=0, least_margin=0.3).draws > 1
    with pytest.raises(GpuError, match="200 random inputs had two best tokens closer than 100"):
        trial(model, [Call("P")], seed=0, least_margin=100)


def test_a_vocabulary_of_one_token_leaves_nothing_to_mistake() -> None:
    model = model_of(small_with(vocab=1).spec.value, 2)
    assert not trial(model, WHOLE[:3], seed=0).expected.view("tokens").any()


def swap_tokens(arenas: Arenas) -> None:
    arenas.view("tokens")[1, 0, 0] += 1


def forget(arenas: Arenas) -> None:
    arenas.view("B.x")[0, 3] = np.nan


def spill(arenas: Arenas) -> None:
    arenas.view("k_cache")[0, 0, 0, -1, 0] = 1.0


def drift(arenas: Arenas) -> None:
    arenas.view("samples")[0] *= 1 + 2 * TOLERANCE


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (swap_tokens, "tokens: 1 of 24 tokens differ from the reference"),
        (forget, "B.x: 1 of 96 elements were never written, or written as NaN"),
        (spill, "k_cache: 1 of 1056 elements were written that no call writes"),
        (drift, r"samples: relative L2 distance 0.02 > 0.01 to the reference"),
    ],
)
def test_each_kind_of_difference_is_named(asked: Trial, damage: Callable[[Arenas], None], message: str) -> None:
    arenas = asked.expected.copied(np.float32)
    assert differences(arenas, asked.expected) == ()
    damage(arenas)
    assert [str(difference) for difference in differences(arenas, asked.expected)] == [message]


def test_rounding_to_float32_is_no_difference(asked: Trial) -> None:
    assert 0 < largest_distance(asked.expected.copied(np.float32), asked.expected) < 1e-6


def test_bfloat16_rounds_to_nearest_and_ties_to_even() -> None:
    values = np.array([1.0, -2.5, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, 3.0e38], np.float64)
    expected = [1.0, -2.5, 1.0, 1 + 2**-6, 1 + 2**-7, from_bfloat16(to_bfloat16(values[5:]))[0]]
    assert from_bfloat16(to_bfloat16(values)).tolist() == expected
    assert abs(expected[5] / 3.0e38 - 1) < 2**-8
