from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts.observe.steps.period import Repetition, find_repetition

_LAYER = ["norm", "qkv", "rope", "attention", "out", "norm", "up", "silu", "down"]


def step(layers: int) -> list[str]:
    """Return the kernels of one decode step: equal layers between an embedding and a head."""
    return ["embed", *_LAYER * layers, "head", "argmax"]


@pytest.mark.parametrize("layers", [1, 2, 24, 80])
@pytest.mark.parametrize("steps", [3, 8])
def test_the_period_is_the_step_and_not_the_layer_within(layers: int, steps: int) -> None:
    length = len(step(layers))
    starts = tuple(range(0, steps * length, length))
    assert find_repetition(step(layers) * steps) == Repetition(length, starts, 0)


def test_two_steps_suffice() -> None:
    assert find_repetition(step(24) * 2) == Repetition(219, (0, 219), 0)


def test_a_prologue_and_an_epilogue_are_in_no_step() -> None:
    prologue, epilogue = [f"prefill {n}" for n in range(300)], ["free", "copy"]
    found = find_repetition([*prologue, *step(4) * 5, *step(4)[:7], *epilogue])
    assert found == Repetition(39, (300, 339, 378, 417, 456), 0)


def test_a_few_kernels_that_differ_do_not_break_the_repetition() -> None:
    kernels = step(24) * 6
    kernels[500] = kernels[900] = "another"
    assert find_repetition(kernels) == Repetition(219, (0, 219, 438, 657, 876, 1095), 2)


def test_steps_before_an_extra_kernel_are_found_too() -> None:
    kernels = step(24) * 6
    kernels.insert(3 * 219 + 100, "extra")
    assert find_repetition(kernels) == Repetition(219, (0, 219, 438, 877, 1096), 0)


def test_a_step_starts_where_the_device_waits_longest() -> None:
    kernels = [*step(4)[-2:], *step(4) * 5]
    idle = [50 if kernel == "embed" else 3 for kernel in kernels]
    assert find_repetition(kernels) == Repetition(39, (0, 39, 78, 117, 156), 0)
    assert find_repetition(kernels, idle_ps=idle) == Repetition(39, (2, 41, 80, 119, 158), 0)


def test_no_step_is_given_up_for_a_wait() -> None:
    kernels = step(4) * 5
    assert find_repetition(kernels, idle_ps=[9 * (kernel == "head") for kernel in kernels]) == find_repetition(kernels)


def test_a_wait_that_does_not_stand_out_moves_no_step() -> None:
    kernels = [*step(4)[-2:], *step(4) * 5]
    assert find_repetition(kernels, idle_ps=[4 + (kernel == "embed") for kernel in kernels]) == find_repetition(kernels)


def test_a_layer_alone_is_its_own_period_where_nothing_stands_around_it() -> None:
    found = find_repetition(_LAYER * 24)
    assert found is not None
    assert (found.period, len(found.starts)) == (9, 24)


def test_one_kernel_again_and_again_has_period_one() -> None:
    assert find_repetition(["saxpy"] * 4) == Repetition(1, (0, 1, 2, 3), 0)


@pytest.mark.parametrize("kernels", [[], ["a"], ["a", "b", "c"], list(range(100))])
def test_nothing_repeats_where_nothing_runs_twice_in_a_row(kernels: list[object]) -> None:
    assert find_repetition([str(kernel) for kernel in kernels]) is None


def test_a_given_period_may_span_several_of_the_shortest() -> None:
    found = find_repetition(step(4) * 6, period=2 * 39)
    assert found == Repetition(78, (0, 78, 156), 0)


def test_a_given_period_that_does_not_repeat_finds_nothing() -> None:
    assert find_repetition(step(4) * 6, period=40) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=3, max_size=25), st.integers(3, 6), st.lists(st.integers(10, 99), max_size=10, unique=True))
def test_steps_never_overlap_and_hold_the_same_kernels(pattern: list[int], times: int, before: list[int]) -> None:
    kernels = [*before, *pattern * times]
    found = find_repetition(kernels)
    assert found is not None
    assert all(later - earlier >= found.period for earlier, later in zip(found.starts, found.starts[1:], strict=False))
    cut = [kernels[start : start + found.period] for start in found.starts]
    assert sum(mine != first for one in cut for mine, first in zip(one, cut[0], strict=True)) == found.differing
    assert found.covered * 2 >= len(pattern) * times
