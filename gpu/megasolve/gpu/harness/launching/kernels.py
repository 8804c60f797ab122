"""Kernels of a contract, compiled and loaded, once the compiler, the driver and the contract agree on what they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from megasolve.contracts import Contract, Study

from ...compile.code import KernelCode
from ...compile.compiler import Cubin
from ...driver import Function
from ...errors import GpuError
from ...workloads.named import workload_of
from ..session import Session


class ContractDisagrees(GpuError):
    """A kernel is not what its contract says, so its time would be no evidence for the contract."""


@dataclass(frozen=True, slots=True)
class Kernels:
    """The kernels of *contract* by symbol: one for a persistent entry; for a conventional contract those that any batch needs."""

    contract: Contract
    code: KernelCode
    cubin: Cubin
    functions: Mapping[str, Function]

    @property
    def entry(self) -> Function:
        """The kernel of a persistent entry."""
        (function,) = self.functions.values()
        return function

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.contract.launch.threads or 0


def load_kernels(session: Session, contract: Contract) -> Kernels:
    """Return the kernels of *contract*, compiled for the session's device and loaded.

    Raises
    ------
    CompileFailed, GpuError
        They do not compile, or cannot be loaded.
    ContractDisagrees
        The contract says otherwise than the compiler, or the driver than the compiler.
    """
    code = workload_of(session.study, contract).kernels(contract)
    # A source that does not compile is also another one than the contract's, which would say less.
    cubin = code.compiled_for(contract, session.context.device.compute_capability)
    _check_source(contract, code)
    functions = {symbol: session.function(cubin.image, symbol) for symbol in code.symbols}
    for symbol, function in functions.items():
        _check_driver(cubin, symbol, function)
    _check_registers(session.study, contract, code, cubin)
    _check_shared_bytes(contract, code, functions)
    return Kernels(contract, code, cubin, functions)


def _check_source(contract: Contract, code: KernelCode) -> None:
    now, named = code.sha256, contract.source.sha256 if contract.source else None
    if named not in (None, now):
        raise ContractDisagrees(
            f"entry '{contract.entry}' is of source {named[:12]}..., and the kernels are of {now[:12]}... now:"
            " write the contract anew, or its records are stale at once"
        )


def _check_driver(cubin: Cubin, symbol: str, function: Function) -> None:
    needed = cubin.resources[symbol]
    for what, ours, theirs in (
        ("registers", needed.registers, function.registers),
        ("bytes of local memory", needed.stack_bytes, function.local_bytes),
    ):
        if ours != theirs:
            raise ContractDisagrees(f"{symbol}: the compiler says {ours} {what} a thread and the driver {theirs}; it loaded another kernel")


def _check_registers(study: Study, contract: Contract, code: KernelCode, cubin: Cubin) -> None:
    """Among kernels for different batches the neediest counts, as the contract has one figure."""
    compiled, stated = max(cubin.resources[symbol].registers for symbol in code.symbols), contract.launch.registers
    if stated is not None and stated != compiled:
        raise ContractDisagrees(
            f"entry '{contract.entry}' states {stated} registers a thread, and {cubin.compiler} gives {compiled} for {cubin.architecture};"
            f" {_registers_repair(study, contract)}"
        )


def _registers_repair(study: Study, contract: Contract) -> str:
    if study.is_on_own_device:
        return "correct launch.registers: another kernel needs times of its own"
    planned, own = study.device.value.name, study.spec.value.device
    command = workload_of(study, contract).contracts_writer
    writer = f"let {command} write" if command else "correct"
    copied = f"copy the spec and its folder, name {planned} as the device there, and {writer} the contracts of the copy"
    return f"that is the figure of {own}: {copied}"


def _check_shared_bytes(contract: Contract, code: KernelCode, functions: Mapping[str, Function]) -> None:
    """What a block has of its own, by its kernel, is part of what the contract states; the rest is dynamic."""
    needed = code.shared_bytes + max(function.shared_bytes for function in functions.values())
    if contract.launch.shared_bytes < needed:
        whose = "its operators need" if code.shared_bytes else "its kernel has"
        raise ContractDisagrees(
            f"entry '{contract.entry}' states {contract.launch.shared_bytes:,} bytes of shared memory, and {whose} {needed:,};"
            " correct launch.shared_bytes"
        )
