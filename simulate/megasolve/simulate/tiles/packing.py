"""Packing: tiles that were written down one by one, as the arrays of a section."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

import numpy as np

from .arrays import CounterNames, SectionArrays, TileCosts, figures, sets_of
from .tile import Tile

Key = TypeVar("Key", bound=Hashable)


def packed(tiles: Sequence[Tile], counters: Sequence[tuple[str, int]], delays_ps: Mapping[str, int]) -> SectionArrays:
    """Return the arrays of *tiles* and of their *counters*, names with targets; those in *delays_ps* open so much later.

    Raises
    ------
    ValueError
        If a tile waits for, or arrives at, a counter that is not declared, or one is declared twice.
    """
    own = {name: number for number, (name, _) in enumerate(counters)}
    if len(own) < len(counters):
        raise ValueError(f"a section declares a counter twice; it has {', '.join(name for name, _ in counters)}")
    past = {name: number for number, name in enumerate(dict.fromkeys(name for tile in tiles for name in tile.waits_before))}
    costs, cost_of = _numbered(map(_cost, tiles))
    waits, waits_of = _numbered(_waits(tile, own, past) for tile in tiles)
    signals, signals_of = _numbered(_numbers(tile, "arrives at", tile.signals, own) for tile in tiles)
    return SectionArrays(
        costs=_costs(costs),
        cost_of=cost_of,
        waits=sets_of(waits),
        waits_of=waits_of,
        signals=sets_of(signals),
        signals_of=signals_of,
        counters=tuple(CounterNames(name, ("",)) for name in own),
        targets=figures(target for _, target in counters),
        past=tuple(CounterNames(name, ("",)) for name in past),
        places=tuple(tile.spans for tile in tiles) if any(tile.spans for tile in tiles) else None,
        delays_ps=figures(delays_ps.get(name, 0) for name in own) if delays_ps else None,
    )


def _numbered(keys: Iterable[Key]) -> tuple[list[Key], np.ndarray[tuple[int], np.dtype[np.int32]]]:
    """Return the different *keys* in order, and which of them each is."""
    known: dict[Key, int] = {}
    numbers = [known.setdefault(key, len(known)) for key in keys]
    return list(known), np.array(numbers, np.int32)


_Cost: TypeAlias = tuple[str, bool, tuple[int, ...]]


def _cost(tile: Tile) -> _Cost:
    moved = tile.weight_bytes, tile.activation_bytes, tile.output_bytes, tile.staging_bytes
    cached = tile.cached_weight_bytes, tile.cached_activation_bytes
    return tile.operator, tile.is_opaque, (tile.compute_ps, tile.waiting_ps, *moved, *cached, tile.early_ps)


def _costs(costs: Sequence[_Cost]) -> TileCosts:
    operators, operator = _numbered(cost[0] for cost in costs)
    compute, waiting, weights, activations, output, staging, *more = (figures(int(cost[2][at]) for cost in costs) for at in range(9))
    opaque = np.array([cost[1] for cost in costs], np.bool_)
    return TileCosts(tuple(operators), operator, compute, waiting, weights, activations, output, staging, opaque, *more)


def _waits(tile: Tile, own: dict[str, int], past: dict[str, int]) -> tuple[int, ...]:
    return (*_numbers(tile, "waits for", tile.waits, own), *(-1 - past[name] for name in tile.waits_before))


def _numbers(tile: Tile, does: str, names: Sequence[str], known: dict[str, int]) -> tuple[int, ...]:
    for name in names:
        if name not in known:
            raise ValueError(f"{tile.operator} {does} counter '{name}', which is not declared; there are {', '.join(known) or 'none'}")
    return tuple(known[name] for name in names)
