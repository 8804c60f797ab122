"""What kernels need, from the log of the assembler: every figure is read, and a cubin's own notes say the same."""

from __future__ import annotations

import pytest

from megasolve.gpu.compile.architectures import ARCHITECTURES
from megasolve.gpu.compile.compiler import compile_cubin
from megasolve.gpu.compile.resources import Resources, resources_in
from tests.support.judges.cubin_notes import registers_and_frames
from tests.support.toolchain import needs_nvrtc

LOG = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'second' for 'sm_90a'
ptxas info    : Function properties for second
    400 bytes stack frame, 1904 bytes spill stores, 2296 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 400 bytes cumulative stack size, 2048 bytes smem
ptxas info    : Compile time = 12.345 ms
ptxas info    : Compiling entry function 'first' for 'sm_90a'
ptxas info    : Function properties for first
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 37 registers, used 0 barriers
"""

KERNELS = """
extern "C" __global__ void shares(float* y) {
    __shared__ float memory[256];
    memory[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = memory[255 - threadIdx.x];
}
extern "C" __global__ void stacks(float* y, int n) {
    float values[100];
    for (int i = 0; i < 100; ++i) values[i] = y[i];
    y[0] = values[n];
}
extern "C" __global__ void __launch_bounds__(1024, 2) plain(float* y) { y[threadIdx.x] = 1; }
"""


def test_each_kernel_of_a_log_has_its_own_figures() -> None:
    assert resources_in(LOG) == {"second": Resources(64, 400, 1904, 2296, 2048), "first": Resources(37, 0, 0, 0, 0)}


def test_a_kernel_spills_where_it_stores_or_loads_for_want_of_a_register() -> None:
    needs = resources_in(LOG)
    assert [symbol for symbol in needs if needs[symbol].spills] == ["second"]
    assert Resources(64, 0, 0, 8, 0).spills


def test_a_log_without_kernels_has_no_resources() -> None:
    assert resources_in("ptxas info    : 0 bytes gmem\n") == {}


@needs_nvrtc
@pytest.mark.parametrize("architecture", ARCHITECTURES.values())
def test_a_cubin_says_of_itself_what_the_assembler_reported(architecture: str) -> None:
    cubin = compile_cubin("kernels.cu", {"kernels.cu": KERNELS}, architecture)
    reported = {symbol: (needs.registers, needs.stack_bytes) for symbol, needs in cubin.resources.items()}
    assert registers_and_frames(cubin.image) == reported
    assert {symbol: needs.shared_bytes for symbol, needs in cubin.resources.items()} == {"shares": 1024, "stacks": 0, "plain": 0}
