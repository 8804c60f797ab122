"""What operators compute, by the shapes of their operands: sizes, weights, FLOPs and bytes by hand."""

from __future__ import annotations

from typing import Any

import pytest

from megasolve.contracts.observe.shapes.recognizing import computed, plain_name
from megasolve.contracts.observe.shapes.shaped import Computed, MovedBytes, Shaped
from megasolve.contracts.profiles import OperatorCall

BF16 = "c10::BFloat16"


def call(name: str, *operands: Any, types: Any = BF16, concrete: tuple[str, ...] = ()) -> OperatorCall:
    """Return a call of *operands*, all of one type unless a list is given."""
    kinds = (types,) * len(operands) if isinstance(types, str) else tuple(types)
    return OperatorCall(1, name, tuple(map(tuple, operands)), kinds, concrete)


def only(of: OperatorCall, *activations: int) -> Computed:
    """Return the one operator of a call."""
    (found,) = computed(of, frozenset(activations))
    return found


def shaped(of: OperatorCall, *activations: int) -> Shaped:
    found = only(of, *activations)
    assert isinstance(found, Shaped)
    return found


def test_a_linear_layer_is_a_matmul_with_a_bias() -> None:
    found = shaped(call("aten::addmm", (1024,), (8944, 1024), (1024, 2816), (), ()))
    assert found.shape == {"m": 8944, "n": 2816, "k": 1024}
    assert (found.has_bias, found.parameters, found.flops) == (False, 1024 * 2816, 2 * 8944 * 2816 * 1024)
    biased = shaped(call("aten::addmm", (2816,), (8944, 1024), (1024, 2816), (), ()))
    assert (biased.has_bias, biased.parameters) == (True, 1024 * 2816 + 2816)


def test_a_weight_may_be_stored_with_its_rows_first() -> None:
    assert shaped(call("aten::linear", (4, 512), (2048, 512))).shape == {"m": 4, "n": 2048, "k": 512}


def test_a_batched_product_has_no_weights() -> None:
    found = shaped(call("aten::bmm", (256, 559, 64), (256, 64, 559)))
    assert (found.times, found.parameters, found.flops) == (256, 0, 256 * 2 * 559 * 559 * 64)


def test_narrow_weights_keep_their_width() -> None:
    found = shaped(call("_C::cutlass_scaled_mm", (16, 512), (512, 128), types=(BF16, "c10::Float8_e4m3fn")))
    assert found.weight_element_bytes == 1


@pytest.mark.parametrize(
    ("name", "concrete"),
    [
        ("aten::convolution", ("", "", "", "[2]", "[3]", "[1]", "False", "[0]", "1")),
        ("aten::miopen_convolution", ("", "", "", "[3]", "[2]", "[1]", "1", "False", "False")),
    ],
)
def test_a_convolution_has_the_steps_that_its_stride_and_padding_leave(name: str, concrete: tuple[str, ...]) -> None:
    found = shaped(call(name, (2, 16, 100), (32, 16, 7), (32,), (), (), (), (), (), (), concrete=concrete))
    assert found.kind == "conv1d"
    assert found.shape == {"c_in": 16, "c_out": 32, "kernel": 7, "t_out": 100, "stride": 2, "groups": 1}
    assert found.parameters == 32 * 16 * 7 + 32


def test_a_transposed_convolution_takes_its_outputs_from_the_second_side() -> None:
    concrete = ("", "", "", "[4]", "[2]", "[1]", "True", "[0]", "1")
    found = shaped(call("aten::convolution", (1, 64, 50), (64, 32, 8), (), (), (), (), (), (), (), concrete=concrete))
    assert (found.kind, found.shape["c_out"], found.shape["t_out"]) == ("conv_transpose1d", 32, 200)


def test_attention_of_a_prompt_is_causal_where_it_says_so() -> None:
    sides = ((16, 16, 559, 64),) * 3
    causal = shaped(call("aten::_scaled_dot_product_flash_attention", *sides, concrete=("", "", "", "0.", "True")))
    whole = shaped(call("aten::_scaled_dot_product_flash_attention", *sides, concrete=("", "", "", "0.", "False")))
    assert (causal.kind, whole.kind) == ("attention_prefill", "attention_decode")
    assert causal.shape["q_tokens"] == whole.shape["kv_tokens"] == 559
    assert causal.flops < whole.flops


