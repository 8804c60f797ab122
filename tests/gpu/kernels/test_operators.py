"""Every operator of the kernels against float64, in tiles of several sizes and blocks of every size, by the source that a GPU runs."""

from __future__ import annotations

import numpy as np
import pytest

from megasolve.gpu.programs.operations import OPERATIONS
from megasolve.gpu.programs.operators.elementwise import FUNCTIONS
from tests.support.kernels.cases import (
    ELEMENTWISE,
    attention,
    conv_transpose1d,
    elementwise,
    embedding,
    every_operation,
    kv_append,
    norm,
    product,
    rotary,
    sampling,
    step,
)
from tests.support.toolchain import needs_host_compiler

pytestmark = needs_host_compiler
each_block_size = pytest.mark.parametrize("threads", [128, 256, 512])
each_row_cut = pytest.mark.parametrize("tile_rows", [1, 3, 16])
prefill_and_decode = pytest.mark.parametrize(("tokens", "position"), [(1, 4), (3, 0)], ids=["decode", "prefill"])
each_product = pytest.mark.parametrize("operation", ["matmul", "matvec"])
each_attention = pytest.mark.parametrize("operation", ["attention_prefill", "attention_decode"])


def test_every_operation_and_function_has_a_case() -> None:
    assert [case.operation for case in every_operation()] == list(OPERATIONS)
    assert list(ELEMENTWISE) == list(FUNCTIONS)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("number", range(len(OPERATIONS)), ids=list(OPERATIONS))
def test_an_operator_is_right_in_whatever_order_threads_and_blocks_run(number: int, seed: int) -> None:
    every_operation()[number].check(4, 2, seed=seed)


@each_row_cut
def test_embedding_copies_the_rows_of_its_tokens(tile_rows: int) -> None:
    embedding().check(tile_rows, 20, tolerance=0)


@each_block_size
@each_row_cut
@pytest.mark.parametrize("dim", [1, 33, 700])
def test_norm_divides_each_row_by_its_root_mean_square(dim: int, tile_rows: int, threads: int) -> None:
    norm(5, dim).check(tile_rows, threads=threads)


@each_row_cut
@prefill_and_decode
@pytest.mark.parametrize("in_place", [False, True])
def test_rotary_turns_each_pair_by_its_position(tokens: int, position: int, tile_rows: int, in_place: bool) -> None:
    rotary(6, tokens, position, in_place=in_place).check(tile_rows, 2)


def test_rotary_stays_accurate_far_into_a_sequence() -> None:
    rotary(1, 1, 8000, head_dim=64).check(tolerance=3e-3)


@each_row_cut
@prefill_and_decode
def test_kv_append_writes_each_row_to_its_place_and_nothing_else(tokens: int, position: int, tile_rows: int) -> None:
    kv_append(tokens, position).check(tile_rows, 1, tolerance=0)


@each_row_cut
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("in_place", [False, True])
def test_elementwise_functions_equal_theirs(function: str, tile_rows: int, in_place: bool) -> None:
    elementwise(function, in_place=in_place).check(tile_rows, 16)


@each_block_size
@pytest.mark.parametrize(("m", "n", "k"), [(1, 8, 16), (7, 40, 48), (16, 24, 104), (33, 16, 64), (64, 32, 32), (3, 8, 3000), (2, 152, 16)])
def test_a_matmul_tile_equals_the_product(m: int, n: int, k: int, threads: int) -> None:
    product("matmul", m, n, k).check(threads=threads)


@each_block_size
@pytest.mark.parametrize(("m", "n", "k"), [(1, 19, 16), (3, 6, 264), (8, 33, 40)])
def test_a_matvec_tile_equals_the_product(m: int, n: int, k: int, threads: int) -> None:
    product("matvec", m, n, k).check(threads=threads)


@each_product
@pytest.mark.parametrize(("tile_m", "tile_n"), [(8, 8), (8, 16), (5, 24), (3, 7), (1, 1)])
def test_a_product_is_the_same_however_it_is_cut(operation: str, tile_m: int, tile_n: int) -> None:
    product(operation, 17, 24, 32).check(tile_m, tile_n)


