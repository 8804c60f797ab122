"""Waits: the sets of counters that the tiles of one operator wait for, before the counters have numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tiles.arrays import Numbers, Sets
from .columns import classified
from .counters import Counters
from .edges import OperatorEdge
from .geometry import SizedOperator


@dataclass(frozen=True, slots=True, eq=False)
class Waits:
    """Sets of regions, each region beside the place among the *edges* of the edge that leads to it, and the set of each tile."""

    edges: tuple[OperatorEdge, ...]
    regions: Sets
    edge_of: Numbers
    set_of: Numbers


def waits_of(number: int, sized: SizedOperator, edges: Sequence[OperatorEdge], counters: Counters) -> Waits:
    """Return what the tiles of the operator with this *number* wait for along *edges*."""
    columns, set_of = classified([counters.awaited[number, edge] for edge in edges], sized.grid.counts)
    table = np.stack(columns, axis=1) if columns else np.zeros((1, 0), np.int64)
    wanted = np.ones(table.shape, np.bool_)
    for at, edge in enumerate(edges):
        for before, other in enumerate(edges[:at]):
            if (other.producer, other.reach) == (edge.producer, edge.reach):
                # The same counter along two edges is one wait: arrivals are counted once.
                wanted[:, at] &= table[:, before] != table[:, at]
    return Waits(tuple(edges), _sets(table, wanted), np.nonzero(wanted)[1].astype(np.int32), set_of)


def _sets(table: NDArray[np.int64], wanted: NDArray[np.bool_]) -> Sets:
    pointers = np.zeros(len(table) + 1, np.int64)
    np.cumsum(wanted.sum(axis=1), out=pointers[1:])
    return Sets(pointers, table[wanted].astype(np.int32))
