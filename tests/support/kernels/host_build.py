"""The kernels under test, built for the CPU once per process."""

from __future__ import annotations

import functools
from pathlib import Path

from megasolve.gpu.compile.kernels_source import kernel_sources
from megasolve.gpu.standin.host_build import build_kernels
from tests.support.standin.cpu_device import CpuDevice


def kernel_library(source: str, threads: int, *defines: str, sanitizer: bool = False) -> Path:
    """Return the library of *source* for blocks of *threads*; the interpreter is the entry `ms_entry`."""
    own = [f"MS_THREADS={threads}", "MS_ENTRY=entry", *defines]
    return build_kernels(source, kernel_sources(), defines=own, sanitizer=sanitizer)


@functools.cache
def conventional_kernels(threads: int) -> CpuDevice:
    """Return a device on the CPU with the conventional kernels for blocks of *threads*."""
    return CpuDevice(kernel_library("conventional.cu", threads))


@functools.cache
def persistent_kernel(threads: int, *defines: str) -> CpuDevice:
    """Return a device on the CPU with the interpreter for blocks of *threads*."""
    return CpuDevice(kernel_library("interpreter.cu", threads, *defines))