def test_grouped_heads_and_the_newest_token_are_decode() -> None:
    found = shaped(
        call("aten::_flash_attention_forward", (8, 1, 32, 128), (8, 900, 8, 128), (8, 900, 8, 128), concrete=("",) * 8 + ("True",))
    )
    assert found.kind == "attention_decode"
    assert (found.shape["q_heads"], found.shape["kv_heads"], found.shape["kv_tokens"]) == (32, 8, 900)


def test_attention_over_a_cache_of_unknown_length_stays_opaque() -> None:
    assert computed(call("vllm::unified_attention_with_output", (32, 64, 64), (32, 8, 64), (32, 8, 64), (32, 64, 64))) == ()


def test_a_fused_norm_is_a_norm_and_a_sum() -> None:
    found = computed(call("_C::fused_add_rms_norm", (15, 4096), (15, 4096), (4096,), ()))
    assert [one.name for one in found] == ["norm", "sum"]
    assert sum(one.parameters for one in found) == 4096


def test_a_layer_norm_has_a_bias_and_a_group_norm_counts_channels() -> None:
    assert shaped(call("aten::native_layer_norm", (2, 77, 768), (), (768,), (768,), ())).parameters == 2 * 768
    assert shaped(call("aten::group_norm", (1, 32, 64, 64), (), (32,), (32,), ())).shape == {"rows": 4096, "dim": 32}


def test_rows_of_a_table_are_an_embedding_and_rows_of_activations_are_none() -> None:
    lookup = call("aten::index_select", (151936, 1024), (), (8944,), types=(BF16, "Scalar", "long int"))
    assert shaped(lookup).parameters == 151936 * 1024
    last = call("aten::index_select", (8944, 1024), (), (16,), types=(BF16, "Scalar", "long int"))
    assert shaped(last, 8944).parameters == 0


def test_experts_count_those_that_tokens_may_reach() -> None:
    operands = ((32, 2880), (128, 5760, 2880), (128, 2880, 2880), (32, 4), (32, 4))
    found = shaped(call("vllm::outplace_fused_experts", *operands, types=(BF16, BF16, BF16, "float", "int")))
    assert found.shape == {"tokens": 32, "experts": 128, "top_k": 4, "k": 2880, "n": 2880, "distinct": 128, "matrices": 3}


def test_a_vector_as_wide_as_a_row_is_a_weight_of_an_elementwise_function() -> None:
    found = shaped(call("aten::mul", (1024,), (16, 559, 1024)))
    assert (found.parameters, found.moved_bytes) == (1024, 2 * (1024 + 2 * 16 * 559 * 1024))
    assert only(call("aten::mul", (16, 559, 1024), (16, 559, 1), types="float")).parameters == 0


def test_copies_and_concatenations_move_what_they_read_and_write() -> None:
    copy = only(call("aten::copy_", (16, 1024), (16, 1024), (), types=("float", BF16, "Scalar")))
    assert copy == MovedBytes("copy", 0, 2 * 16 * 1024, 4 * 16 * 1024)
    cat = only(OperatorCall(1, "aten::cat", (((16, 8), (16, 24)), ()), ("TensorList", "Scalar")))
    assert (cat.moved_bytes, cat.flops) == (2 * 2 * 16 * 32, 0)


def test_a_reduction_over_the_last_side_leaves_a_number_for_each_row() -> None:
    assert shaped(call("aten::mean", (16, 559, 1024), (), concrete=("", "[-1]"))).shape == {"rows": 8944, "dim": 1024}


@pytest.mark.parametrize("name", ["triton_poi_fused_add_3", "mine::special", "aten::sort"])
def test_what_is_not_recognized_stays_opaque(name: str) -> None:
    assert computed(call(name, (16, 1024), (1024,))) == ()


@pytest.mark.parametrize(
    "odd",
    [
        call("aten::mm", (16, 7), (9, 4)),
        call("aten::mm"),
        call("aten::convolution", (1, 3, 8), (4, 3, 99), (), (), (), (), (), (), ()),
        call("aten::_flash_attention_forward", (1, 2, 3, 4)),
        call("aten::add", (3, 5), (4, 5)),
        call("aten::copy_", (16, 4), (16, 4), types="UnknownType"),
        call("_C::rotary_embedding", (5,), (5, 64)),
    ],
)
def test_operands_that_do_not_fit_are_no_operator_and_no_crash(odd: OperatorCall) -> None:
    assert computed(odd) == ()


def test_names_lose_their_namespace_and_variant() -> None:
    assert plain_name("aten::_scaled_dot_product_flash_attention.out") == "scaled_dot_product_flash_attention"
    assert plain_name("TopK") == "TopK"
