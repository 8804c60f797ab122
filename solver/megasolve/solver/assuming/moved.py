"""What a group must move and compute by the operators of its kernels, whoever runs it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from megasolve.contracts import Contract, Spec
from megasolve.contracts.model.programs.operators import OpaqueOperator
from megasolve.contracts.model.programs.symbols import ExpressionError, UnknownSymbol
from megasolve.contracts.operators.work import OperatorWork, TensorRole
from megasolve.contracts.sizes.operators import size_of, work_of
from megasolve.contracts.sizes.symbols import symbol_values

_APPENDED = "kv_append"


@dataclass(frozen=True, slots=True)
class Moved:
    """One call of a group: the bytes and FLOPs that no kernel can spare, and how many of its *kernels* say what they compute.

    *entry_bytes* are read by its first operator and *exit_bytes* written by its last one; what is between may stay on chip.
    """

    weight_bytes: int = 0
    state_bytes: int = 0
    entry_bytes: int = 0
    exit_bytes: int = 0
    flops: int = 0
    known: int = 0
    kernels: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether every kernel says what it computes."""
        return self.known == self.kernels


def moved_by(spec: Spec, group: str, contracts: Sequence[Contract], batch: int, frames: int | None = None) -> Moved:
    """Return what one call of *group* must move and compute, as far as the programs of its *contracts* say it."""
    symbols = symbol_values(spec, group, batch, frames)
    each = [list(_executed(contract, group, symbols)) for contract in contracts]
    works = [pair for pairs in each for pair in pairs]
    first, last = (works[place][1].bytes_of(role) if works else 0 for place, role in ((0, TensorRole.ACTIVATIONS), (-1, TensorRole.OUTPUT)))
    return Moved(
        weight_bytes=sum(times * work.weight_bytes for times, work, _ in works),
        state_bytes=_state_bytes(works),
        entry_bytes=first if each[0] else 0,
        exit_bytes=last if each[-1] else 0,
        flops=sum(times * work.flops for times, work, _ in works),
        known=sum(contract.kernels for contract, found in zip(contracts, each, strict=True) if found),
        kernels=sum(contract.kernels for contract in contracts),
    )


def kept_bytes(contract: Contract, group: str, names: Collection[str], symbols: dict[str, int]) -> int:
    """Return what one call of *group* need not store and load again if the outputs of the operators with these *names* stay on chip."""
    found = 0
    for block in contract.programs.get(group, ()):
        for operator in block.operators:
            if operator.name in names and not isinstance(operator, OpaqueOperator):
                found += 2 * size_of(block.repeat, symbols, 0) * work_of(operator, symbols).output_bytes
    return found


def _executed(contract: Contract, group: str, symbols: dict[str, int]) -> Iterator[tuple[int, OperatorWork, str]]:
    """Yield how often each operator of *contract* is executed in one call, its work, and its kind; none whose size nobody knows."""
    for block in contract.programs.get(group, ()):
        for operator in block.operators:
            # What an opaque kernel moves is what it moved, not what it had to.
            if isinstance(operator, OpaqueOperator):
                continue
            try:
                yield size_of(block.repeat, symbols, 0), work_of(operator, symbols), operator.kind
            except (ExpressionError, UnknownSymbol):
                continue


def _state_bytes(works: Sequence[tuple[int, OperatorWork, str]]) -> int:
    """Return what is read and written of caches; what a kernel appends to one and another reads at once counts once."""
    read = sum(times * work.bytes_of(TensorRole.STATE) for times, work, _ in works)
    written = sum(times * work.bytes_of(TensorRole.CARRIED) for times, work, _ in works)
    appended = sum(times * work.bytes_of(TensorRole.CARRIED) for times, work, kind in works if kind == _APPENDED)
    return max(read - appended, 0) + written
