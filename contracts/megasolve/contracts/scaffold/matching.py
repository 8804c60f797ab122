"""Which kernels of a profile are launches of which contract, and in what the two differ."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..model.contract import Contract
from ..observe.globs import Globs
from ..profiles.execution import KernelShape
from ..profiles.names import normalized
from .words.names import base_name

GRID, THREADS, REGISTERS, SHARED = "grid", "threads", "registers", "shared memory"


@dataclass(frozen=True, slots=True)
class FigureDifference:
    """One figure of a kernel that ran otherwise than its contract says: both values, in words where they are several."""

    figure: str
    observed: int
    declared: tuple[int, ...]


def claims(contracts: Sequence[Contract], shapes: Sequence[KernelShape]) -> Mapping[str, tuple[KernelShape, ...]]:
    """Return the shapes that each contract accounts for, by entry.

    A shape goes to the contracts that spell its whole name, else to those with a pattern that fits the name or the function's alone; of
    these to the ones that differ least from it, and then to those that say as much as it does. Where all of them differ, those come
    first that no other shape fits exactly.
    """
    spelt: dict[str, list[Contract]] = {}
    for contract in contracts:
        for pattern in dict.fromkeys(contract.observed_kernels):
            spelt.setdefault(pattern, []).append(contract)
    names = dict.fromkeys(shape.name for shape in shapes)
    by_name = {name: spelt.get(name) or [contract for contract in contracts if _fits(contract, name)] for name in names}
    exact = {contract.entry for shape in shapes for contract in by_name[shape.name] if not differences(contract, shape)}
    found: dict[str, list[KernelShape]] = {contract.entry: [] for contract in contracts}
    for shape in shapes:
        for contract in _nearest(shape, by_name[shape.name], exact):
            found[contract.entry].append(shape)
    return {entry: tuple(taken) for entry, taken in found.items()}


def _fits(contract: Contract, kernel: str) -> bool:
    patterns = Globs(contract.observed_kernels)
    same = {normalized(pattern) for pattern in contract.observed_kernels}
    return patterns.match(kernel) or patterns.match(base_name(kernel)) or normalized(kernel) in same


def _nearest(shape: KernelShape, known: Sequence[Contract], exact: Collection[str]) -> Sequence[Contract]:
    distances = [_distance(contract, shape) for contract in known]
    nearest = [contract for contract, distance in zip(known, distances, strict=True) if distance == min(distances)]
    if not nearest or not min(distances)[0]:
        return nearest
    return [contract for contract in nearest if contract.entry not in exact] or nearest


def _distance(contract: Contract, shape: KernelShape) -> tuple[int, int]:
    """Return in how many figures the two differ, and how many only one of them states."""
    launch = contract.launch
    stated = (bool(_grids(contract)), launch.threads is not None, launch.registers is not None, _states_shared(contract))
    observed = (shape.ctas, shape.threads, shape.registers, shape.shared_bytes)
    alone = sum(says != (figure is not None) for says, figure in zip(stated, observed, strict=True))
    return len(differences(contract, shape)), alone


def differences(contract: Contract, shape: KernelShape) -> tuple[FigureDifference, ...]:
    """Return in which figures a launch of *shape* is not what *contract* declares; what either does not say differs in nothing."""
    return tuple(_differences(contract, shape))


def _differences(contract: Contract, shape: KernelShape) -> Iterator[FigureDifference]:
    launch, grids = contract.launch, _grids(contract)
    if grids and shape.ctas is not None and shape.ctas not in grids:
        yield FigureDifference(GRID, shape.ctas, grids)
    if launch.threads is not None and shape.threads is not None and shape.threads != launch.threads:
        yield FigureDifference(THREADS, shape.threads, (launch.threads,))
    if launch.registers is not None and shape.registers is not None and shape.registers != launch.registers:
        yield FigureDifference(REGISTERS, shape.registers, (launch.registers,))
    off = 0 if shape.shared_bytes is None else abs(shape.shared_bytes - launch.shared_bytes)
    if _states_shared(contract) and off > shape.shared_tolerance_bytes:
        yield FigureDifference(SHARED, shape.shared_bytes or 0, (launch.shared_bytes,))


def _grids(contract: Contract) -> tuple[int, ...]:
    """Return the grids that the contract allows: its own where it states one, else its budgets; none where it states neither."""
    return contract.budgets if contract.grid_ctas is None else (contract.grid_ctas,)


def _states_shared(contract: Contract) -> bool:
    """Whether absent shared memory means none: a launch that is not fully known says why, and then absent is unknown."""
    return "shared_bytes" in contract.launch.model_fields_set or contract.launch.unverified is None
