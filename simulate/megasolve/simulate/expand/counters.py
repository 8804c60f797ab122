"""Counters: how many tiles a plan has, which block repeats as its body, and the counters that its tiles wait for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from megasolve.contracts.sizes.programs import MOST_EXECUTED_TILES, tiles_executed, tiles_made

from ..tiles.arrays import Figures, figures
from .charges import Charges
from .columns import Column
from .edges import OperatorEdge, Plan
from .joins import is_joined
from .regions import HANDED, AwaitedRegions, Regions, awaited, handed_on, merged, no_regions
from .setup import TooManyTiles

ARRIVALS_PER_TILE = 16
NO_CHARGES = Charges()


@dataclass(frozen=True, slots=True, eq=False)
class Counters:
    """Which regions of an operator others wait for, in order, and, by edge, the number of the region that each tile waits for.

    *data_ps* says how late the counters of regions open, by how they are handed on; empty where all open at once.
    """

    regions: tuple[Regions, ...]
    awaited: dict[tuple[int, OperatorEdge], Column]
    data_ps: tuple[int, ...] = ()

    def delays_ps(self, operator: int) -> Figures:
        """Return how much later than its last needed arrival the counter of each region of *operator* opens."""
        return figures(self.data_ps[handed] for handed in self.regions[operator].bounds[:, HANDED].tolist())


def body_of(plan: Plan) -> int | None:
    """Return the block that repeats as the body: the one that spares the most tiles of those that may; None if there is none."""
    tiles = _tiles_of(plan)
    # A body is made twice, whatever its repeats: the first one apart, because it finds other inputs than later ones.
    spared = {number: (repeats - 1) * tiles[number] for number, repeats in enumerate(plan.repeats) if repeats > 1}
    for number in sorted(spared, key=lambda number: (-spared[number], number)):
        if is_joined(plan, number):
            return number
    return None


def _tiles_of(plan: Plan) -> list[int]:
    return [sum(plan.operators[number].grid.tile_count for number in block) for block in plan.blocks]


def require_few_tiles(plan: Plan, body: int | None, most_tiles: int) -> None:
    """Refuse a program that makes more than *most_tiles* tiles, or whose repeats execute too many.

    Raises
    ------
    TooManyTiles
        Before any tile is made.
    """
    count = tiles_made(_tiles_of(plan), plan.repeats, body)
    if count > most_tiles:
        raise TooManyTiles("tiles", count, most_tiles)
    executed = tiles_executed(_tiles_of(plan), plan.repeats)
    if executed > MOST_EXECUTED_TILES:
        raise TooManyTiles("executed tiles", executed, MOST_EXECUTED_TILES)


def counters_of(plan: Plan, most_tiles: int, charges: Charges = NO_CHARGES) -> Counters:
    """Return the counters between the operators of *plan*, where waits cost what *charges* say.

    Raises
    ------
    ExpansionError
        Grids do not fit a pattern.
    TooManyTiles
        The tiles arrive at more counters than a program may have.
    """
    regions = [no_regions(sized.grid) for sized in plan.operators]
    found: dict[tuple[int, OperatorEdge], Column] = {}
    arrivals = 0
    for number, edges in enumerate(plan.edges):
        for edge in edges:
            # What the producer had before is taken off and its new sum added: the bound holds after every edge, before the next is made.
            before = arrivals - int(regions[edge.producer].tile_counts.sum())
            one = awaited(plan.operators[number], plan.operators[edge.producer], edge.pattern)
            one = handed_on(one, charges.number_of(edge, plan.operators[number].operator.waits))
            regions[edge.producer], found[number, edge] = _added(regions[edge.producer], one)
            arrivals = before + int(regions[edge.producer].tile_counts.sum())
            if arrivals > ARRIVALS_PER_TILE * most_tiles:
                raise TooManyTiles("arrivals at counters", arrivals, ARRIVALS_PER_TILE * most_tiles)
    return Counters(tuple(regions), found, charges.data_ps)


def _added(known: Regions, one: AwaitedRegions) -> tuple[Regions, Column]:
    """Return *known* regions with those of *one* that are new, and the number of the region that each tile waits for."""
    bounds = np.concatenate([known.bounds, one.regions.bounds])
    # Regions keep their numbers once they have them: known ones stand first, and `merged` keeps the order of first places.
    kept, which = merged(known.grid, bounds)
    return Regions(known.grid, bounds[kept]), which[len(known) :][one.region_of]
