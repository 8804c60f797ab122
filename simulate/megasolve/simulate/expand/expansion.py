"""Expansion: what one call of a group executes, from declared operators to a tile program (paper, section IV-B)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from megasolve.contracts.model.contract import Contract
from megasolve.contracts.model.programs.operators import Program
from megasolve.contracts.sizes.programs import MOST_TILES

from ..tiles.program import TileProgram
from .charges import Charges, charges_of
from .classes import Classes, classes_of
from .counters import Counters, body_of, counters_of, require_few_tiles
from .edges import OperatorEdge, Plan, inputs_of, plan_of, running_blocks
from .geometry import Geometry, choose_geometry, sized
from .l2 import KeptInL2, counts_on_l2, staying_of
from .sections import PlanParts, sections_of
from .setup import Conditions, DeviceRates, ExpansionError, Mechanisms, supported
from .tiles import FoundInputs, tile_costs


def expand(
    contract: Contract,
    group: str,
    symbols: Mapping[str, int],
    rates: DeviceRates,
    mechanisms: Mechanisms | None = None,
    *,
    geometry: Geometry | None = None,
    most_tiles: int = MOST_TILES,
    members: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
) -> TileProgram:
    """Return the tile program of one call of *group* in the entry of *contract*.

    Parameters
    ----------
    symbols
        Values of the spec's symbols, of `batch` and of the group's shapes.
    rates
        What the device gives to the workers of the budget, see `device_rates`.
    mechanisms
        The mechanisms that are on, all by default; those that the contract cannot have are off anyway.
    geometry
        The geometry of each family in the region, see `choose_geometry`; by default the one that suits this group.
    most_tiles
        How many tiles may be made. A repeating block counts twice where it becomes the body, else with each repeat.
    members
        Symbols of the members of the entry: calls of the others come between two of this one, so their weights have to fit in L2, too.

    Raises
    ------
    ExpansionError
        The contract has no program for *group*, or no time for an operator, or its grids do not fit together.
    TooManyTiles
        The program has more tiles than *most_tiles*; none was made.
    ExpressionError, UnknownSymbol
        A size has no value under *symbols*.
    """
    enabled = supported(contract, Mechanisms() if mechanisms is None else mechanisms)
    if group not in contract.programs:
        raise ExpansionError(f"entry '{contract.entry}' has no program for group '{group}'")
    if geometry is None:
        geometry = choose_geometry(contract, {group: symbols}, rates, enabled)
    conditions = Conditions(symbols, rates, enabled)
    plan = _plan(contract.programs[group], conditions, geometry)
    body = body_of(plan)
    # Counted from grids alone: a program that explodes is refused before an array of it exists.
    require_few_tiles(plan, body, most_tiles)
    charges = charges_of(contract, enabled)
    counters = counters_of(plan, most_tiles, charges)
    staying = staying_of(contract, plan, conditions, tuple(_others(contract, group, members, conditions, geometry)))
    classes = tuple(_classes(staying, number, conditions, counters, charges) for number in range(len(plan.operators)))
    return sections_of(PlanParts(plan, classes, counters), body)


def _plan(program: Program, conditions: Conditions, geometry: Geometry) -> Plan:
    blocks = running_blocks(program, conditions.symbols)
    operators = [sized(operator, conditions, geometry) for block, _ in blocks for operator in block.operators]
    names = frozenset(operator.name for block in program for operator in block.operators)
    return plan_of(blocks, operators, names, readiness=conditions.mechanisms.readiness)


def _others(
    contract: Contract, group: str, members: Mapping[str, Mapping[str, int]], conditions: Conditions, geometry: Geometry
) -> Iterator[Plan]:
    """Yield the plans of the other members, where what they load has a say in what stays in L2."""
    if counts_on_l2(contract, conditions):
        for member, symbols in members.items():
            if member != group and member in contract.programs:
                yield _plan(contract.programs[member], replace(conditions, symbols=symbols), geometry)


def _classes(staying: KeptInL2, number: int, conditions: Conditions, counters: Counters, charges: Charges) -> tuple[Classes, Classes]:
    """Return the classes of tiles of an operator in the first repeat, and in later ones, which may find other inputs on chip."""
    plan = staying.plan
    operator = plan.operators[number]
    # What is declared, not what is kept: a barrier orders tiles, and only a declared dependency hands a tensor on.
    inputs = [inputs_of(plan.declared[number], repeat) for repeat in (1, 2)]
    first, later = (_found(staying, number, edges, repeat) for edges, repeat in zip(inputs, (1, 2), strict=True))
    in_first = tile_costs(operator, conditions, first)
    in_later = in_first if later == first else tile_costs(operator, conditions, later)
    costs = classes_of(plan, number, in_first, counters, repeat=1, charges=charges)
    # Equal inputs and waits give the same object, by which the sections see that one line of costs serves all repeats.
    if in_later is in_first and inputs_of(plan.edges[number], 1) == inputs_of(plan.edges[number], 2):
        return costs, costs
    return costs, classes_of(plan, number, in_later, counters, repeat=2, charges=charges)


def _found(staying: KeptInL2, number: int, inputs: tuple[OperatorEdge, ...], repeat: int) -> FoundInputs:
    return FoundInputs(_forwarded_bytes(staying.plan, inputs), staying.input_bytes(number, inputs, repeat), staying.weights)


def _forwarded_bytes(plan: Plan, inputs: tuple[OperatorEdge, ...]) -> int:
    producers = [plan.operators[number] for number in sorted({edge.producer for edge in inputs})]
    return sum(producer.work.output_bytes for producer in producers if producer.operator.forwarded)
