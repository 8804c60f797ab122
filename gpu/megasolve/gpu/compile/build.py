"""Builds: what must be compiled for a contract, so that the kernel is the one that the contract declares."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from megasolve.contracts import Contract

from ..errors import GpuError
from ..programs.operands import entry_operations
from ..programs.operations import OPERATIONS, operations_mask
from .architectures import architecture_of
from .compiler import Cubin, compiler_version
from .cubin_cache import compile_once
from .kernels_source import kernel_sources

PERSISTENT, CONVENTIONAL = "interpreter.cu", "conventional.cu"
THREADS = (128, 256, 512)

# Registers of an SM, and the most of a thread and the unit that they are handed out in: the same for all architectures of the kernels.
_REGISTERS_PER_SM, _MOST_REGISTERS, _REGISTER_UNIT = 65536, 255, 8


@dataclass(frozen=True, slots=True)
class KernelBuild:
    """One compilation: of the file *source*, with *defines* as macros (`NAME=VALUE`) and further *flags* of the compiler."""

    source: str
    defines: tuple[str, ...]
    flags: tuple[str, ...] = ()


def build_of(contract: Contract) -> KernelBuild:
    """Return what must be compiled for *contract*: its persistent entry, or the conventional kernels.

    Raises
    ------
    GpuError
        The kernels cannot be what the contract declares.
    """
    operations = operations_of(contract)
    threads = _threads(contract)
    _check_register_limit(contract, threads)
    defines = (f"MS_THREADS={threads}", f"MS_MIN_CTAS={contract.launch.ctas_per_sm}")
    flags = contract.build.flags if contract.build else ()
    if contract.backend == "conventional":
        return KernelBuild(CONVENTIONAL, defines, flags)
    # Only the operators that the entry runs: further ones could raise the registers of all.
    own = (f"MS_ENTRY={_identifier(contract.entry)}", f"MS_OPERATIONS={operations_mask(operations):#x}")
    return KernelBuild(PERSISTENT, (*defines, *own), flags)


def symbols_of(contract: Contract) -> tuple[str, ...]:
    """Return the kernels of *contract* by their names in the cubin; there are several where the batch decides which of them runs.

    Raises
    ------
    GpuError
        As for `operations_of`.
    """
    if contract.backend == "megakernel":
        return (f"ms_{_identifier(contract.entry)}",)
    return tuple(f"k_{operation}" for operation in operations_of(contract))


def compile_build(build: KernelBuild, compute_capability: str, *, folder: Path | None = None) -> Cubin:
    """Return the cubin of *build* for *compute_capability*, compiled now or recalled from the cache in *folder*.

    Raises
    ------
    CompileFailed, GpuError
        The source does not compile, there are no kernels for this capability, or NVRTC is not installed.
    """
    return compile_once(build.source, kernel_sources(), architecture_of(compute_capability), build.defines, build.flags, folder=folder)


def require_compiler(contract: Contract) -> None:
    """Refuse a contract of another compiler than the one that is here.

    Raises
    ------
    GpuError
        It states another one, or NVRTC is not installed.
    """
    stated = contract.build.compiler if contract.build else None
    if stated is not None and stated != (found := compiler_version()):
        wanted = stated.rpartition(" ")[2]
        repair = f"pip install 'nvidia-cuda-nvrtc=={wanted}.*'" if stated.startswith("nvrtc ") else f"write 'compiler: {found}'"
        raise GpuError(f"entry '{contract.entry}' is of compiler {stated}, and this is {found}: another build is another kernel; {repair}")


def operations_of(contract: Contract) -> tuple[str, ...]:
    """Return the operations of the kernels that the programs of *contract* need at any batch, in the order of the table.

    Raises
    ------
    GpuError
        There is no program, or an operator of a kind that the kernels do not know; for a conventional contract, several kinds.
    """
    kinds = sorted({operator.kind for program in contract.programs.values() for block in program for operator in block.operators})
    if not kinds:
        raise GpuError(f"entry '{contract.entry}' has no program, so it is not known what its kernel computes; add `programs`")
    if contract.backend == "conventional" and len(kinds) > 1:
        raise GpuError(f"entry '{contract.entry}' has operators of {len(kinds)} kinds ({', '.join(kinds)}); one of these kernels has one")
    wanted = entry_operations(contract)
    if unknown := sorted(wanted - OPERATIONS.keys()):
        raise GpuError(f"entry '{contract.entry}' has operators of kind {', '.join(unknown)}; the kernels know {', '.join(OPERATIONS)}")
    return tuple(operation for operation in OPERATIONS if operation in wanted)


def register_limit(threads: int, ctas_per_sm: int = 1) -> int:
    """Return the registers that the launch bounds leave to a thread: the file of an SM over its resident threads."""
    # The register file over the resident threads, at most 255 (Table I of the paper), in the unit of the hardware.
    return min(_MOST_REGISTERS, _REGISTERS_PER_SM // (threads * ctas_per_sm) // _REGISTER_UNIT * _REGISTER_UNIT)


def _identifier(entry: str) -> str:
    # The name of an entry may hold what no macro and no kernel may be called.
    return re.sub(r"\W", "_", entry)


def _threads(contract: Contract) -> int:
    threads = contract.launch.threads
    if threads not in THREADS or contract.launch.roles:
        found = "roles" if contract.launch.roles else "no number of threads" if threads is None else f"{threads} threads"
        raise GpuError(f"entry '{contract.entry}' has {found}; the kernels are made for {', '.join(map(str, THREADS))} threads")
    return threads


def _check_register_limit(contract: Contract, threads: int) -> None:
    """The limit is part of the context, so a kernel with another one is no evidence for the contract."""
    stated = contract.build.register_limit if contract.build else None
    limit = register_limit(threads, contract.launch.ctas_per_sm)
    if stated is not None and stated != limit:
        bounds = f"{threads} threads at {contract.launch.ctas_per_sm} per SM"
        raise GpuError(f"entry '{contract.entry}' states a register limit of {stated}; the launch bounds of {bounds} leave {limit}")
