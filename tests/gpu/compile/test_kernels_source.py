"""The sources of the kernels: one header from the table of operators, and code that both compilers take."""

from __future__ import annotations

import functools
import re
import subprocess
from pathlib import Path

import pytest

from megasolve.gpu.compile.compiler import Cubin, compile_cubin
from megasolve.gpu.compile.kernels_source import header_text, kernel_sources
from megasolve.gpu.programs.operation import MOST_ARGUMENTS
from megasolve.gpu.programs.operations import OPERATIONS, entry_shared_bytes, operations_mask, shared_bytes
from megasolve.gpu.standin.host_build import host_compiler
from tests.support.toolchain import needs_host_compiler, needs_nvrtc

MAIN_SOURCES = ("conventional.cu", "interpreter.cu")
DEFINES = ("MS_THREADS=256", "MS_ENTRY=entry")


@functools.cache
def compiled(source: str, *defines: str) -> Cubin:
    """Return *source*, compiled for one architecture."""
    return compile_cubin(source, kernel_sources(), "sm_90a", (*DEFINES, *defines))


def test_the_header_numbers_every_operator_once_and_fits_an_instruction() -> None:
    codes = [operation.code for operation in OPERATIONS.values()]
    assert len(set(codes)) == len(codes)
    # A mask of 32 bits, in which code 0 ends a stream.
    assert 0 < min(codes) <= max(codes) < 32
    assert max(len(operation.arguments) for operation in OPERATIONS.values()) <= MOST_ARGUMENTS
    for operation in OPERATIONS.values():
        assert header_text().count(f"apply({operation.code}, {operation.name}, ") == 1
        assert f"{{ int {', '.join(operation.arguments)}; }};" in header_text()


def test_the_mask_of_all_operators_is_that_of_the_header() -> None:
    assert f"#define MS_ALL_OPERATIONS {operations_mask(OPERATIONS):#x}\n" in header_text()
    assert operations_mask(["norm", "norm"]) == 1 << OPERATIONS["norm"].code


def test_every_include_is_among_the_sources_or_belongs_to_the_host() -> None:
    sources = kernel_sources()
    included = {name for text in sources.values() for name in re.findall(r'#include "(.+)"', text)}
    assert included - set(sources) == {"runtime.h"}
    assert set(MAIN_SOURCES) <= set(sources)


def test_an_entry_needs_the_shared_memory_of_its_largest_operator() -> None:
    assert entry_shared_bytes(["norm", "matmul"], 256) == 128 + shared_bytes("matmul", 256)
    assert shared_bytes("matmul", 512) == 2 * shared_bytes("matmul", 256) == 32768


def test_no_kernel_needs_more_shared_memory_than_every_launch_may_ask_for() -> None:
    without_opt_in = 48 * 1024
    assert max(entry_shared_bytes(OPERATIONS, threads) for threads in (128, 256, 512)) <= without_opt_in


@needs_host_compiler
@pytest.mark.parametrize("source", MAIN_SOURCES)
def test_the_host_compiler_has_nothing_to_say(source: str, tmp_path: Path) -> None:
    for name, text in kernel_sources().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    host = Path(__file__).parents[3] / "gpu/megasolve/gpu/standin/host"
    flags = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-DMS_HOST", f"-I{host}", "-x", "c++"]
    defines = [f"-D{define}" for define in DEFINES]
    run = subprocess.run([host_compiler() or "g++", *flags, *defines, source], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.stderr == ""


def test_only_weights_take_the_path_that_sees_no_writes_of_the_same_launch() -> None:
    text = "\n".join(kernel_sources().values())
    uses = re.findall(r"MS_DEVICE \w+ (\w+)\([^{]*\{[^}]*ld\.global\.nc", text)
    assert uses == ["load_weight", "load_weights8"]
    assert text.count("ld.global.nc") == len(uses)
    assert not re.search(r"__ldg|__restrict__", text)


@needs_nvrtc
@pytest.mark.parametrize("source", MAIN_SOURCES)
def test_the_kernels_compile_for_a_gpu_without_any_header_of_cuda(source: str) -> None:
    needs = compiled(source).resources
    assert set(needs) == ({f"k_{name}" for name in OPERATIONS} if source == "conventional.cu" else {"ms_entry"})
    assert all(kernel.registers > 0 and not kernel.spills for kernel in needs.values())


@needs_nvrtc
def test_an_entry_holds_the_operators_of_its_mask_and_no_others() -> None:
    few = compiled("interpreter.cu", f"MS_OPERATIONS={operations_mask(['norm', 'elementwise'])}")
    assert few.resources["ms_entry"].registers < compiled("interpreter.cu").resources["ms_entry"].registers / 2
    assert len(few.image) < len(compiled("interpreter.cu").image) / 2
