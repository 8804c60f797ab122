"""Tiles of one operator: what each of them computes, loads, stores and holds; their parts sum exactly to the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from math import ceil
from operator import add, mul
from typing import Any

import numpy as np

from megasolve.contracts.model.programs.operators import ExplicitOperator, OpaqueOperator, ShapedOperator
from megasolve.contracts.operators.library import LIBRARY_TILES, library_staging, stage_depth
from megasolve.contracts.operators.work import Axis, Grid, Tensor, TensorRole, staged_bytes
from megasolve.contracts.sizes.operators import size_of, widths_of

from ..events.waves import opaque_compute_ps
from ..tiles.arrays import LARGEST, Figures, figures
from .columns import Column, along, flat, is_first, single, spans, times_over
from .geometry import SizedOperator, flops_ps, is_reread, partial_ps, readers, stated_ps
from .setup import Conditions


@dataclass(frozen=True, slots=True, eq=False)
class CostColumns:
    """What each tile takes, before its counters are known; *input_bytes* are those of its activations that are input tensors.

    *early_ps* is the part of the compute that runs while the tile loads.
    """

    compute_ps: Column
    weight_bytes: Column
    activation_bytes: Column
    output_bytes: Column
    staging_bytes: Column
    input_bytes: Column
    cached_weight_bytes: Column = field(default_factory=partial(single, 0))
    cached_activation_bytes: Column = field(default_factory=partial(single, 0))
    early_ps: Column = field(default_factory=partial(single, 0))

    @property
    def columns(self) -> tuple[Column, ...]:
        """What a tile takes, without what only forwarding looks at."""
        cached = self.cached_weight_bytes, self.cached_activation_bytes
        moved = self.weight_bytes, self.activation_bytes, self.output_bytes, self.staging_bytes
        return self.compute_ps, *moved, *cached, self.early_ps


@dataclass(frozen=True, slots=True)
class FoundInputs:
    """What a call of an operator need not load from memory: *reloaded_bytes* of its inputs are on chip, *cached_bytes* of them in L2.

    With *cached_weights* its weights are in L2, too.
    """

    reloaded_bytes: int = 0
    cached_bytes: int = 0
    cached_weights: bool = False


def tile_costs(sized: SizedOperator, conditions: Conditions, found: FoundInputs) -> CostColumns:
    """Return what each tile of *sized* takes, in program order, where it *found* some inputs near.

    What is on chip is not loaded, and a forwarded output is not stored. Neither changes what a tile holds.
    """
    costs, left_bytes = _all_costs(sized, conditions), sized.work.activation_bytes
    if conditions.mechanisms.forwarding:
        costs = _forwarded(costs, sized, found)
        # What is on chip is not looked for in L2: only of the rest can anything be there.
        left_bytes -= min(found.reloaded_bytes, left_bytes)
    if found.cached_weights:
        costs = replace(costs, weight_bytes=single(0), cached_weight_bytes=costs.weight_bytes)
    near = _loaded_less(costs, found.cached_bytes, left_bytes, sized)
    return replace(costs, activation_bytes=costs.activation_bytes - near, cached_activation_bytes=near)


def _forwarded(costs: CostColumns, sized: SizedOperator, found: FoundInputs) -> CostColumns:
    less = _loaded_less(costs, found.reloaded_bytes, sized.work.activation_bytes, sized)
    costs = replace(costs, activation_bytes=costs.activation_bytes - less, input_bytes=costs.input_bytes - less)
    # A state that is carried to the next step leaves the chip even where the output itself does not.
    return replace(costs, output_bytes=_moved(sized, TensorRole.CARRIED)) if sized.operator.forwarded else costs


def _all_costs(sized: SizedOperator, conditions: Conditions) -> CostColumns:
    operator = sized.operator
    if isinstance(operator, ShapedOperator):
        return _shaped_costs(operator, sized, conditions)
    if isinstance(operator, ExplicitOperator):
        return _explicit_costs(operator, conditions)
    return _opaque_cost(operator, conditions)


def _shaped_costs(operator: ShapedOperator, sized: SizedOperator, conditions: Conditions) -> CostColumns:
    inputs, output = _moved(sized, TensorRole.ACTIVATIONS), _moved(sized, TensorRole.OUTPUT) + _moved(sized, TensorRole.CARRIED)
    compute_ps, early_ps = _computes(operator, sized, conditions)
    return CostColumns(
        compute_ps=compute_ps,
        weight_bytes=_moved(sized, TensorRole.WEIGHTS),
        activation_bytes=inputs + _moved(sized, TensorRole.STATE),
        output_bytes=output,
        staging_bytes=np.maximum(output, single(staging_of(operator, sized))),
        input_bytes=inputs,
        early_ps=early_ps,
    )


def _computes(operator: ShapedOperator, sized: SizedOperator, conditions: Conditions) -> tuple[Column, Column]:
    """Return the compute time of each tile, its share of the flops of the whole, rounded up, and what of it may run during the load."""
    stated = stated_ps(operator, sized.candidate, conditions)
    # What the contract states is per tile, partial ones too: a short tile takes the pipeline as long.
    if stated is not None:
        return single(stated), _early(operator, sized, single(stated), conditions)
    # One rational for the whole, split by integers: the parts sum to it but for the rounding up of each.
    whole_ps = flops_ps(operator, sized.work.flops, conditions.rates, sized.candidate)
    widths = [_share(sized, axis) for axis in Axis]
    # The figures of an axis are few, but for causal attention, where every row of blocks has its own scores.
    values, codes = zip(*(np.unique(width, return_inverse=True) for width in widths), strict=True)
    parts = reduce(mul, (along(axis, one.astype(object)) for axis, one in zip(Axis, values, strict=True)))
    extents = int(_seen(sized, sized.work.extents[0])) * sized.work.extents[1] * sized.work.extents[2]
    times = -(-(parts * whole_ps.numerator) // (whole_ps.denominator * extents))
    table = figures(times.reshape(-1).tolist()).reshape(times.shape)
    rows, columns, depth = (along(axis, one.reshape(-1)) for axis, one in zip(Axis, codes, strict=True))
    found: Column = table[rows, columns, depth]
    early = _early(operator, sized, found, conditions)
    # Of a library's product, what a split sum costs beside its flops.
    return found + single(ceil(partial_ps(sized, conditions))) if operator.library else found, early


def _early(operator: ShapedOperator, sized: SizedOperator, compute_ps: Column, conditions: Conditions) -> Column:
    """Return what a pipelined tile computes while it loads: all but its last stage, for which it has to wait."""
    if not conditions.mechanisms.pipelining or not (operator.library or operator.pipelined):
        return single(0)
    widths = widths_of(operator)
    depth = sized.grid.blocks[Axis.DEPTH.value]
    last = min(stage_depth(widths.element, widths.weight), depth)
    return times_over(compute_ps, single(depth - last), depth)


def _share(sized: SizedOperator, axis: Axis) -> Figures:
    """Return the part of *axis* that each of its blocks has; rows of causal attention have scores that they need."""
    first, last = spans(sized.grid, axis)
    if axis is Axis.ROWS and sized.work.causal is not None:
        return (_seen(sized, last) - _seen(sized, first)).reshape(-1)
    return (last - first).reshape(-1)


def _seen(sized: SizedOperator, row: Column | int) -> Figures:
    """Return how many keys the queries of the first *row* rows see together, or how many rows they are where all see the same."""
    causal, rows = sized.work.causal, np.array(row, dtype=object)
    # Python's numbers: products of extents pass 2^63 in long prompts.
    many: Any = rows
    return rows if causal is None else np.array(causal.scores_before(many), dtype=object)


def _moved(sized: SizedOperator, role: TensorRole) -> Column:
    """Return what each tile moves of all tensors of *role*; without a shape nothing is known of them."""
    operator = sized.operator
    if not isinstance(operator, ShapedOperator):
        return single(0)
    tensors = [tensor for tensor in sized.work.tensors if tensor.role is role and tensor.size_bytes]
    return reduce(add, (_shares(tensor, sized.grid, is_reread=is_reread(operator, tensor)) for tensor in tensors), single(0))


def _shares(tensor: Tensor, grid: Grid, *, is_reread: bool) -> Column:
    """Return each tile's share of its part of *tensor*; the remainder goes to the first of the tiles that need the same part."""
    needed, shared_by = _parts(tensor, grid), 1 if is_reread else readers(tensor, grid)
    if shared_by == 1:
        return needed
    # Each tile of those that need the same part loads an equal share, and the first one the remainder, so that the sum is exact.
    share = needed // shared_by
    others = [axis for axis in Axis if axis not in tensor.axes and grid.counts[axis.value] > 1]
    found: Column = np.where(is_first(grid, others), needed - (shared_by - 1) * share, share)
    return found


