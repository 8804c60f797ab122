from __future__ import annotations

import pytest

from megasolve.contracts.profiles.names import bare, base, normalized

_COPY = (
    "void at::native::elementwise_kernel<(int)128, (int)2, void at::native::gpu_kernel_impl<at::native::copy_kernel(at::Iterator &)"
    "::[lambda() (instance 2)]::operator ()() const::[lambda(float) (instance 1)]>(at::Iterator &, const T1 &)"
    "::[lambda(int) (instance 1)]>(int, T3)"
)
_COPY_KINETO = (
    "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<at::native::copy_kernel(at::Iterator&)"
    "::{lambda()#2}::operator()() const::{lambda(float)#1}>(at::Iterator&, at::native::copy_kernel(at::Iterator&)"
    "::{lambda()#2}::operator()() const::{lambda(float)#1} const&)::{lambda(int)#1}>(int, at::native::Something<float>)"
)
_COPY_NCU = (
    "void elementwise_kernel<128, 2, void gpu_kernel_impl<copy_kernel(Iterator &)::[lambda() (instance 2)]::operator ()() "
    "lambda(float) (instance 1)]>(Iterator &, const T1 &)::[lambda(int) (instance 1)]>(int, T3)"
)


@pytest.mark.parametrize(
    ("nsys", "kineto"),
    [
        (_COPY, _COPY_KINETO),
        ("void ns::scan<(unsigned int)4, (bool)1, (bool)0, (int)-2>(T2 *)", "void ns::scan<4u, true, false, -2>(float*)"),
        ("void f<std::array<char *, (unsigned long)2>>(int, T2)", "void f<std::array<char*, 2ul> >(int, std::array<char*, 2ul>)"),
        (
            "void at::<unnamed>::cat<at::<unnamed>::Opaque<(int)2>>(T1 *)",
            "void at::(anonymous namespace)::cat<at::(anonymous namespace)::Opaque<2> >(int*)",
        ),
        ("void <unnamed>::softmax<float, const T *>(T2 *)", "void (anonymous namespace)::softmax<float, T const*>(float*)"),
        (
            "std::enable_if<!T7, void>::type gemvx::kernel<int, (bool)0>(T13)",
            "std::enable_if<!(false), void>::type gemvx::kernel<int, false>(P)",
        ),
        ("saxpy(double *, double *, int)", "saxpy(double*, double*, int)"),
    ],
)
def test_pitfall_21_nsys_and_kineto_names_are_one(nsys: str, kineto: str) -> None:
    assert normalized(nsys) == normalized(kineto)


@pytest.mark.parametrize(
    ("nsys", "ncu"),
    [
        (_COPY, _COPY_NCU),
        (
            "std::enable_if<!T7, void>::type internal::gemvx::kernel<int, __nv_bfloat16, (bool)0, (int)7, (bool)0, P<const T>>(T13)",
            "enable_if<!T7, void>::type kernel<int, __nv_bfloat16, 0, 7, 0, P<const T>>(T13)",
        ),
        (
            "void at::native::<unnamed>::cat<at::native::<unnamed>::Opaque<(unsigned int)2>, (int)3>(char *, at::native::<unnamed>::M<T1>)",
            "void unnamed>::cat<unnamed>::Opaque<2>, 3>(char *, unnamed>::M<T1>)",
        ),
        ("fmha_sm80(PyTorchMemEff::Attention<cutlass::bfloat16_t, (int)64>::Params)", "fmha_sm80(Attention<bfloat16_t, 64>::Params)"),
    ],
)
def test_pitfall_21_nsys_and_ncu_names_are_one_without_namespaces(nsys: str, ncu: str) -> None:
    assert bare(nsys) == bare(ncu)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("void f<(int)128>(int)", "void f<(int)256>(int)"),
        ("void f<g()::[lambda(float) (instance 1)]>(int)", "void f<g()::[lambda(float) (instance 2)]>(int)"),
        ("void f<g(int)::[lambda(float) (instance 1)]>(int)", "void f<h(int)::[lambda(float) (instance 1)]>(int)"),
        ("void f<g()::[lambda(float) (instance 1)]>(int)", "void f<g()::[lambda(double) (instance 1)]>(int)"),
        ("void f<float, (bool)0>(T1)", "void f<float, (bool)1>(T1)"),
    ],
)
def test_different_kernels_keep_different_names(one: str, other: str) -> None:
    assert normalized(one) != normalized(other)
    assert bare(one) != bare(other)


def test_a_mangled_name_stays_as_it_is() -> None:
    name = "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bLi256EEEvPT0_"
    assert (normalized(name), bare(name)) == (name, name)


def test_the_base_is_the_name_of_the_function_alone() -> None:
    assert base(_COPY) == "elementwise_kernel"
    assert base("sm90_xmma_gemm_bf16_tn_n_tilesize128x128x64") == "sm90_xmma_gemm_bf16_tn_n_tilesize128x128x64"


@pytest.mark.parametrize("name", ["", "(", "f<(", "operator", "void ", "lambda(", "<>>>", "a)b)"])
def test_no_text_is_too_strange_to_be_a_name(name: str) -> None:
    assert isinstance(normalized(name) + bare(name), str)
