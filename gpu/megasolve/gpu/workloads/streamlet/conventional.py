"""Conventional launches: one kernel per execution of an operator, in program order, with the arguments of all of its tiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

import numpy as np
from numpy.typing import NDArray

from megasolve.contracts import Contract, Study

from ...errors import GpuError
from ...programs.executions import OperatorExecution, executions, spans_of, tile_programs
from ...programs.group_calls import Call
from ...programs.instructions import Origin, argument_table
from ...programs.operation import Operation
from ...programs.operations import OPERATIONS
from .model import Model
from .operators import operands_of


@dataclass(frozen=True, slots=True, eq=False)
class KernelLaunch:
    """One launch of the kernel of *operation*: a CTA for each row of *table*; *entry* is the contract that it is counted under."""

    operation: Operation
    table: NDArray[np.int32]
    origin: Origin
    entry: str

    @property
    def grid_ctas(self) -> int:
        """How many CTAs are launched."""
        return len(self.table)


def conventional_contracts(study: Study, group: str, implementation: str | None = None) -> tuple[Contract, ...]:
    """Return the contracts of the kernels of *group* in order; of several implementations the first by name, or the one asked for."""
    own = [document.value for document in study.contracts if document.value.backend == "conventional" and group in document.value.members]
    names = sorted({contract.implementation or "" for contract in own})
    wanted = (names[0] if names else "") if implementation is None else implementation
    kernels = [contract for contract in own if (contract.implementation or "") == wanted and contract.programs]
    return tuple(sorted(kernels, key=lambda contract: (contract.order or 0, contract.entry)))


def launches_of(study: Study, model: Model, call: Call, contracts: Sequence[Contract] | None = None) -> tuple[KernelLaunch, ...]:
    """Return the launches of *call* by *contracts*, by default all kernels of its group.

    Contracts that follow each other and repeat alike are the kernels of one block, such as a layer: they take turns.

    Raises
    ------
    GpuError
        The group has no conventional contract with a program.
    """
    chosen = conventional_contracts(study, call.group) if contracts is None else tuple(contracts)
    if not chosen:
        raise GpuError(f"spec '{study.spec.value.name}' has no conventional contract with a program of '{call.group}'")
    runs = [(contract, list(_executions(study, model, contract, call))) for contract in chosen]
    ordered: list[tuple[Contract, OperatorExecution]] = []
    for repeat, block in groupby(runs, key=lambda run: _repeat_of(run[0], call.group)):
        columns = [[(contract, execution) for execution in found] for contract, found in block]
        # Layer by layer where kernels repeat, in which all of a block repeat alike; else one after the other.
        ordered.extend(chain.from_iterable(zip(*columns, strict=True)) if repeat else chain.from_iterable(columns))
    return tuple(_launch(model, call, contract, execution) for contract, execution in ordered)


def _executions(study: Study, model: Model, contract: Contract, call: Call) -> Iterator[OperatorExecution]:
    return executions(tile_programs(study, contract, model.sizes.batch)[call.group])


def _repeat_of(contract: Contract, group: str) -> str | None:
    """Return how often the only operator of a contract repeats, as it is written; None where it does not or there are several."""
    program = contract.programs[group]
    is_one_kernel = len(program) == 1 and len(program[0].operators) == 1
    return str(program[0].repeat) if is_one_kernel and program[0].repeat != 1 else None


def _launch(model: Model, call: Call, contract: Contract, execution: OperatorExecution) -> KernelLaunch:
    operands = operands_of(model, call, execution.operator, execution.layer)
    table = argument_table([operands.arguments(spans_of(tile)) for tile in execution.tiles])
    return KernelLaunch(OPERATIONS[operands.operation], table, Origin(call, execution.operator, execution.layer), contract.entry)
