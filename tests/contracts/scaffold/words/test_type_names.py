"""The type that a kernel's name says, as compilers and libraries of both vendors write it."""

from __future__ import annotations

import pytest

from megasolve.contracts.observe import ObservedKernel
from megasolve.contracts.profiles import KernelShape
from megasolve.contracts.scaffold.words.precision import named_precision
from megasolve.contracts.scaffold.words.type_names import named_type

TENSILE = "Cijk_Alik_Bljk_{}_MT128x256x32_MI16x16x1_SN_LDSB1_AFC1_GRVWA8_ISA942_WGM8"


@pytest.mark.parametrize(
    ("letters", "named"),
    [
        ("BBS_BH_Bias_HA_S_SAV_UserArgs", "bf16"),
        ("B_BS_BH_Bias_HA_S_SAV_UserArgs", "bf16"),
        ("BBH", "bf16"),
        ("BSS_BH", "bf16"),
        ("HHS_BH", "fp16"),
        ("HSS_BH", "fp16"),
        ("HB", "fp16"),
        ("HBH", "fp16"),
        ("SB_Bias_AS_SAV", "fp32"),
        ("S_B_Bias", "fp32"),
        ("XSS_BH", "fp32"),
        ("DB", "fp64"),
        ("F8BS_BH_Bias", "fp8"),
        ("F8B8BS_BH_SAB", "fp8"),
        ("B8HS_BH", "fp8"),
        ("I8II_BH", "int8"),
        ("4xi8BH", "int8"),
        ("CB", None),
    ],
)
def test_tensile_says_the_type_of_its_operands_in_letters(letters: str, named: str | None) -> None:
    assert named_type(TENSILE.format(letters)) == named
    assert named_type(f"Custom_{TENSILE.format(letters)}.kd") == named


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb1ELb0EEEvPT0_PT_PfS4_S4_S4_diiiiiiib", "bf16"),
        ("_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdIDF16_fDF16_EEEEvT_", "fp16"),
        ("_ZN3foo4gemmIDhEEvPT_", "fp16"),
        ("_ZN3foo4gemmIDF32_EEvPT_", "fp32"),
        ("_ZN3foo4gemmIDF64_EEvPT_", "fp64"),
        ("_ZN3foo4gemmIDF16xEEvPT_", None),
        ("_ZN3foo4gemmIDF128_EEvPT_", None),
        ("_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_EXadL_Z4siluIS2_ES3_S5_EEEEvPS3_PS4_i", "bf16"),
        ("_Z9rope_kernP6__halfPKS_i", "fp16"),
        ("_Z4copyIN3c104HalfEEvPT_", "fp16"),
        ("_Z4copyIN3c108BFloat16EEvPT_", "bf16"),
        ("_Z9vectorAddPKfS0_Pfi", "fp32"),
        ("_Z4dotsIfLi256EEvPKT_PS0_", "fp32"),
        ("_Z4axpyPKdPdi", "fp64"),
        ("_Z9transformPiS_f", None),
        ("_Z22ampere_bf16_gemm_128x8Pv", "bf16"),
        ("_Z5quantILN4vllm18Fp8KVCacheDataTypeE0EEvPi", None),
        ("_Z", None),
        ("_Z99short", None),
    ],
)
def test_mangled_names_say_builtin_types_in_letters_and_others_in_identifiers(name: str, named: str | None) -> None:
    assert named_type(name) == named


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "bf16"),
        ("sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n", "fp8"),
        ("sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw", "fp32"),
        ("sm80_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32_nchw", "int8"),
        ("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x256_32x3_tn_align8>(Params)", "bf16"),
        ("void cutlass::Kernel<cutlass_70_wmma_tensorop_f16_s161616gemm_f16_32x32_64x2_tn_align8>(Params)", "fp16"),
        ("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_32x6_nt_align1>(Params)", "fp32"),
        ("turing_h1688gemm_128x128_ldg8_nn", "fp16"),
        ("volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_tn", "fp16"),
        ("ampere_sgemm_32x32_sliced1x4_tn", "fp32"),
        ("cudnn_ampere_scudnn_128x64_relu_xregs_large_nn_v1", "fp32"),
        ("nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT", "bf16"),
        ("nvjet_hsh_128x256_64x4_2x1_v_bz_TNN", "fp16"),
        ("nvjet_sm100_qqtst_128x256_128x6_2x2_2cta_h_bz_TNT", "fp8"),
        ("nvjet_ootst_128x256_Avec16UE4M3_Bvec16UE4M3_TNT", "fp4"),
        ("void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16> >(int)", "bf16"),
        ("void gemvx::kernel<int, int, __half, __half, __half, float, false, true>(Params)", "fp16"),
        ("gpu_kernel<c10::Float8_e4m3fn>", "fp8"),
        ("_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1", "fp4"),
        ("f8f8bf16_rowwise", "fp8"),
        ("void paged<__hip_bfloat16, (vllm::Fp8KVCacheDataType)0>(__hip_bfloat16 const*)", "bf16"),
        ("void fft2d_c2r_32x32<float>(float*, float2 const*)", "fp32"),
        ("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", None),
        ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "bf16"),
        ("half_warp_reduce", None),
        ("double_buffered_copy", None),
        ("attn_fwd", None),
        ("dimMap_kernel", None),
        ("", None),
    ],
)
def test_words_and_the_letters_of_libraries_say_it_too(name: str, named: str | None) -> None:
    assert named_type(name) == named


def observed_kernel(name: str, time_ps: int) -> ObservedKernel:
    return ObservedKernel("step", KernelShape(name), 1, (time_ps,))


def test_a_minority_of_the_time_says_nothing_about_a_model() -> None:
    few = named_precision([observed_kernel("k_bf16", 490), observed_kernel("attn_fwd", 510)])
    assert (few.most, few.share_permille, few.assumed) == ("bf16", 490, "unstated")
    half = named_precision([observed_kernel("k_bf16", 500), observed_kernel("attn_fwd", 500)])
    assert half.assumed == "unstated"
    most = named_precision([observed_kernel("k_bf16", 510), observed_kernel("k_f16", 490)])
    assert most.assumed == "bf16"
    assert named_precision([observed_kernel("attn_fwd", 1)]).most is None
    assert named_precision([]).assumed == "unstated"


@pytest.mark.parametrize(
    ("part", "times", "type_name"),
    [("S", 40_000, None), ("La", 20_000, None), ("9", 40_000, None), ("f8", 20_000, "fp8"), ("half", 10_000, "fp16")],
)
def test_a_name_of_any_length_is_read_in_one_pass(part: str, times: int, type_name: str | None) -> None:
    assert named_type(("" if type_name else "_Z") + part * times) == type_name