@each_product
def test_the_residual_is_added_once(operation: str) -> None:
    product(operation, 6, 20, 64, has_residual=True).check(8, 12)


def test_matmul_keeps_bits_of_activations_that_bfloat16_cannot_hold() -> None:
    product("matmul", 1, 8, 16, x_values=1 + 2.0**-14).check(tolerance=2e-6)


@each_block_size
@pytest.mark.parametrize("keys", [1, 31, 33, 290])
@pytest.mark.parametrize("group", [1, 3, 5])
def test_decode_attends_to_all_keys_that_are_there(keys: int, group: int, threads: int) -> None:
    attention("attention_decode", 2, keys, kv_heads=2, group=group).check(threads=threads)


@each_block_size
@pytest.mark.parametrize(("tokens", "group"), [(1, 1), (5, 2), (33, 1), (40, 3)])
def test_prefill_lets_each_token_see_itself_and_those_before(tokens: int, group: int, threads: int) -> None:
    attention("attention_prefill", 2, tokens, group=group).check(threads=threads)


@each_attention
@pytest.mark.parametrize("head_dim", [4, 40, 64, 128])
def test_attention_knows_heads_of_any_size(operation: str, head_dim: int) -> None:
    attention(operation, 1, 34, group=2, head_dim=head_dim).check()


@each_attention
@pytest.mark.parametrize(("tile_rows", "tile_heads"), [(1, 1), (4, 2), (7, 1), (18, 3)])
def test_attention_is_the_same_however_it_is_cut_also_across_sequences(operation: str, tile_rows: int, tile_heads: int) -> None:
    attention(operation, 3, 6, kv_heads=3, group=2, head_dim=8).check(tile_rows, tile_heads)


@each_attention
def test_large_scores_do_not_overflow(operation: str) -> None:
    attention(operation, 1, 36, head_dim=8, scale=300.0).check()


@each_block_size
@pytest.mark.parametrize("states", [1, 16, 70])
@pytest.mark.parametrize(("tile_rows", "tile_heads"), [(1, 1), (2, 3), (4, 2)])
def test_a_step_advances_the_state_and_reads_it(states: int, tile_rows: int, tile_heads: int, threads: int) -> None:
    step(3, 3, 5, states).check(tile_rows, tile_heads, threads=threads)


@each_block_size
@pytest.mark.parametrize(("kernel", "stride"), [(4, 2), (8, 4), (3, 1), (2, 3), (5, 3)])
@pytest.mark.parametrize(("tile_rows", "tile_columns"), [(64, 8), (7, 3)])
def test_transposed_convolution_adds_every_input_where_it_reaches(
    kernel: int, stride: int, tile_rows: int, tile_columns: int, threads: int
) -> None:
    conv_transpose1d(3, 4, kernel=kernel, stride=stride, c_in=40, c_out=5).check(tile_rows, tile_columns, threads=threads)


@pytest.mark.parametrize("t_in", [1, 20])
def test_transposed_convolution_knows_few_and_many_rows_of_one_phase(t_in: int) -> None:
    conv_transpose1d(1, t_in, kernel=4, stride=2, c_in=8, c_out=3).check()


@each_block_size
@pytest.mark.parametrize("dim", [1, 31, 1500])
def test_sampling_takes_the_largest(dim: int, threads: int) -> None:
    logits = np.random.default_rng(dim).standard_normal((3, dim)).astype(np.float32)
    sampling(logits, logits.argmax(axis=1)).check(2, threads=threads)


@pytest.mark.parametrize("equal", [[3, 4], [40, 700], [5, 37, 69], [129, 999]])
def test_sampling_takes_the_lowest_of_equal_ones(equal: list[int]) -> None:
    logits = np.zeros((1, 1000))
    logits[0, equal] = 2.5
    sampling(logits, equal[:1]).check()


def test_sampling_knows_negative_infinite_and_undefined_rows() -> None:
    logits = [[-3.0, -1.0, -2.0], [-np.inf, -np.inf, -np.inf], [-np.inf, -np.inf, -9e37], [np.nan, np.nan, np.nan]]
    sampling(logits, [1, 0, 2, 0]).check()