def _parts(tensor: Tensor, grid: Grid) -> Column:
    """Return the whole-number part of *tensor* that each tile cuts out along its axes."""
    total = single(tensor.size_bytes)
    for axis in tensor.axes:
        (first, last), extent = spans(grid, axis), grid.extents[axis.value]
        # Differences of rounded-down prefix sums: whole numbers that telescope to the total, axis by axis.
        total = times_over(total, last, extent) - times_over(total, first, extent)
    return total


def staging_of(operator: ShapedOperator, sized: SizedOperator) -> int:
    """Return what a tile of *operator* holds: what the contract states for the geometry, else the parts that it works on."""
    if operator.library:
        widths = widths_of(operator)
        return library_staging(LIBRARY_TILES[sized.candidate], widths.element, widths.weight)
    if operator.staging_bytes is None:
        return staged_bytes(sized.work, sized.grid)
    return operator.staging_bytes[sized.candidate if len(operator.staging_bytes) > 1 else 0]


def _explicit_costs(operator: ExplicitOperator, conditions: Conditions) -> CostColumns:
    stated = stated_ps(operator, 0, conditions) if operator.compute_at else None
    weights, activations, output = map(_series, (operator.weight_bytes, operator.activation_bytes, operator.output_bytes))
    staging = weights + activations + output if operator.staging_bytes is None else np.maximum(_series(operator.staging_bytes), output)
    compute_ps = _series(operator.compute_ps or (0,)) if stated is None else single(stated)
    return CostColumns(compute_ps, weights, activations, output, staging, activations)


