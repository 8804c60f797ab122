"""Executions: a tile program unrolled, operator by operator, with the place of every tile and the section that its counters are of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from megasolve.contracts import Contract, Study
from megasolve.contracts.sizes.symbols import symbol_values
from megasolve.simulate.expand.geometry import choose_geometry
from megasolve.simulate.tiles.arrays import Spans
from megasolve.simulate.tiles.program import TileProgram, TileSection
from megasolve.simulate.tiles.tile import Tile
from megasolve.simulate.tiling import Mechanisms, device_rates, expand

from ..errors import GpuError


@dataclass(frozen=True, slots=True)
class OperatorExecution:
    """One run of an operator: in which *layer* (how many runs came before), and in which *section* of the unrolled program."""

    operator: str
    layer: int
    section: int
    tiles: tuple[Tile, ...]


def tile_programs(study: Study, contract: Contract, batch: int, workers: int | None = None) -> dict[str, TileProgram]:
    """Return the tile program of each member of *contract*, the one whose time `simulate` gives.

    *workers* are the CTAs of the budget; by default the largest one, or what the device has for conventional kernels.
    """
    device = study.device.value
    whole_device = device.usable_sms * contract.launch.ctas_per_sm
    rates = device_rates(contract, device, workers or (contract.budgets[0] if contract.budgets else whole_device))
    symbols = {member: symbol_values(study.spec.value, member, batch) for member in contract.programs}
    # Chosen as the planner chooses it, over all members: else a kernel would run other tiles than those that were priced.
    geometry = choose_geometry(contract, symbols, rates, Mechanisms())
    return {member: expand(contract, member, symbols[member], rates, geometry=geometry) for member in contract.programs}


def executions(program: TileProgram) -> Iterator[OperatorExecution]:
    """Yield the executions of *program* in program order, every repeat of its body included."""
    runs: dict[str, int] = {}
    for section, part in enumerate(sections(program)):
        first = 0
        for end in (*_starts(part), len(part.tiles)):
            # The first start is 0 itself, with nothing before it.
            if end > first:
                operator = part.tiles[first].operator
                # Counted over all sections: a repeated body goes on with the layer where the one before ended.
                yield OperatorExecution(operator, runs.setdefault(operator, 0), section, part.tiles[first:end])
                runs[operator] += 1
            first = end


def sections(program: TileProgram) -> tuple[TileSection, ...]:
    """Return the sections of *program* as they are executed: the prologue, the body as often as it repeats, the epilogue."""
    return (program.prologue, *(program.body,) * program.repeats, program.epilogue)


def spans_of(tile: Tile) -> Spans:
    """Return the part of its operator's output that *tile* computes.

    Raises
    ------
    GpuError
        The program does not say.
    """
    if tile.spans is None:
        raise GpuError(f"a tile of '{tile.operator}' has no place in its output, so it has no operands")
    return tile.spans


def _starts(section: TileSection) -> Iterator[int]:
    """Yield where an execution begins: at the tile that begins at 0 on every axis."""
    return (index for index, tile in enumerate(section.tiles) if not any(first for first, _ in spans_of(tile)))
