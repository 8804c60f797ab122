"""Rules for contracts beside what the compiler says: registers, launch bounds and shared memory are those that were compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...files.documents import Document
from ...files.study import Study
from ...model.compiled import Compiled, CompiledKernel
from ...model.contract import Contract
from ...model.findings import Fault, Severity
from ...model.rules import rule
from ...model.wording import counted
from ..subjects import COMPILED, STUDY, Placed
from .wording import listed

_CORRECT = "correct the contract, or compile the kernel that it describes"


@rule("CMP-01", "kernel-repeated", "A table holds each kernel once for each way in which it was compiled.", on=COMPILED)
def kernel_repeated(compiled: Compiled) -> Iterator[Fault]:
    """Two figures for one kernel cannot both be what the compiler said."""
    first: dict[tuple[object, ...], int] = {}
    for index, kernel in enumerate(compiled.kernels):
        for entry in kernel.entries:
            key = (entry, kernel.symbol, kernel.compute_capability, kernel.threads, kernel.ctas_per_sm)
            if key in first:
                message = f"'{kernel.symbol}' of '{entry}' {_bounds(kernel)} is kernel {first[key] + 1} already; remove one of the two"
                yield Fault(kernel_repeated, ("kernels", index), message)
            first.setdefault(key, index)


@rule("CMP-02", "registers-not-compiled", "A contract states the registers that the compiler reports.", on=STUDY)
def registers_differ(study: Study) -> Iterator[Placed]:
    """How many CTAs an SM holds follows from the registers, so they must not be a guess.

    Where the batch decides which of several kernels runs, the one with the most registers counts. A contract has one figure, that for
    the device of its spec: on another device it is no more than a warning that the figure is another.
    """
    is_own = study.is_on_own_device
    repair = _CORRECT if is_own else f"the figure of the contract is that of device '{study.spec.value.device}'"
    for contract, kernels in _compiled(study):
        stated = contract.value.launch.registers
        registers = max((kernel.registers for kernel in _as_launched(contract.value, kernels)), default=stated)
        if stated is not None and registers is not None and stated != registers:
            message = f"{counted(stated, 'register')}, but the compiler reports {registers:,} {_where(study)}; {repair}"
            severity = Severity.ERROR if is_own else Severity.WARNING
            yield contract, Fault(registers_differ, ("launch", "registers"), message, severity=severity)


@rule("CMP-03", "launch-not-compiled", "A contract has threads and CTAs per SM that its kernel was compiled for.", on=STUDY)
def launch_differs(study: Study) -> Iterator[Placed]:
    """Launch bounds decide how many registers a thread may have: with other ones it is another kernel."""
    for contract, kernels in _compiled(study):
        if kernels and not _as_launched(contract.value, kernels):
            launch = contract.value.launch
            bounds = listed(dict.fromkeys(f"{kernel.threads} threads at {kernel.ctas_per_sm} per SM" for kernel in kernels))
            message = (
                f"{launch.threads} threads at {launch.ctas_per_sm} per SM, but its kernel {_where(study)} is one of {bounds}; {_CORRECT}"
            )
            key = "threads" if all(kernel.threads != launch.threads for kernel in kernels) else "ctas_per_sm"
            yield contract, Fault(launch_differs, ("launch", key), message)


@rule("CMP-04", "shared-memory-undeclared", "A contract declares at least the static shared memory of its kernel.", on=STUDY)
def shared_undeclared(study: Study) -> Iterator[Placed]:
    """The static part counts towards what a CTA holds, whatever the launch asks for beside it."""
    for contract, kernels in _compiled(study):
        static = max((kernel.shared_bytes for kernel in _as_launched(contract.value, kernels)), default=0)
        declared = contract.value.launch.shared_bytes
        if static > declared:
            message = f"{declared:,} bytes of shared memory, but the kernel has {static:,} bytes of static memory alone; declare all of it"
            yield contract, Fault(shared_undeclared, ("launch", "shared_bytes"), message)


@rule("CMP-05", "kernel-spills", "The values of a kernel fit in its registers.", on=STUDY)
def kernel_spills(study: Study) -> Iterator[Placed]:
    """Spilled values pass through memory in every thread, and no operator's bytes account for them."""
    for contract, kernels in _compiled(study):
        for kernel in _as_launched(contract.value, kernels):
            if kernel.spills:
                bytes_ = f"{kernel.spill_store_bytes:,} bytes of stores and {kernel.spill_load_bytes:,} of loads"
                message = (
                    f"'{kernel.symbol}' spills {bytes_} per thread at {counted(kernel.registers, 'register')} {_where(study)}; "
                    "give it fewer threads or CTAs per SM, or fewer operators"
                )
                yield contract, Fault(kernel_spills, ("launch", "registers"), message, severity=Severity.WARNING)


