"""Kernels beside those of contracts: what an experiment brings along, for the GPU and for the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...compile.architectures import architecture_of
from ...compile.build import KernelBuild
from ...compile.compiler import Cubin
from ...compile.cubin_cache import compile_once
from ...standin.host_build import build_kernels


@dataclass(frozen=True, slots=True)
class OtherKernels:
    """What must be compiled: a build, and the texts of its source and of all that it includes, by name."""

    build: KernelBuild
    sources: Mapping[str, str]

    def compiled(self, compute_capability: str) -> Cubin:
        """Return the cubin for a GPU, compiled now or recalled.

        Raises
        ------
        CompileFailed, GpuError
            It does not compile, there are no kernels for this capability, or NVRTC is not installed.
        """
        build = self.build
        return compile_once(build.source, self.sources, architecture_of(compute_capability), build.defines, build.flags)

    def library(self) -> Path:
        """Return the library for the CPU.

        Raises
        ------
        HostCompilerMissing, HostBuildFailed
        """
        return build_kernels(self.build.source, self.sources, defines=self.build.defines)
