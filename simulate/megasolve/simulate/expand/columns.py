"""Columns: one figure for each tile of a grid, kept as small as it is different, and the classes of tiles that are equal in all of them.

A column is an array with three axes like the grid, or with one block on an axis along which nothing changes. Figures are 64-bit numbers
where they and what is made of them fit, else Python's: nothing is ever rounded or cut off.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from megasolve.contracts.operators.work import Axis, Grid

from ..tiles.arrays import LARGEST, Figures, Numbers

Column: TypeAlias = NDArray[Any]
Counts: TypeAlias = tuple[int, int, int]


def single(figure: int) -> Column:
    """Return the column that has *figure* everywhere."""
    return np.array(figure, np.int64 if abs(figure) <= LARGEST else object).reshape(1, 1, 1)


def along(axis: Axis, values: Figures) -> Column:
    """Return the column whose figures change along *axis* only, one for each block."""
    shape = [1, 1, 1]
    shape[axis.value] = len(values)
    return values.reshape(shape)


def multiplied(left: Column, right: Column) -> Column:
    """Return the products, exactly."""
    # numpy wraps silently, so the largest product is bounded before it is formed.
    if _largest(left) * _largest(right) > LARGEST:
        left = left.astype(object)
    return left * right


def times_over(total: Column, numerator: Column, denominator: int) -> Column:
    """Return *total* times *numerator* over *denominator*, rounded down, exactly."""
    return multiplied(total, numerator) // denominator


def _largest(column: Column) -> int:
    # Most columns have one figure, for which asking numpy for the largest costs more than the product.
    if column.size == 1:
        return abs(int(column.item()))
    return int(abs(column).max()) if column.size else 0


def spans(grid: Grid, axis: Axis) -> tuple[Column, Column]:
    """Return where each block of *axis* begins and ends, along that axis."""
    size, extent, count = grid.blocks[axis.value], grid.extents[axis.value], grid.counts[axis.value]
    firsts = multiplied(along(axis, np.arange(count, dtype=np.int64)), single(size))
    return firsts, np.minimum(firsts + size, extent)


def is_first(grid: Grid, axes: Sequence[Axis]) -> NDArray[np.bool_]:
    """Return which tiles are in the first block of all *axes*."""
    first = np.ones((1, 1, 1), np.bool_)
    for axis in axes:
        first = first & along(axis, np.arange(grid.counts[axis.value]) == 0)
    return first


def flat(column: Column, counts: Counts) -> Figures:
    """Return the figure of every tile, in the order of their numbers."""
    return np.broadcast_to(column, counts).reshape(-1)


def classified(columns: Sequence[Column], counts: Counts) -> tuple[list[Figures], Numbers]:
    """Return the classes of tiles that are equal in all *columns*: for each column its figure in each class, and the class of each tile."""
    codes = np.zeros((1, 1, 1), np.int64)
    tables: list[Figures] = []
    classes = 1
    for column in columns:
        values, code = _coded(column)
        if len(values) == 1:
            tables.append(values.repeat(classes))
            continue
        # A mixed radix: the class so far, then which figure of this column. Without gaps again, it never outgrows the tiles.
        codes, kept = _compressed(codes * len(values) + code, classes * len(values))
        # Of each new class the two digits say which row of the tables before it continues, and with which figure.
        tables = [table[kept // len(values)] for table in tables] + [values[kept % len(values)]]
        classes = len(kept)
    return tables, flat(codes, counts).astype(np.int32)


def _coded(column: Column) -> tuple[Figures, NDArray[np.int64]]:
    """Return the different figures of *column*, and which of them stands where."""
    if column.size == 1:
        return column.reshape(-1), np.zeros((1, 1, 1), np.int64)
    if column.dtype != object:
        least, most = int(column.min()), int(column.max())
        # Figures in a narrow range are counted in a table, without the sort that np.unique needs.
        if most - least <= 4 * column.size + 1024:
            codes, kept = _compressed(column - least, most - least + 1)
            return kept + least, codes
    values, codes = np.unique(column, return_inverse=True)
    return values, codes.reshape(column.shape)


def _compressed(codes: NDArray[np.int64], count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return *codes*, which lie below *count*, as numbers without gaps, and which code each number stands for."""
    # A table of all codes pays only while it is not much longer than the codes themselves.
    if count > 4 * codes.size + 1024:
        kept, compressed = np.unique(codes, return_inverse=True)
        return compressed.reshape(codes.shape), kept
    present = np.zeros(count, np.bool_)
    present[codes.reshape(-1)] = True
    numbers = np.cumsum(present) - 1
    return numbers[codes], np.flatnonzero(present)
