"""The static order: each tile has a worker of its own, which takes its tiles in program order and waits for each.

The slot of a worker holds its next tile, without weights: what starts staged tiles starts these, too.
"""

from __future__ import annotations

from .cells import REPEATS, SECTION_ROWS, SLOTS_AT, STRIDE, WORKERS, position_of
from .memory import KernelMemory


def worker_of(m: KernelMemory, tile: int) -> int:
    """Return the worker that runs *tile* in static order."""
    position = position_of(m, tile)
    return position - position // m[WORKERS] * m[WORKERS]


def next_of(m: KernelMemory, tile: int) -> int:
    """Return the tile after *tile* on its worker; -1 if it is the last."""
    return tile_at(m, position_of(m, tile) + m[WORKERS])


def tile_at(m: KernelMemory, position: int) -> int:
    """Return the tile at *position* in program order; -1 behind the last."""
    first, body = m[SECTION_ROWS + 1], m[SECTION_ROWS + 2] - m[SECTION_ROWS + 1]
    if position < first:
        return position
    behind = position - first
    if behind < m[REPEATS] * body:
        return (1 + behind // body) * m[STRIDE] + first + behind - behind // body * body
    row = m[SECTION_ROWS + 2] + behind - m[REPEATS] * body
    return (m[REPEATS] + 1) * m[STRIDE] + row if row < m[SECTION_ROWS + 3] else -1


def is_next(m: KernelMemory, tile: int) -> bool:
    """Return whether *tile* is the next one of its worker."""
    return m[m[SLOTS_AT] + worker_of(m, tile)] == tile
