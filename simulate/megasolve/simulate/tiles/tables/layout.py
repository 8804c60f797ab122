"""Lays the tables of a program out in the memory that the kernel runs on."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ..arrays import Figures, figures
from ..kernel import cells as at
from ..kernel.memory import HEAP_CELLS, HEAPS
from .tables import TileTables, counter_bits, worker_bits


def laid_out(tables: TileTables, *, folds: bool, traces: bool) -> Figures:
    """Return the memory of a schedule of *tables* that has not begun: facts, heaps without numbers, and what stands behind them."""
    begins = _begins(tables, traces=traces)
    head = figures(_head(tables, begins, folds=folds, traces=traces))
    is_wide = object in (tables.costs.lines.dtype, tables.links.templates.dtype, tables.links.delays_ps.dtype, head.dtype)
    memory = np.zeros(begins[-1], object if is_wide else np.int64)
    return _filled(memory, tables, begins, head)


def with_room(tables: TileTables, spare: int, *, folds: bool, traces: bool) -> NDArray[np.int64]:
    """Return the memory as compiled code takes it: heaps of ready tiles have room for those of one section, and *spare* cells are free.

    All figures of *tables* are 64-bit numbers.
    """
    begins = _begins(tables, traces=traces)
    rooms = tables.costs.lines[:, at.ROOM].astype(np.int64)
    # Compiled heaps cannot grow without moving: they begin with room for what one section can make ready at once.
    sizes = np.zeros(tables.costs.rooms, np.int64)
    np.add.at(sizes, rooms, np.bincount(tables.costs.cost_of, minlength=len(rooms)))
    sizes += 2
    memory = np.zeros(begins[-1] + int(sizes.sum()) + spare, np.int64)
    _filled(memory, tables, begins, np.array(_head(tables, begins, folds=folds, traces=traces), np.int64))
    for room, (size, end) in enumerate(zip(sizes.tolist(), (begins[-1] + np.cumsum(sizes)).tolist(), strict=True)):
        heap = HEAPS + (at.FIRST_ROOM + room) * HEAP_CELLS
        memory[heap + 1], memory[heap + 2], memory[heap + 3] = end - size, end - size, end
    memory[at.FREE] = begins[-1] + int(sizes.sum())
    return memory


def _begins(tables: TileTables, *, traces: bool) -> list[int]:
    """Return where rows, costs, pointers, members, templates, delays, workers and what else has a length of its own begin, and the end."""
    machine, costs, links = tables.machine, tables.costs, tables.links
    heaps = at.FIRST_ROOM + costs.rooms
    # Totals and heaps begin empty; behind them stands what never changes, then what workers and ports have.
    lengths = (
        HEAPS + HEAP_CELLS * heaps,
        len(costs.cost_of) * at.ROW_COLUMNS,
        costs.lines.size,
        len(links.pointers),
        len(links.members),
        len(links.templates),
        len(links.delays_ps),
        machine.workers * at.WORKER_COLUMNS,
        machine.workers,
        machine.workers,
        machine.workers,
        heaps,
        _ports(tables),
        tables.tile_count * at.LIFE_COLUMNS if traces else 0,
    )
    return list(accumulate(lengths))


def _filled(memory: Figures, tables: TileTables, begins: list[int], head: Figures) -> Figures:
    """Fill *memory* in place, and return it: of many tiles there is no copy beside it."""
    costs, links = tables.costs, tables.links
    memory[: begins[0]] = head
    rows = memory[begins[0] : begins[1]].reshape(-1, at.ROW_COLUMNS)
    rows[:, at.COST] = costs.cost_of
    rows[:, at.COST] *= at.COST_COLUMNS
    rows[:, at.COST] += begins[1]
    rows[:, at.WAITS], rows[:, at.SIGNALS] = links.waits_of, links.signals_of
    memory[begins[1] : begins[2]] = costs.lines.reshape(-1)
    memory[begins[2] : begins[3]] = links.pointers + begins[3]
    memory[begins[3] : begins[4]] = links.members
    memory[begins[4] : begins[5]] = links.templates
    memory[begins[5] : begins[6]] = links.delays_ps
    return memory


def _head(tables: TileTables, begins: list[int], *, folds: bool, traces: bool) -> list[int]:
    facts = _facts(tables)
    facts[at.PORTS], facts[at.FOLDS], facts[at.TRACES] = _ports(tables), int(folds), int(traces)
    facts[at.ROWS_AT : at.POINTERS_AT + 1] = begins[:3]
    facts[at.TEMPLATES : at.TEMPLATES + 5] = [begins[4] + begin for begin in tables.links.template_starts]
    facts[at.DELAYS_AT] = begins[5]
    facts[at.WORKERS_AT : at.LIVES_AT + 1] = begins[6:13]
    head = [*facts, *[0] * (begins[0] - at.FIRST_TOTAL)]
    head[at.FREE] = begins[-1]
    return head


def _ports(tables: TileTables) -> int:
    return -(-tables.machine.workers // tables.machine.per_port)


def _facts(tables: TileTables) -> list[int]:
    machine, costs, links = tables.machine, tables.costs, tables.links
    found = [0] * at.FIRST_TOTAL
    found[at.STRIDE], found[at.STRIDE_BITS] = tables.stride, tables.stride.bit_length() - 1
    found[at.REPEATS], found[at.WORKERS] = tables.repeats, machine.workers
    found[at.SPACE_BYTES], found[at.LIMIT_BYTES] = costs.space_bytes, costs.limit_bytes
    found[at.PER_PORT], found[at.BITS] = machine.per_port, worker_bits(machine)
    found[at.ROOMS] = costs.rooms
    found[at.TURN_PS], found[at.IS_STATIC], found[at.COUNTER_BITS] = machine.queue_ps, int(machine.is_static), counter_bits(links)
    found[at.SECTION_ROWS : at.SECTION_ROWS + 4] = tables.starts
    found[at.COUNTERS : at.COUNTERS + 3] = links.counter_counts
    found[at.FIRST_COUNTER : at.FIRST_COUNTER + 3] = [0, *accumulate(links.counter_counts[:2])]
    found[at.FIRST_SET : at.FIRST_SET + 3] = [0, *accumulate(len(section.waits) for section in tables.sections[:2])]
    found[at.WAITERS], found[at.NEXT_REPEAT], found[at.NEXT_EPILOGUE], found[at.ROWS_OF_SET] = links.list_starts
    found[at.FIRST_WITH_WEIGHTS : at.FIRST_WITH_WEIGHTS + 3] = tables.first_with_weights
    return found
