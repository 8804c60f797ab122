"""Tiles of one operator: what each of them computes, loads, stores and holds; their parts sum exactly to the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import add

from megasolve.contracts import PS_PER_SECOND
from megasolve.contracts.model.programs.operators import ExplicitOperator, OpaqueOperator, ShapedOperator
from megasolve.contracts.operators.sizes import per_tile, size_of
from megasolve.contracts.operators.work import Grid, Tensor, TensorRole, part, staged_bytes, tile_flops

from ..events.waves import wave_factor
from .geometry import SizedOperator, flops_ps, is_reread, readers, stated_ps
from .setup import Conditions

Place = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class TileCost:
    """What one tile takes, before its counters are known; *input_bytes* are those of its activations that are input tensors."""

    compute_ps: int
    weight_bytes: int = 0
    activation_bytes: int = 0
    output_bytes: int = 0
    staging_bytes: int = 0
    input_bytes: int = 0


def tile_costs(sized: SizedOperator, conditions: Conditions, *, reloaded_bytes: int = 0) -> tuple[TileCost, ...]:
    """Return what each tile of *sized* takes, in program order.

    *reloaded_bytes* are input tensors that earlier operators keep on chip: they are not loaded. A forwarded output is not
    stored. Neither changes what a tile holds.
    """
    costs = _all_costs(sized, conditions)
    if not conditions.mechanisms.forwarding:
        return costs
    costs = _without_reload(costs, reloaded_bytes, sized.work.activation_bytes)
    return _without_store(sized, costs) if sized.operator.forwarded else costs


def _all_costs(sized: SizedOperator, conditions: Conditions) -> tuple[TileCost, ...]:
    operator = sized.operator
    if isinstance(operator, ShapedOperator):
        return _shaped_costs(operator, sized, conditions)
    if isinstance(operator, ExplicitOperator):
        return _explicit_costs(operator, sized.grid.tile_count, conditions)
    return (_opaque_cost(operator, conditions),)


def _shaped_costs(operator: ShapedOperator, sized: SizedOperator, conditions: Conditions) -> tuple[TileCost, ...]:
    places = [sized.grid.place(tile) for tile in range(sized.grid.tile_count)]
    computes, staging = _computes(operator, sized, places, conditions), staging_of(operator, sized)
    moved = {role: _moved(operator, sized, role, places) for role in TensorRole}
    weights, inputs, states = moved[TensorRole.WEIGHTS], moved[TensorRole.ACTIVATIONS], moved[TensorRole.STATE]
    outputs = [output + carried for output, carried in zip(moved[TensorRole.OUTPUT], moved[TensorRole.CARRIED], strict=True)]
    return tuple(
        TileCost(compute, weight, taken + state, output, max(staging, output), taken)
        for compute, weight, taken, state, output in zip(computes, weights, inputs, states, outputs, strict=True)
    )


def _computes(operator: ShapedOperator, sized: SizedOperator, places: Sequence[Place], conditions: Conditions) -> list[int]:
    """Return the compute time of each tile; those with the same flops are worked out once."""
    stated = stated_ps(operator, sized.candidate, conditions)
    if stated is not None:
        return [stated] * len(places)
    known: dict[tuple[int, ...], int] = {}
    last = tuple(count - 1 for count in sized.grid.counts)
    times = []
    for place in places:
        # Only the last block of an axis may be partial; under causal attention every row of blocks has its own scores.
        key = (*map(int.__eq__, place, last), place[0] if sized.work.causal else 0)
        if key not in known:
            known[key] = _rounded_up(flops_ps(operator, tile_flops(sized.work, sized.grid, place), conditions.rates))
        times.append(known[key])
    return times


def _moved(operator: ShapedOperator, sized: SizedOperator, role: TensorRole, places: Sequence[Place]) -> list[int]:
    """Return what each tile moves of all tensors of *role*."""
    sums = [0] * len(places)
    for tensor in sized.work.tensors:
        if tensor.role is role and tensor.size_bytes:
            shared_by = 1 if is_reread(operator, tensor) else readers(tensor, sized.grid)
            sums = list(map(add, sums, _shares(tensor, sized.grid, places, shared_by)))
    return sums


def _shares(tensor: Tensor, grid: Grid, places: Sequence[Place], shared_by: int) -> list[int]:
    """Return each tile's share of its part of *tensor*; the remainder goes to the first of the tiles that need the same part."""
    axes = tuple(axis.value for axis in tensor.axes)
    parts: dict[tuple[int, ...], int] = {}
    shares = []
    for place in places:
        key = tuple([place[axis] for axis in axes])
        needed = parts.get(key)
        if needed is None:
            needed = parts[key] = part(tensor.size_bytes, grid, tensor.axes, place)
            shares.append(needed - (shared_by - 1) * (needed // shared_by))
        else:
            shares.append(needed // shared_by)
    return shares


def staging_of(operator: ShapedOperator, sized: SizedOperator) -> int:
    """Return what a tile of *operator* holds: what the contract states for the geometry, else the parts that it works on."""
    if operator.staging_bytes is None:
        return staged_bytes(sized.work, sized.grid)
    return operator.staging_bytes[sized.candidate if len(operator.staging_bytes) > 1 else 0]


def _rounded_up(value: Fraction) -> int:
    return -(-value.numerator // value.denominator)


def _explicit_costs(operator: ExplicitOperator, tiles: int, conditions: Conditions) -> tuple[TileCost, ...]:
    columns = [per_tile(series, tiles) for series in (operator.weight_bytes, operator.activation_bytes, operator.output_bytes)]
    stated = None if operator.staging_bytes is None else per_tile(operator.staging_bytes, tiles)
    if operator.compute_at:
        computes = per_tile((stated_ps(operator, 0, conditions) or 0,), tiles)
    else:
        computes = per_tile(operator.compute_ps or (0,), tiles)
    costs = []
    for tile, (compute, weights, activations, output) in enumerate(zip(computes, *columns, strict=True)):
        staging = weights + activations + output if stated is None else max(stated[tile], output)
        costs.append(TileCost(compute, weights, activations, output, staging, activations))
    return tuple(costs)


def _opaque_cost(operator: OpaqueOperator, conditions: Conditions) -> TileCost:
    """The whole operator as one task: its bytes pass the queue, its compute part slows by whole waves (paper, Table I)."""
    symbols, rates = conditions.symbols, conditions.rates
    moved = size_of(operator.hbm_bytes, symbols, 0)
    memory_ps = Fraction(moved * PS_PER_SECOND, rates.bandwidth_bytes_per_s)
    factor = wave_factor(size_of(operator.grid_ctas, symbols), rates.workers, operator.resident_ctas)
    return TileCost(_rounded_up(max(operator.duration_ps - memory_ps, Fraction(0)) * factor), activation_bytes=moved)


def _without_reload(costs: Sequence[TileCost], kept_bytes: int, input_bytes: int) -> tuple[TileCost, ...]:
    """Take *kept_bytes* of the *input_bytes* from the loads, from each tile in proportion to what it loads of them."""
    loaded = sum(cost.input_bytes for cost in costs)
    if not loaded or not kept_bytes:
        return tuple(costs)
    saved = loaded * min(kept_bytes, input_bytes) // input_bytes
    before, lighter = 0, []
    for cost in costs:
        after = before + cost.input_bytes
        less = saved * after // loaded - saved * before // loaded
        lighter.append(replace(cost, activation_bytes=cost.activation_bytes - less))
        before = after
    return tuple(lighter)


def _without_store(sized: SizedOperator, costs: Sequence[TileCost]) -> tuple[TileCost, ...]:
    """Take the output from the stores, but no state that is written: no forwarding saves that."""
    if not isinstance(sized.operator, ShapedOperator):
        return tuple(replace(cost, output_bytes=0) for cost in costs)
    places = [sized.grid.place(tile) for tile in range(sized.grid.tile_count)]
    carried = _moved(sized.operator, sized, TensorRole.CARRIED, places)
    return tuple(replace(cost, output_bytes=left) for cost, left in zip(costs, carried, strict=True))
