"""Regions: which tiles of a producer a tile of its consumer waits for, as one block of the producer's grid per counter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import assert_never

from megasolve.contracts.model.programs.operators import Pattern
from megasolve.contracts.operators.work import Axis, Grid, Span

from ..tiles.program import Spans
from .geometry import SizedOperator
from .setup import ExpansionError


@dataclass(frozen=True, slots=True)
class TileRegion:
    """Tiles of one operator: the blocks of *spans* on each axis. *name* tells it from the other regions of the operator."""

    name: str
    spans: Spans

    @property
    def tile_count(self) -> int:
        """How many tiles arrive at its counter."""
        return prod(last - first for first, last in self.spans)

    def tiles(self, grid: Grid) -> list[int]:
        """Return the numbers of its tiles in *grid*."""
        _, columns, depth = grid.counts
        return [(row * columns + column) * depth + slab for row, column, slab in product(*(range(*span) for span in self.spans))]


def all_spans(grid: Grid) -> Iterator[Spans]:
    """Yield the rows, columns and depth of every tile of *grid*, in the order of their numbers."""
    rows, columns, depth = ([grid.span(axis, block) for block in range(count)] for axis, count in zip(Axis, grid.counts, strict=True))
    return product(rows, columns, depth)


def region_of(grid: Grid, spans: Spans) -> TileRegion:
    """Return the region of *grid* with these *spans*; its name is empty where it is the whole grid."""
    parts = [
        f"{axis.name.lower()[0]}{first}" if last == first + 1 else f"{axis.name.lower()[0]}{first}-{last - 1}"
        for axis, (first, last), count in zip(Axis, spans, grid.counts, strict=True)
        if (first, last) != (0, count)
    ]
    return TileRegion(f"[{','.join(parts)}]" if parts else "", spans)


def awaited(consumer: SizedOperator, tile: int, producer: SizedOperator, pattern: Pattern) -> TileRegion:
    """Return the tiles of *producer* that *tile* of *consumer* waits for.

    Raises
    ------
    ExpansionError
        The pattern is `same` and the grids differ.
    """
    place, grid = consumer.grid.place(tile), producer.grid
    rows, columns, depth = ((0, count) for count in grid.counts)
    match pattern:
        case "all":
            pass
        case "same":
            _require_equal_grids(consumer, producer)
            rows, columns, depth = ((block, block + 1) for block in place)
        case "rows":
            rows = _rows_read(consumer, place[Axis.ROWS.value], grid)
        case "columns":
            columns = _columns_read(consumer, place, grid)
        case _:
            assert_never(pattern)
    return region_of(grid, (rows, columns, depth))


def _require_equal_grids(consumer: SizedOperator, producer: SizedOperator) -> None:
    if consumer.grid.counts != producer.grid.counts:
        own, other = ("x".join(map(str, sized.grid.counts)) for sized in (consumer, producer))
        raise ExpansionError(
            f"'{consumer.operator.name}' waits for the same tile of '{producer.operator.name}', but has {own} tiles and the other {other}"
        )


def _rows_read(consumer: SizedOperator, block: int, grid: Grid) -> Span:
    """Return the producer's row blocks under a tile's rows; causal attention also reads all rows before them in the sequence."""
    first, last = consumer.grid.span(Axis.ROWS, block)
    if consumer.work.causal is not None:
        first -= first % consumer.work.causal.q_tokens
    return grid.blocks_over(Axis.ROWS, (first, last), consumer.grid.extents[Axis.ROWS.value], consumer.work.halo_rows)


def _columns_read(consumer: SizedOperator, place: tuple[int, int, int], grid: Grid) -> Span:
    """Return the producer's column blocks under what a tile reads across: its slice of the sum, its own columns, or all."""
    axis = consumer.work.reads
    if axis is None:
        return 0, grid.counts[Axis.COLUMNS.value]
    span = consumer.grid.span(axis, place[axis.value])
    return grid.blocks_over(Axis.COLUMNS, span, consumer.grid.extents[axis.value])
