"""Counters: how many tiles a plan has, which block repeats as its body, and the counters that its tiles wait for."""

from __future__ import annotations

from dataclasses import dataclass, field

from megasolve.contracts.operators.sizes import MOST_EXECUTED_TILES, tiles_executed, tiles_made

from .edges import OperatorEdge, Plan
from .joins import is_joined
from .regions import TileRegion, awaited
from .setup import TooManyTiles

ARRIVALS_PER_TILE = 16


@dataclass(frozen=True, slots=True)
class Counters:
    """Which regions of an operator others wait for, in order, and the region that each tile waits for, by edge."""

    regions: tuple[dict[TileRegion, None], ...]
    awaited: dict[tuple[int, OperatorEdge], tuple[TileRegion, ...]] = field(default_factory=dict)


def body_of(plan: Plan) -> int | None:
    """Return the block that repeats as the body: the one that spares the most tiles of those that may; None if there is none."""
    tiles = _tiles_of(plan)
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


def counters_of(plan: Plan, most_tiles: int) -> Counters:
    """Return the counters between the operators of *plan*.

    Raises
    ------
    ExpansionError
        Grids do not fit a pattern.
    TooManyTiles
        The tiles arrive at more counters than a program may have.
    """
    counters = Counters(tuple({} for _ in plan.operators))
    arrivals = 0
    for number, edges in enumerate(plan.edges):
        for edge in edges:
            known = counters.regions[edge.producer]
            regions = _awaited_by(plan, number, edge)
            for region in dict.fromkeys(regions):
                arrivals += 0 if region in known else region.tile_count
                known.setdefault(region)
            counters.awaited[number, edge] = regions
            if arrivals > ARRIVALS_PER_TILE * most_tiles:
                raise TooManyTiles("arrivals at counters", arrivals, ARRIVALS_PER_TILE * most_tiles)
    return counters


def _awaited_by(plan: Plan, number: int, edge: OperatorEdge) -> tuple[TileRegion, ...]:
    """Return the region that each tile waits for; equal ones are one object, and one that is the same for all stands once."""
    consumer, producer = plan.operators[number], plan.operators[edge.producer]
    if edge.pattern == "all":
        return (awaited(consumer, 0, producer, "all"),)
    shared: dict[TileRegion, TileRegion] = {}
    regions = (awaited(consumer, tile, producer, edge.pattern) for tile in range(consumer.grid.tile_count))
    return tuple(shared.setdefault(region, region) for region in regions)
