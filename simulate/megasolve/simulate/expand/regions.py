"""Regions: which tiles of a producer the tiles of its consumer wait for, as one block of the producer's grid per counter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from megasolve.contracts.model.programs.operators import Pattern
from megasolve.contracts.operators.work import Axis, Grid

from ..tiles.arrays import Sets, grouped
from .charges import HAND_OFFS
from .columns import Column, along, multiplied, single, spans
from .geometry import SizedOperator
from .setup import ExpansionError

Bounds = NDArray[np.int64]
HANDED = 6
"""The column behind the six bounds of a region."""


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """Regions of *grid*, one a line: the first block of its rows, columns and depth, the end of each, and how they are handed on.

    The last is a number of `Charges`, by which a region has as many counters as there are ways. To iterate over them yields their names.
    """

    grid: Grid
    bounds: Bounds

    @property
    def tile_counts(self) -> NDArray[np.int64]:
        """How many tiles arrive at the counter of each."""
        sizes: NDArray[np.int64] = np.prod(self.bounds[:, 3:HANDED] - self.bounds[:, :3], axis=1)
        return sizes

    def __len__(self) -> int:
        return len(self.bounds)

    def __iter__(self) -> Iterator[str]:
        return map(self.name, range(len(self)))

    def name(self, number: int) -> str:
        """Return the name of a region, which tells it from others of the operator; it is empty where it is the whole grid."""
        firsts, ends, handed = self.bounds[number, :3].tolist(), self.bounds[number, 3:HANDED].tolist(), int(self.bounds[number, HANDED])
        parts = [
            f"{axis.name.lower()[0]}{first}" if end == first + 1 else f"{axis.name.lower()[0]}{first}-{end - 1}"
            for axis, first, end, count in zip(Axis, firsts, ends, self.grid.counts, strict=True)
            if (first, end) != (0, count)
        ]
        by = f" by {HAND_OFFS[handed - 1]}" if handed else ""
        return (f"[{','.join(parts)}]" if parts else "") + by


@dataclass(frozen=True, slots=True, eq=False)
class AwaitedRegions:
    """The regions that the tiles of a consumer wait for, each once in the order of the tiles, and which of them each tile does."""

    regions: Regions
    region_of: Column


def no_regions(grid: Grid) -> Regions:
    """Return no regions of *grid*."""
    return Regions(grid, np.zeros((0, HANDED + 1), np.int64))


def handed_on(found: AwaitedRegions, number: int) -> AwaitedRegions:
    """Return the same regions, handed on in the way with this *number*."""
    bounds = found.regions.bounds.copy()
    bounds[:, HANDED] = number
    return AwaitedRegions(Regions(found.regions.grid, bounds), found.region_of)


def awaited(consumer: SizedOperator, producer: SizedOperator, pattern: Pattern) -> AwaitedRegions:
    """Return the tiles of *producer* that the tiles of *consumer* wait for.

    Raises
    ------
    ExpansionError
        The pattern is `same` and the grids differ.
    """
    whole = tuple((single(0), single(count)) for count in producer.grid.counts)
    match pattern:
        case "all":
            return _awaited(producer.grid, whole)
        case "same":
            _require_equal_grids(consumer, producer)
            blocks = [along(axis, np.arange(count)) for axis, count in zip(Axis, producer.grid.counts, strict=True)]
            return _awaited(producer.grid, tuple((block, block + 1) for block in blocks))
        case "rows":
            return _awaited(producer.grid, (_rows_read(consumer, producer.grid), *whole[1:]))
        case "columns":
            return _awaited(producer.grid, (whole[0], _columns_read(consumer, producer.grid), whole[2]))
    assert_never(pattern)


def _awaited(grid: Grid, intervals: Sequence[tuple[Column, Column]]) -> AwaitedRegions:
    """Return the different regions with these *intervals* on the axes of *grid*."""
    columns = np.broadcast_arrays(*(first for first, _ in intervals), *(end for _, end in intervals))
    bounds = np.stack([*(column.reshape(-1).astype(np.int64) for column in columns), np.zeros(columns[0].size, np.int64)], axis=1)
    kept, region_of = merged(grid, bounds)
    return AwaitedRegions(Regions(grid, bounds[kept]), region_of.reshape(columns[0].shape))


def merged(grid: Grid, bounds: Bounds) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each different line of *bounds* stands first, in this order, and which of them each line is."""
    if len(bounds) == 1:
        return np.zeros(1, np.int64), np.zeros(1, np.int64)
    # One number for all; a grid has at most two million tiles, so it stays far below 2^63.
    keys = bounds[:, HANDED].copy()
    for axis in range(3):
        keys = (keys * (grid.counts[axis] + 1) + bounds[:, axis]) * (grid.counts[axis] + 1) + bounds[:, 3 + axis]
    # Most patterns go through the grid in order, where nothing can stand twice and no sort is needed.
    if bool((keys[1:] > keys[:-1]).all()):
        return np.arange(len(keys)), np.arange(len(keys))
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return first[order], place[which]


