"""The probes: small kernels that say what a launch and a wait cost, beside which the times of other kernels stand."""

from __future__ import annotations

from importlib.resources import files

from ...compile.architectures import architecture_of
from ...compile.build import KernelBuild
from ...compile.compiler import Cubin
from ...compile.cubin_cache import compile_once
from ...compile.kernels_source import kernel_sources

EMPTY, TURNS = "ms_empty", "ms_turns"
_SOURCE = "probes.cu"


def probe_build(threads: int) -> KernelBuild:
    """Return what must be compiled for probes in blocks of *threads*."""
    return KernelBuild(_SOURCE, (f"MS_THREADS={threads}",))


def probe_sources() -> dict[str, str]:
    """Return the text of the probes and of all that they include."""
    return {**kernel_sources(), _SOURCE: (files(__package__) / _SOURCE).read_text(encoding="utf-8")}


def compile_probes(threads: int, compute_capability: str) -> Cubin:
    """Return the cubin of the probes, compiled now or recalled.

    Raises
    ------
    CompileFailed, GpuError
        They do not compile, there are no kernels for this capability, or NVRTC is not installed.
    """
    build = probe_build(threads)
    return compile_once(build.source, probe_sources(), architecture_of(compute_capability), build.defines)
