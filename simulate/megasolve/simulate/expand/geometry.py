"""Geometries: the tile sizes that a region takes, one per family of operators, or each operator its own (paper, Table I)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from megasolve.contracts import PS_PER_SECOND
from megasolve.contracts.model.contract import Contract
from megasolve.contracts.model.programs.operators import ExplicitOperator, ShapedOperator
from megasolve.contracts.operators.library import LIBRARY_TILES, PARTIAL_BYTES, library_efficiency, library_staging
from megasolve.contracts.operators.work import Axis, Grid, OperatorWork, Tensor, TensorRole
from megasolve.contracts.sizes.operators import AnyOperator, family_of, grids_of, size_of, widths_of, work_of

from .setup import Conditions, DeviceRates, ExpansionError, Mechanisms, supported

Geometry = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class SizedOperator:
    """An operator at one set of symbols, cut under the candidate geometry of that number."""

    operator: AnyOperator
    work: OperatorWork
    grid: Grid
    candidate: int = 0


def stated_ps(operator: ShapedOperator | ExplicitOperator, candidate: int, conditions: Conditions) -> int | None:
    """Return the compute time of one tile as the contract states it for a candidate; None where it states none.

    Raises
    ------
    ExpansionError
        Times are stated by register limit, but none at that of the entry.
    """
    if operator.compute_at:
        return _at_limit(operator, conditions)
    if operator.compute_ps is None:
        return None
    return operator.compute_ps[candidate if len(operator.compute_ps) > 1 else 0]


def _at_limit(operator: ShapedOperator | ExplicitOperator, conditions: Conditions) -> int:
    limit = conditions.rates.registers
    # Switched off, the limit spills nothing: the best build of the tile counts (Table I, register limit).
    if not conditions.mechanisms.register_limit:
        return min(time.compute_ps for time in operator.compute_at)
    for time in operator.compute_at:
        if time.registers == limit:
            return time.compute_ps
    known = ", ".join(str(time.registers) for time in operator.compute_at)
    found = "the launch states no threads" if limit is None else f"the entry's limit is {limit} registers"
    raise ExpansionError(f"operator '{operator.name}' has times at {known} registers, but {found}")


def flops_ps(operator: ShapedOperator, flops: Fraction | int, rates: DeviceRates, candidate: int = 0) -> Fraction:
    """Return how long *flops* take on one worker at the efficiency of *operator* in tiles of a *candidate* geometry.

    Raises
    ------
    ExpansionError
        The device file has no dense rate.
    """
    # A copy needs no rate: a device without one can still run it.
    if not flops:
        return Fraction(0)
    if rates.flops_per_s is None:
        raise ExpansionError(f"operator '{operator.name}' has no compute_us, and the device no dense_flops_per_s to derive it from")
    efficiency = _efficiency(operator, candidate, rates)
    return flops * PS_PER_SECOND / (rates.flops_per_s * efficiency)


def _efficiency(operator: ShapedOperator, candidate: int, rates: DeviceRates) -> Fraction:
    if operator.efficiency is not None:
        return Fraction(operator.efficiency)
    if not operator.library:
        return Fraction(1)
    return Fraction(library_efficiency(LIBRARY_TILES[candidate], operator.element_bytes, rates.sm_flops_per_s))


def choose_geometry(
    contract: Contract, symbols_of_groups: Mapping[str, Mapping[str, int]], rates: DeviceRates, mechanisms: Mechanisms
) -> Geometry:
    """Return the geometry that each family of operators takes in the region of *contract*.

    It is the one that all of them declare, with the least summed task time over the groups in *symbols_of_groups*; a family
    that shares none is left out: each of its operators then takes its own best one.
    """
    if not supported(contract, mechanisms).one_geometry:
        return {}
    families: dict[str, list[_Member]] = {}
    for group, symbols in symbols_of_groups.items():
        for member in _members(contract, group, Conditions(symbols, rates, mechanisms)):
            families.setdefault(str(family_of(member.operator)), []).append(member)
    # A kernel is compiled for one tile shape of a family, so the region takes the one that all its operators declare.
    chosen = {family: _shared(members) for family, members in families.items()}
    return {family: geometry for family, geometry in chosen.items() if geometry is not None}


@dataclass(frozen=True, slots=True)
class _Member:
    """An operator with candidate geometries, and how often it runs."""

    operator: ShapedOperator
    times: int
    conditions: Conditions

    def summed_ps(self, geometry: Mapping[str, int]) -> Fraction:
        """Return the time of all its tiles, in all repeats."""
        return self.times * task_ps(self.operator, self.operator.tile.index(geometry), self.conditions)


def _members(contract: Contract, group: str, conditions: Conditions) -> Iterator[_Member]:
    for block in contract.programs.get(group, ()):
        times = size_of(block.repeat, conditions.symbols, 0)
        for operator in block.operators:
            if isinstance(operator, ShapedOperator) and operator.tile:
                yield _Member(operator, times, conditions)


def _shared(members: list[_Member]) -> Mapping[str, int] | None:
    # Of equal sums the first declared wins: min keeps the first, and the order is that of the contract.
    common = [geometry for geometry in members[0].operator.tile if all(geometry in member.operator.tile for member in members)]
    return min(common, key=lambda geometry: sum(member.summed_ps(geometry) for member in members), default=None)


def task_ps(operator: ShapedOperator, candidate: int, conditions: Conditions) -> Fraction:
    """Return the summed time of all tiles of *operator* under a candidate geometry: compute, and bytes over the bandwidth."""
    work, grid = work_of(operator, conditions.symbols), grids_of(operator, conditions.symbols)[candidate]
    stated = stated_ps(operator, candidate, conditions)
    compute_ps = flops_ps(operator, work.flops, conditions.rates, candidate) if stated is None else Fraction(stated * grid.tile_count)
    # Bytes count once per execution, or once per tile where the contract says `reread`; L2 is not modelled otherwise.
    moved = sum(tensor.size_bytes * (readers(tensor, grid) if is_reread(operator, tensor) else 1) for tensor in work.tensors)
    return compute_ps + Fraction(moved * PS_PER_SECOND, conditions.rates.bandwidth_bytes_per_s)


def readers(tensor: Tensor, grid: Grid) -> int:
    """Return how many tiles need the same part of *tensor*."""
    return prod(grid.counts[axis.value] for axis in Axis if axis not in tensor.axes)


def is_reread(operator: ShapedOperator, tensor: Tensor) -> bool:
    """Return whether every tile of *operator* loads its part of *tensor* for itself."""
    if tensor.role is TensorRole.WEIGHTS:
        return "weights" in operator.reread
    return tensor.role in (TensorRole.ACTIVATIONS, TensorRole.STATE) and "activations" in operator.reread


def sized(operator: AnyOperator, conditions: Conditions, geometry: Geometry) -> SizedOperator:
    """Return *operator* under the geometry of its family, else under its own best one."""
    if isinstance(operator, ShapedOperator):
        operator = operator.by_library if conditions.mechanisms.library else operator.as_stated
    candidate = _candidate(operator, conditions, geometry) if isinstance(operator, ShapedOperator) else 0
    work, grids = work_of(operator, conditions.symbols), grids_of(operator, conditions.symbols)
    return SizedOperator(operator, work, grids[candidate], candidate)


def _candidate(operator: ShapedOperator, conditions: Conditions, geometry: Geometry) -> int:
    shared = geometry.get(str(family_of(operator)))
    if shared in operator.tile:
        return operator.tile.index(shared)
    candidates = range(max(len(operator.geometries), 1))
    if len(candidates) == 1:
        return 0
    # A library picks the kernel that fills the device, a region the shape that is the least work.
    if operator.library:
        return _of_library(operator, conditions)
    return min(candidates, key=lambda candidate: task_ps(operator, candidate, conditions))


def _of_library(operator: ShapedOperator, conditions: Conditions) -> int:
    """Return the candidate that a library takes: of those that fit a worker, the first to end.

    That is by what the product takes, whole waves, or its bytes and the end of a split sum where they take longer, and of equal ones by
    what one tile takes. Where the bytes decide, so the smallest tiles are taken, of which the least is left when the last bytes have come.
    """
    work, rates, widths = work_of(operator, conditions.symbols), conditions.rates, widths_of(operator)
    moved_bytes = sum(tensor.size_bytes for tensor in work.tensors)
    fitting: list[tuple[Fraction, Fraction, int]] = []
    for candidate, grid in enumerate(grids_of(operator, conditions.symbols)):
        if rates.space_bytes is None or library_staging(LIBRARY_TILES[candidate], widths.element, widths.weight) <= rates.space_bytes:
            sized = SizedOperator(operator, work, grid, candidate)
            tile_ps, waves = whole_tile_ps(operator, sized, conditions), -(-grid.tile_count // rates.workers)
            moved_ps = moved_bytes * PS_PER_SECOND / _drawn_bytes_per_s(grid.tile_count, conditions)
            fitting.append((max(moved_ps + partial_ps(sized, conditions), waves * tile_ps), tile_ps, candidate))
    # The last and smallest, which then says what it lacks.
    return min(fitting)[2] if fitting else len(LIBRARY_TILES) - 1


def _drawn_bytes_per_s(tiles: int, conditions: Conditions) -> Fraction:
    """Return what so many *tiles* draw together: the bandwidth, unless what each of them has under way is less."""
    rates = conditions.rates
    bandwidth = Fraction(rates.bandwidth_bytes_per_s)
    if rates.worker_bytes_per_s is None or not conditions.mechanisms.in_flight:
        return bandwidth
    return min(bandwidth, min(tiles, rates.workers) * rates.worker_bytes_per_s)


def whole_tile_ps(operator: ShapedOperator, sized: SizedOperator, conditions: Conditions) -> Fraction:
    """Return what the largest tile of a product out of a library computes, with its part of a split sum."""
    rows, columns, depth = sized.grid.blocks
    return flops_ps(operator, 2 * rows * columns * depth, conditions.rates, sized.candidate) + partial_ps(sized, conditions)


def partial_ps(sized: SizedOperator, conditions: Conditions) -> Fraction:
    """Return what it takes to write and read the partial sums of a tile once more, at a worker's share of the bandwidth."""
    if sized.grid.counts[Axis.DEPTH.value] == 1:
        return Fraction(0)
    rates, (rows, columns, _) = conditions.rates, sized.grid.blocks
    return Fraction(PARTIAL_BYTES * rows * columns * PS_PER_SECOND * rates.workers, rates.bandwidth_bytes_per_s)