def _require_equal_grids(consumer: SizedOperator, producer: SizedOperator) -> None:
    if consumer.grid.counts != producer.grid.counts:
        own, other = ("x".join(map(str, sized.grid.counts)) for sized in (consumer, producer))
        raise ExpansionError(
            f"'{consumer.operator.name}' waits for the same tile of '{producer.operator.name}', but has {own} tiles and the other {other}"
        )


def _rows_read(consumer: SizedOperator, grid: Grid) -> tuple[Column, Column]:
    """Return the producer's row blocks under a tile's rows; causal attention also reads all rows before them in the sequence."""
    first, last = spans(consumer.grid, Axis.ROWS)
    if consumer.work.causal is not None:
        # Back to the first query of the sequence: its keys come from all rows before, but never from another sequence.
        first = first - first % consumer.work.causal.q_tokens
    return _blocks_over(grid, Axis.ROWS, (first, last), consumer.grid.extents[Axis.ROWS.value], consumer.work.halo_rows)


def _columns_read(consumer: SizedOperator, grid: Grid) -> tuple[Column, Column]:
    """Return the producer's column blocks under what a tile reads across: its slice of the sum, its own columns, or all."""
    # The depth of a product runs along the columns of its input: a tile of a split sum waits for its slice alone.
    axis = consumer.work.reads
    if axis is None:
        return single(0), single(grid.counts[Axis.COLUMNS.value])
    return _blocks_over(grid, Axis.COLUMNS, spans(consumer.grid, axis), consumer.grid.extents[axis.value])


def _blocks_over(grid: Grid, axis: Axis, span: tuple[Column, Column], extent: int, halo: int = 0) -> tuple[Column, Column]:
    """Return the blocks of *axis* that overlap spans of *extent*, stretched to *grid* and begun *halo* earlier."""
    own, size = single(grid.extents[axis.value]), grid.blocks[axis.value]
    first, last = span
    # Exact on whole numbers: begin rounded down and end rounded up, so that a stretched block never misses a tile.
    begin = np.maximum(multiplied(first, own) // extent - halo, 0) // size
    return begin, -(-multiplied(last, own) // (extent * size))


def arrivals(regions: Regions) -> tuple[Sets, Column]:
    """Return the different sets of regions in which a tile of their grid may be, and the one of each tile.

    Between two neighbouring bounds on an axis all blocks are in the same regions.
    """
    grid, bounds = regions.grid, regions.bounds
    # Cells instead of tiles: between two cuts nothing changes, so there are few, however many tiles a cell has.
    cuts = [np.unique(np.concatenate([np.zeros(1, np.int64), bounds[:, axis], bounds[:, 3 + axis]])) for axis in range(3)]
    cuts = [cut[cut < count] for cut, count in zip(cuts, grid.counts, strict=True)]
    cells = tuple(map(len, cuts))
    firsts = [np.searchsorted(cut, bounds[:, axis]) for axis, cut in enumerate(cuts)]
    widths = [np.searchsorted(cut, bounds[:, 3 + axis]) - first for axis, (cut, first) in enumerate(zip(cuts, firsts, strict=True))]
    sizes = widths[0] * widths[1] * widths[2]
    region = np.repeat(np.arange(len(bounds), dtype=np.int32), sizes)
    # All pairs of region and cell, laid out in one array: region r has sizes[r] of them, in the order of its cells.
    within = np.arange(len(region)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    within, slab = np.divmod(within, widths[2][region])
    row, column = np.divmod(within, widths[1][region])
    cell = ((firsts[0][region] + row) * cells[1] + firsts[1][region] + column) * cells[2] + firsts[2][region] + slab
    blocks = [np.searchsorted(cut, np.arange(count), side="right") - 1 for cut, count in zip(cuts, grid.counts, strict=True)]
    rows, columns, depth = (along(axis, one) for axis, one in zip(Axis, blocks, strict=True))
    return grouped(region, cell, cells[0] * cells[1] * cells[2]), (rows * cells[1] + columns) * cells[2] + depth
