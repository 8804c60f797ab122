"""Lays the tables of a program out in the memory that the kernel runs on."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ..arrays import Figures, figures, joined
from ..kernel import cells as at
from ..kernel.memory import HEAP_CELLS, HEAPS
from .tables import TileTables, worker_bits


def laid_out(tables: TileTables, *, folds: bool, traces: bool) -> Figures:
    """Return the memory of a schedule of *tables* that has not begun: facts, heaps without numbers, and what stands behind them."""
    machine, costs, links = tables.machine, tables.costs, tables.links
    heaps = at.FIRST_ROOM + costs.rooms
    ports = -(-machine.workers // machine.per_port)
    rows_at = HEAPS + HEAP_CELLS * heaps
    parts = (
        np.zeros(rows_at, np.int64),
        _rows(tables, rows_at + len(costs.cost_of) * at.ROW_COLUMNS),
        costs.lines.reshape(-1),
        links.pointers,
        links.members.astype(np.int64),
        links.templates,
        np.zeros(machine.workers * at.WORKER_COLUMNS, np.int64),
        np.zeros(machine.workers, np.int64),
        np.zeros(machine.workers, np.int64),
        np.zeros(machine.workers, np.int64),
        np.zeros(heaps, np.int64),
        np.zeros(ports, np.int64),
        np.zeros(tables.tile_count * at.LIFE_COLUMNS if traces else 0, np.int64),
    )
    begins = list(accumulate(map(len, parts)))
    facts = _facts(tables)
    facts[at.PORTS], facts[at.FOLDS], facts[at.TRACES] = ports, int(folds), int(traces)
    facts[at.ROWS_AT : at.POINTERS_AT + 1] = begins[:3]
    facts[at.TEMPLATES : at.TEMPLATES + 5] = [begins[4] + begin for begin in links.template_starts]
    facts[at.WORKERS_AT : at.LIVES_AT + 1] = begins[5:12]
    # Totals and heaps begin empty; behind them stands what never changes, then what workers and ports have.
    head = [*facts, *[0] * (begins[0] - at.FIRST_TOTAL)]
    head[at.FREE] = begins[-1]
    return joined([figures(head), *parts[1:3], links.pointers + begins[3], *parts[4:]])


def _facts(tables: TileTables) -> list[int]:
    machine, costs, links = tables.machine, tables.costs, tables.links
    found = [0] * at.FIRST_TOTAL
    found[at.STRIDE], found[at.STRIDE_BITS] = tables.stride, tables.stride.bit_length() - 1
    found[at.REPEATS], found[at.WORKERS] = tables.repeats, machine.workers
    found[at.SPACE_BYTES], found[at.LIMIT_BYTES] = costs.space_bytes, costs.limit_bytes
    found[at.LATENCY_PS], found[at.PER_PORT], found[at.BITS] = machine.latency_ps, machine.per_port, worker_bits(machine)
    found[at.ROOMS] = costs.rooms
    found[at.SECTION_ROWS : at.SECTION_ROWS + 4] = tables.starts
    found[at.COUNTERS : at.COUNTERS + 3] = links.counter_counts
    found[at.FIRST_COUNTER : at.FIRST_COUNTER + 3] = [0, *accumulate(links.counter_counts[:2])]
    found[at.FIRST_SET : at.FIRST_SET + 3] = [0, *accumulate(len(section.waits) for section in tables.sections[:2])]
    found[at.WAITERS], found[at.NEXT_REPEAT], found[at.NEXT_EPILOGUE], found[at.ROWS_OF_SET] = links.list_starts
    found[at.FIRST_WITH_WEIGHTS : at.FIRST_WITH_WEIGHTS + 3] = tables.first_with_weights
    return found


def _rows(tables: TileTables, costs_at: int) -> Figures:
    rows = np.empty((len(tables.costs.cost_of), at.ROW_COLUMNS), np.int64)
    rows[:, at.COST] = costs_at + tables.costs.cost_of.astype(np.int64) * at.COST_COLUMNS
    rows[:, at.WAITS], rows[:, at.SIGNALS] = tables.links.waits_of, tables.links.signals_of
    return rows.reshape(-1)


def with_room(tables: TileTables, cells: Figures, spare: int) -> NDArray[np.int64]:
    """Return *cells* as compiled code takes them: heaps of ready tiles have room for those of one section, and *spare* cells are free."""
    rooms = tables.costs.lines[:, at.ROOM].astype(np.int64)[tables.costs.cost_of]
    # Compiled heaps cannot grow without moving: they begin with room for what one section can make ready at once.
    sizes = np.bincount(rooms, minlength=tables.costs.rooms) + 2
    begins = len(cells) + np.cumsum(sizes) - sizes
    memory = np.zeros(len(cells) + int(sizes.sum()) + spare, np.int64)
    memory[: len(cells)] = cells
    for room, (begin, size) in enumerate(zip(begins.tolist(), sizes.tolist(), strict=True)):
        heap = HEAPS + (at.FIRST_ROOM + room) * HEAP_CELLS
        memory[heap + 1], memory[heap + 2], memory[heap + 3] = begin, begin, begin + size
    memory[at.FREE] = len(cells) + int(sizes.sum())
    return memory