def _series(values: Sequence[int]) -> Column:
    """Return one figure per tile: *values* themselves, or their only one for every tile."""
    return along(Axis.ROWS, figures(values))


def _opaque_cost(operator: OpaqueOperator, conditions: Conditions) -> CostColumns:
    """The whole operator as one task: its bytes pass the queue, its compute part slows by whole waves (paper, Table I)."""
    symbols, rates = conditions.symbols, conditions.rates
    moved, grid_ctas = size_of(operator.hbm_bytes, symbols, 0), size_of(operator.grid_ctas, symbols)
    compute_ps = opaque_compute_ps(
        operator.duration_ps,
        moved,
        rates.bandwidth_bytes_per_s,
        grid_ctas=grid_ctas,
        workers=rates.workers,
        resident_ctas=operator.resident_ctas,
    )
    nothing = single(0)
    return CostColumns(single(compute_ps), nothing, single(moved), nothing, nothing, nothing)


def _loaded_less(costs: CostColumns, kept_bytes: int, input_bytes: int, sized: SizedOperator) -> Column:
    """Return what each tile need not load where *kept_bytes* of *input_bytes* are near, in proportion to what it loads of them."""
    inputs = flat(costs.input_bytes, sized.grid.counts)
    loaded = sum_of(inputs)
    if not loaded or not kept_bytes or not input_bytes:
        return single(0)
    # A producer may keep more than this operator reads of it, and rereading tiles load more than the tensors have: in proportion.
    saved = single(loaded * min(kept_bytes, input_bytes) // input_bytes).reshape(-1)
    # Prefix sums again: what each tile saves is whole, and all of them save exactly the kept bytes.
    passed = times_over(np.cumsum(inputs if loaded <= LARGEST else inputs.astype(object)), saved, loaded)
    less: Column = np.diff(passed, prepend=passed[:1] * 0).reshape(sized.grid.counts)
    return less


def sum_of(column: Figures) -> int:
    """Return the exact sum of figures, none of them negative."""
    if not column.size:
        return 0
    exact = column if int(column.max()) * column.size <= LARGEST else column.astype(object)
    return int(exact.sum())
