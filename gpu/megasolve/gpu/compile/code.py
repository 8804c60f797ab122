"""The code of a contract's kernels: what is compiled, all that it includes, and which kernels of it are launched."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from megasolve.contracts import Contract

from ..errors import GpuError
from .architectures import architecture_of
from .build import KernelBuild, require_compiler
from .compiler import Cubin
from .cubin_cache import compile_once
from .manifest import listed


@dataclass(frozen=True, slots=True, eq=False)
class KernelCode:
    """What to compile: a *build* of one of *texts*, which hold all that it includes by name, and the *symbols* to launch.

    Parameters
    ----------
    shared_bytes
        Dynamic shared memory that a block of the kernels needs at least.
    is_portable
        Whether the source exports its kernels for the CPU by itself. CUDA C++ as it is does not.
    """

    build: KernelBuild
    texts: Mapping[str, str]
    symbols: tuple[str, ...]
    shared_bytes: int = 0
    is_portable: bool = False

    @property
    def sha256(self) -> str:
        """The hash of the source as contracts and records state it: of the only file or, of several, of their list."""
        if len(self.texts) == 1:
            return hashlib.sha256(self.texts[self.build.source].encode()).hexdigest()
        return hashlib.sha256(listed(self.texts).encode()).hexdigest()

    def compiled(self, compute_capability: str, *, folder: Path | None = None) -> Cubin:
        """Return the cubin for a GPU, compiled now or recalled from the cache in *folder*.

        Raises
        ------
        CompileFailed, GpuError
            It does not compile, there are no kernels for this capability, or NVRTC is not installed.
        """
        build = self.build
        return compile_once(build.source, self.texts, architecture_of(compute_capability), build.defines, build.flags, folder=folder)

    def compiled_for(self, contract: Contract, compute_capability: str) -> Cubin:
        """Return the cubin for a GPU, once the compiler is the one that *contract* states and every symbol is in it.

        Raises
        ------
        CompileFailed, GpuError
            As for `compiled`, or the contract states another compiler, or a symbol is none of the kernels.
        """
        require_compiler(contract)
        cubin = self.compiled(compute_capability)
        for symbol in self.symbols:
            if symbol not in cubin.resources:
                has = ", ".join(sorted(cubin.resources)) or "none"
                raise GpuError(
                    f"entry '{contract.entry}' launches '{symbol}', and the kernels in {self.build.source} are {has};"
                    ' name one in source.symbol, and declare it extern "C"'
                )
        return cubin


def cuda_code(contract: Contract, file: Path, *, defines: tuple[str, ...] = (), headers: tuple[Path, ...] = ()) -> KernelCode:
    """Return the code of *contract* where CUDA C++ stands in *file*, with the flags of the contract's build.

    The kernel is the symbol of the contract's source, else its entry. *defines* are macros, each as `NAME` or `NAME=VALUE`; *headers* are
    the files that it includes, each by its name alone.

    Raises
    ------
    OSError
        One of the files cannot be read.
    """
    # By name alone, as the includes of the source say it.
    texts = {path.name: path.read_text(encoding="utf-8") for path in (file, *headers)}
    symbol = contract.source.symbol if contract.source and contract.source.symbol else contract.entry
    flags = contract.build.flags if contract.build else ()
    return KernelCode(KernelBuild(file.name, defines, flags), texts, (symbol,))
