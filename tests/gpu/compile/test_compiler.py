"""Cubins without a GPU: equal input gives equal bytes, launch bounds bound registers, and what does not compile is named by its place."""

from __future__ import annotations

import subprocess
import sys

import pytest

from megasolve.gpu.compile.architectures import ARCHITECTURES
from megasolve.gpu.compile.compiler import CompileFailed, compile_cubin, compiler_version
from tests.support.command import environment
from tests.support.toolchain import needs_nvrtc

SUM = """
#include "sizes.h"
extern "C" __global__ void __launch_bounds__(THREADS, CTAS) sum(float* y) { y[threadIdx.x] += kSize; }
"""
SOURCES = {"sum.cu": SUM, "sizes.h": "constexpr int kSize = 3;\n"}
DEFINES = ("THREADS=256", "CTAS=1")

# Forty sums that are all alive at once: as many registers as there are, or memory.
BUSY = """
extern "C" __global__ void __launch_bounds__(THREADS, CTAS) busy(float* y, int n) {
    float sums[40];
    for (int i = 0; i < 40; ++i) sums[i] = y[i * n];
    for (int turn = 0; turn < n; ++turn)
        for (int i = 0; i < 40; ++i) sums[i] = sums[i] * sums[(i + 7) % 40] + y[turn];
    for (int i = 0; i < 40; ++i) y[i * n] = sums[i];
}
"""


@needs_nvrtc
@pytest.mark.parametrize("architecture", ARCHITECTURES.values())
def test_equal_input_gives_equal_bytes_on_every_architecture(architecture: str) -> None:
    first, again = (compile_cubin("sum.cu", SOURCES, architecture, DEFINES) for _ in range(2))
    assert first == again
    assert first.architecture == architecture
    assert set(first.resources) == {"sum"}


@needs_nvrtc
def test_another_architecture_header_macro_or_flag_gives_other_bytes() -> None:
    changed = {**SOURCES, "sizes.h": "constexpr int kSize = 5;\n"}
    cubins = [
        compile_cubin("sum.cu", SOURCES, "sm_90a", DEFINES),
        compile_cubin("sum.cu", SOURCES, "sm_80", DEFINES),
        compile_cubin("sum.cu", changed, "sm_90a", DEFINES),
        compile_cubin("sum.cu", SOURCES, "sm_90a", ("THREADS=128", "CTAS=1")),
        compile_cubin("sum.cu", SOURCES, "sm_90a", DEFINES, ("--generate-line-info",)),
    ]
    assert len({cubin.sha256 for cubin in cubins}) == len(cubins)


@needs_nvrtc
def test_the_second_launch_bound_takes_registers_away_until_values_spill() -> None:
    free, bound = (compile_cubin("busy.cu", {"busy.cu": BUSY}, "sm_90a", ("THREADS=256", f"CTAS={ctas}")) for ctas in (1, 8))
    assert free.resources["busy"].registers > 40
    assert not free.resources["busy"].spills
    assert bound.resources["busy"].registers == 65536 // (8 * 256)
    assert bound.resources["busy"].spills


@needs_nvrtc
def test_the_first_error_is_named_with_our_file_and_line_and_the_log_is_kept() -> None:
    broken = {**SOURCES, "sizes.h": "constexpr int kSize = 3;\n#warning careful\nconstexpr int kNone = nothing;\nnowhere kNo;\n"}
    with pytest.raises(CompileFailed, match=r'^sum\.cu does not compile for sm_90a: sizes\.h:3: error: .*"nothing"') as caught:
        compile_cubin("sum.cu", broken, "sm_90a", DEFINES)
    assert "\n" not in str(caught.value)
    assert "nowhere" in caught.value.log


@needs_nvrtc
def test_an_error_of_the_assembler_is_told_though_it_has_no_place() -> None:
    source = 'extern "C" __global__ void f() { asm volatile("no.such.instruction;"); }'
    with pytest.raises(CompileFailed, match=r"^f\.cu does not compile for sm_90a: ptxas.*error.*'\.such'"):
        compile_cubin("f.cu", {"f.cu": source}, "sm_90a")


@needs_nvrtc
def test_an_architecture_that_the_compiler_does_not_know_is_told() -> None:
    with pytest.raises(CompileFailed, match=r"^sum\.cu does not compile for sm_1: .*invalid value for --gpu-architecture"):
        compile_cubin("sum.cu", SOURCES, "sm_1", DEFINES)


@needs_nvrtc
def test_the_compiler_is_the_pinned_one() -> None:
    assert compiler_version() == "nvrtc 13.0"


def test_without_nvrtc_one_line_says_what_brings_it() -> None:
    program = (
        "import sys; sys.modules['cuda'] = None\n"
        "from megasolve.gpu.compile.compiler import compile_cubin\n"
        "from megasolve.gpu.errors import GpuError\n"
        "try: compile_cubin('a.cu', {'a.cu': ''}, 'sm_90a')\n"
        "except GpuError as error: print(error)\n"
    )
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment()).stdout
    assert told.startswith("the compiler NVRTC is missing (")
    assert told.endswith("; pip install 'megasolve[gpu]' brings it, on Linux\n")
    assert told.count("\n") == 1
