"""The layers of a step are what repeats in it most, and what is around them stands by itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts.observe.structure.blocks import LayerBlock, find_blocks

LAYER = ["norm", "qkv", "attention", "out", "mlp"]


def test_layers_are_found_between_what_is_around_them() -> None:
    assert find_blocks(["embed", "mask", *LAYER * 24, "norm", "head"]) == (LayerBlock(2, 5, 24),)


def test_two_kinds_of_layers_are_two_blocks() -> None:
    other = ["norm", "linear", "gelu"]
    assert find_blocks(["embed", *LAYER * 9, "concat", *other * 12]) == (LayerBlock(1, 5, 9), LayerBlock(47, 3, 12))


def test_a_first_layer_that_differs_stands_by_itself() -> None:
    first = ["plain_norm", *LAYER[1:]]
    (block,) = find_blocks([*first, *LAYER * 11])
    assert (block.period, block.times) == (5, 11)
    assert block.end <= 60


def test_what_repeats_within_a_layer_is_none() -> None:
    assert find_blocks(["a", "gemm", "gemm", "gemm", "b", "c", "d", "e"]) == ()


def test_two_equal_halves_are_a_block_only_where_they_are_long() -> None:
    short, long = ["a", "b", "c", "d"], [f"k{number}" for number in range(20)]
    assert find_blocks(short * 2) == ()
    assert find_blocks(long * 2) == (LayerBlock(0, 20, 2),)


def test_nothing_repeats_in_nothing() -> None:
    assert find_blocks([]) == find_blocks(["gemm"]) == ()


@given(st.integers(3, 9), st.integers(3, 20), st.integers(0, 6), st.integers(0, 6))
def test_layers_of_different_kernels_are_found_whatever_is_around_them(period: int, times: int, before: int, after: int) -> None:
    layer = [f"layer{number}" for number in range(period)]
    kernels = [f"head{number}" for number in range(before)] + layer * times + [f"tail{number}" for number in range(after)]
    assert find_blocks(kernels) == (LayerBlock(before, period, times),)
