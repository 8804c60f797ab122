"""Runs tables in Python, whatever the size of the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .kernel import cells as at
from .kernel.memory import Memory
from .kernel.run import run
from .tables.layout import laid_out
from .tables.tables import TileTables


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run leaves behind: its *cells*, and the numbers of its last state (see `kernel.run`)."""

    cells: Sequence[int]
    state: Sequence[int]

    def life(self, position: int) -> Sequence[int]:
        """Return the life of the tile at *position* in program order."""
        begin = self.cells[at.LIVES_AT] + position * at.LIFE_COLUMNS
        return self.cells[begin : begin + at.LIFE_COLUMNS]


def run_tables(tables: TileTables, *, folds: bool, traces: bool) -> Ran:
    """Run *tables* in Python, exactly, whatever the size of the numbers."""
    cells = laid_out(tables, folds=folds, traces=traces).tolist()
    memory = Memory(cells, at.FIRST_ROOM + tables.costs.rooms)
    state = run(memory)
    return Ran(memory, memory[state : state + at.size_of(memory, at.WORK)])
