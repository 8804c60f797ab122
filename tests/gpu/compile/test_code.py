"""Kernel code: its hash, and that what is launched is among what was compiled."""

from __future__ import annotations

from hashlib import sha256

import pytest

from megasolve.contracts import Contract
from megasolve.gpu.compile.build import KernelBuild
from megasolve.gpu.compile.code import KernelCode
from megasolve.gpu.compile.manifest import sources_sha256
from megasolve.gpu.errors import GpuError
from megasolve.gpu.workloads.streamlet.workload import STREAMLET
from tests.support.kernels.streamlet import shipped
from tests.support.toolchain import needs_nvrtc

TEXT = 'extern "C" __global__ void one() {}\nextern "C" __global__ void two() {}\n__global__ void mangled() {}\n'
CONTRACTS = {document.value.entry: document.value for document in shipped().contracts}


def code(*symbols: str, **more: str) -> KernelCode:
    return KernelCode(KernelBuild("k.cu", ()), {"k.cu": TEXT, **more}, symbols)


def test_code_of_one_file_has_the_hash_of_that_file_and_of_several_that_of_their_list() -> None:
    assert code("one").sha256 == sha256(TEXT.encode()).hexdigest()
    lines = "".join(f"{sha256(text.encode()).hexdigest()}  {name}\n" for name, text in (("a.h", ""), ("k.cu", TEXT)))
    assert code("one", **{"a.h": ""}).sha256 == sha256(lines.encode()).hexdigest()


def test_the_hash_of_streamlets_code_is_that_of_its_manifest() -> None:
    assert STREAMLET.kernels(CONTRACTS["L"]).sha256 == STREAMLET.kernels(CONTRACTS["B_step"]).sha256 == sources_sha256()


@needs_nvrtc
def test_a_symbol_that_is_no_kernel_of_the_source_is_refused_with_those_that_are() -> None:
    contract: Contract = CONTRACTS["L"]
    assert set(code("one").compiled_for(contract, "9.0").resources) >= {"one", "two"}
    with pytest.raises(GpuError, match=r"^entry 'L' launches 'mangled', and the kernels in k.cu are .*one, two; name one in source.symbol"):
        code("mangled").compiled_for(contract, "9.0")
