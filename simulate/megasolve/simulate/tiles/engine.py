"""Runs tables: in Python, whatever the size of the numbers, or compiled, where every number is proven to be a 64-bit one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .compiled.loading import is_kept, loaded, switch
from .compiled.proof import fits
from .kernel import cells as at
from .kernel.memory import HEAP_CELLS, HEAPS, KernelMemory
from .kernel.run import run
from .tables.layout import laid_out, with_room
from .tables.tables import TileTables

FEW_TILES = 4_000
"""So many tiles take about as long in Python as the compiled code takes to load, ..."""

MANY_TILES = 20_000
"""... and so many as it takes to compile: it is kept for later runs."""

SECONDS_TO_COMPILE = 3
"""What compiling takes, and as much again: that much is to be done yet where it is compiled beforehand."""

SIMULATED_REPEATS = 4
"""So many repeats are simulated at least before a schedule is found to be periodic."""

SPARE_CELLS = 1 << 16


@dataclass(frozen=True, slots=True)
class RanTables:
    """What a run leaves behind: its *cells*, and the numbers of its last state (see `kernel.run`)."""

    cells: Sequence[int]
    state: Sequence[int]

    def life(self, position: int) -> Sequence[int]:
        """Return the life of the tile at *position* in program order."""
        begin = self.cells[at.LIVES_AT] + position * at.LIFE_COLUMNS
        return self.cells[begin : begin + at.LIFE_COLUMNS]


class _Spent:
    """How many tiles were scheduled in Python although there may be compiled code, in all."""

    tiles = 0


def run_tables(tables: TileTables, *, folds: bool, traces: bool) -> RanTables:
    """Run *tables*: small ones in Python, until that has cost as much as loading compiled code does."""
    if switch() == "0" or not fits(tables):
        return run_plain(tables, folds=folds, traces=traces)
    # Folding leaves about so much of a long program, and only that costs time.
    _Spent.tiles += min(tables.tile_count, SIMULATED_REPEATS * tables.starts[3])
    if _is_loaded() or _Spent.tiles > MANY_TILES or switch() == "1" or (_Spent.tiles > FEW_TILES and is_kept()):
        compiled = loaded().run
        if compiled is not None:
            return _run_compiled(compiled, tables, folds=folds, traces=traces)
    return run_plain(tables, folds=folds, traces=traces)


def prepare(seconds: float) -> None:
    """Load the compiled code, or compile it, if that pays where what is to be scheduled yet takes about so many *seconds* in Python.

    Processes that are started as copies of this one then have it, too, so that it is made once.
    """
    if switch() != "0" and (is_kept() or seconds > SECONDS_TO_COMPILE):
        loaded()


def warning() -> str | None:
    """Return in one line what went wrong when compiled code was asked for, if it was and anything did."""
    return loaded().warning if _is_loaded() else None


def _is_loaded() -> bool:
    return loaded.cache_info().currsize > 0


def run_plain(tables: TileTables, *, folds: bool, traces: bool) -> RanTables:
    """Run *tables* in Python, exactly, whatever the size of the numbers."""
    cells = laid_out(tables, folds=folds, traces=traces).tolist()
    memory = KernelMemory(cells, at.FIRST_ROOM + tables.costs.rooms)
    state = run(memory)
    return RanTables(memory, memory[state : state + at.size_of(memory, at.WORK)])


def _run_compiled(compiled: Callable[[Any], int], tables: TileTables, *, folds: bool, traces: bool) -> RanTables:
    """Run *tables* compiled, in as much memory as it turns out to take."""
    spare = SPARE_CELLS + len(tables.costs.cost_of) + 4 * len(tables.links.templates)
    while True:
        memory = with_room(tables, spare, folds=folds, traces=traces)
        try:
            state = compiled(memory)
        # How much lists grow is known only by running; nothing has left the memory, so it begins again in a larger one.
        except MemoryError:
            spare *= 2
            continue
        size = int(memory[HEAPS + at.WORK * HEAP_CELLS])
        return RanTables(_Cells(memory), memory[state : state + size].tolist())


class _Cells(Sequence[int]):
    """The cells of an array, as Python's numbers."""

    def __init__(self, memory: NDArray[np.int64]) -> None:
        self._memory = memory

    def __len__(self) -> int:
        return len(self._memory)

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> list[int]: ...

    def __getitem__(self, place: int | slice) -> int | list[int]:
        found: int | list[int] = self._memory[place].tolist()
        return found
