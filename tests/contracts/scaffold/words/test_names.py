"""Names of entries: readable, fit for a shell and a file name, and never twice."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts.observe.observation import ObservedKernel
from megasolve.contracts.profiles import KernelShape
from megasolve.contracts.scaffold.words.names import base_name, entry_names, readable_name

ENTRY = re.compile(r"[A-Za-z][A-Za-z0-9_.+-]{0,127}")

ADD = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, X)"
MUL = "void at::native::elementwise_kernel<128, 4, at::native::BinaryFunctor<float, float, float, at::native::MulFunctor<float> > >(int)"
SILU = "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::silu_kernel(at::Base&)::{lambda()#1}>()"
MEAN = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float>, unsigned int> >(X)"
CUTLASS = "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(cutlass_80_simt_sgemm_128x32_8x5_nn_align1::Params)"
GEMV = "std::enable_if<!T7, void>::type internal::gemvx::kernel<int, int, __nv_bfloat16, (bool)0, (int)7, GemvParams<int>>(T13)"
GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"


def observed(name: str, grid: tuple[int, int, int] | None = None, group: str = "step") -> ObservedKernel:
    return ObservedKernel(group, KernelShape(name, grid), 1, (1,))


@pytest.mark.parametrize(
    ("name", "readable"),
    [
        ("gemm", "gemm"),
        ("_topk_forward", "topk_forward"),
        ("triton_poi_fused_0", "triton_poi_fused_0"),
        ("void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, int)", "rotary_embedding"),
        (ADD, "vectorized_elementwise_add"),
        (MUL, "elementwise_Mul"),
        (SILU, "vectorized_elementwise_silu"),
        (MEAN, "reduce_Mean"),
        (CUTLASS, "cutlass_80_simt_sgemm_128x32_8x5_nn_align1"),
        (GEMV, "gemvx"),
        ("void internal::kernel<float, (bool)0, gemv_tag>(X)", "gemv_tag"),
        ("void internal::kernel<float, (bool)0>(X)", "kernel"),
        (GEMM, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n"),
        ("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256EEEvPT0_", "add_rmsnorm_quant"),
        ("_ZN2at6native12_GLOBAL__N_13fooIfEEvPT_", "foo"),
        ("Conv_10 + Add_11 + Relu_12", "Conv_10_Add_11_Relu_12"),
        ("3d_conv", "k_3d_conv"),
        ("☃", "kernel"),
    ],
)
def test_a_name_says_what_the_kernel_does(name: str, readable: str) -> None:
    assert readable_name(name) == readable


def test_the_function_alone_has_no_namespace_type_or_argument() -> None:
    assert base_name(ADD) == "vectorized_elementwise_kernel"


def test_shapes_of_one_name_are_told_apart_by_their_grid() -> None:
    assert entry_names([observed("gemm", (8, 2, 1)), observed("gemm", (4, 1, 1))]) == ("gemm_g16", "gemm_g4")


def test_equal_grids_are_told_apart_by_number() -> None:
    assert entry_names([observed("ns::a::f<1>()", (8, 1, 1)), observed("ns::a::f<2>()", (8, 1, 1))]) == ("f_g8", "f_g8_2")


def test_several_groups_stand_before_the_name() -> None:
    assert entry_names([observed("gemm", group="P"), observed("gemm", group="D")]) == ("P.gemm", "D.gemm")


def test_names_differ_also_where_case_does_not_count() -> None:
    assert entry_names([observed("Gemm"), observed("gemm")]) == ("Gemm", "gemm_2")


@given(st.lists(st.tuples(st.text(min_size=1, max_size=80), st.sampled_from([None, (1, 1, 1), (2**31 - 1, 65535, 65535)])), max_size=8))
def test_every_name_gives_one_that_a_contract_may_have(kernels: list[tuple[str, tuple[int, int, int] | None]]) -> None:
    names = entry_names([observed(name, grid, group) for name, grid in kernels for group in ("g" * 64, "D")])
    assert all(ENTRY.fullmatch(name) for name in names)
    assert len({name.lower() for name in names}) == len(names)