@rule("CMP-06", "table-stale", "A table is of the source that the contracts of its entries name.", on=STUDY)
def table_stale(study: Study) -> Iterator[Placed]:
    """Figures of an older source say nothing about the kernels of today."""
    for table in study.compiled:
        entries = {entry for kernel in table.value.kernels for entry in kernel.entries}
        for contract in study.contracts:
            named = contract.value.source.sha256 if contract.value.source else None
            if contract.value.entry in entries and named not in (None, table.value.source_sha256):
                message = (
                    f"a table of the source {table.value.source_sha256[:12]}..., but contract '{contract.value.entry}' names "
                    f"{named[:12]}...; compile the kernels again"
                )
                yield table, Fault(table_stale, ("source_sha256",), message)
                break


@rule("CMP-07", "compiler-differs", "A contract names the compiler of its table.", on=STUDY)
def compiler_differs(study: Study) -> Iterator[Placed]:
    """The compiler is part of the context: another one gives other registers, other code and other times."""
    for table in study.compiled:
        entries = {entry for kernel in table.value.kernels for entry in kernel.entries}
        for contract in study.contracts:
            build = contract.value.build
            if contract.value.entry in entries and build is not None and build.compiler != table.value.compiler:
                message = f"compiler {build.compiler}, but {table.file} is of {table.value.compiler}; {_CORRECT}"
                yield contract, Fault(compiler_differs, ("build", "compiler"), message)


@rule("CMP-08", "entry-not-compiled", "Each entry of a spec with tables was compiled for the device.", on=STUDY)
def entry_not_compiled(study: Study) -> Iterator[Placed]:
    """What was never compiled for the device was compared with nothing."""
    if not study.compiled:
        return
    missing = [contract.value.entry for contract, kernels in _compiled(study) if not kernels]
    if missing:
        which = listed(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        number = f"{len(missing)} of {counted(len(study.contracts), 'contract')}"
        message = f"nothing compiled {_where(study)} of {which} ({number}); compile them, so that their registers can be compared"
        yield study.spec, Fault(entry_not_compiled, ("compiled",), message, severity=Severity.WARNING)


def _compiled(study: Study) -> Iterator[tuple[Document[Contract], Sequence[CompiledKernel]]]:
    """Yield each contract with its kernels for the device; none where the spec has no tables."""
    capability = study.device.value.compute_capability
    own = [kernel for table in study.compiled for kernel in table.value.kernels if kernel.compute_capability == capability]
    for contract in study.contracts if study.compiled else ():
        yield contract, [kernel for kernel in own if contract.value.entry in kernel.entries]


def _as_launched(contract: Contract, kernels: Sequence[CompiledKernel]) -> list[CompiledKernel]:
    """Return those of *kernels* that were compiled for the launch of *contract*; all, where it does not state its threads."""
    launch = contract.launch
    asked = (launch.threads, launch.ctas_per_sm)
    return [kernel for kernel in kernels if launch.threads is None or (kernel.threads, kernel.ctas_per_sm) == asked]


def _where(study: Study) -> str:
    return f"for compute capability {study.device.value.compute_capability}"


def _bounds(kernel: CompiledKernel) -> str:
    return f"for compute capability {kernel.compute_capability}, {kernel.threads} threads at {kernel.ctas_per_sm} per SM,"
