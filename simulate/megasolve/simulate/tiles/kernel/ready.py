"""The tiles that wait for no counter and have not started, in program order, by room."""

from __future__ import annotations

from .cells import (
    FIRST_ROOM,
    HEADS,
    HEADS_AT,
    IS_DUE,
    IS_STATIC,
    IS_STIRRED,
    NOW,
    PASSED,
    POINTER,
    READY_PS,
    ROOM,
    RUNNABLE,
    RUNNING,
    SLOT_BYTES,
    SLOT_READY,
    SLOTS_AT,
    TRACES,
    WORKERS,
    cost_of,
    life_of,
    line_of,
    size_of,
)
from .memory import KernelMemory, item, place, pop, push
from .order import is_next, worker_of


def was_staged(m: KernelMemory, tile: int) -> bool:
    """Return whether *tile*, which has not started, is staged: of those with weights all before the pointer are."""
    return tile < m[POINTER] and m[cost_of(m, tile) + SLOT_BYTES] > 0


def admit(m: KernelMemory, tile: int) -> None:
    """Enter *tile*, which became ready; it may start at the end of this instant."""
    if m[TRACES]:
        m[life_of(m, tile) + READY_PS] = m[NOW]
    if m[IS_STATIC]:
        # One that is not its worker's next is found ready when its turn comes.
        if is_next(m, tile):
            _ready_in_slot(m, tile, worker_of(m, tile))
    elif was_staged(m, tile):
        _ready_in_slot(m, tile, place(m, m[SLOTS_AT], m[WORKERS], tile))
    else:
        enter(m, FIRST_ROOM + m[cost_of(m, tile) + ROOM], tile)
    m[IS_DUE] = 1
    m[IS_STIRRED] = 1


def _ready_in_slot(m: KernelMemory, tile: int, worker: int) -> None:
    """Note that *tile*, in the slot of *worker*, waits for nothing."""
    m[line_of(m, worker) + SLOT_READY] = 1
    # Only a free worker can start it; one that runs looks at its own slot when it is released.
    if m[line_of(m, worker) + RUNNING] < 0:
        enter(m, RUNNABLE, tile)


def enter(m: KernelMemory, heap: int, tile: int) -> None:
    """Put *tile* into one of the heaps of ready tiles."""
    if size_of(m, heap) == 0:
        m[m[HEADS_AT] + m[HEADS]] = heap
        m[HEADS] += 1
    push(m, heap, tile)


def withdraw(m: KernelMemory, heap: int, tile: int) -> None:
    """Take *tile*, which is staged now, out of a heap; where it is not the first it is passed over later."""
    if item(m, heap, 0) == tile:
        pop(m, heap)
        if size_of(m, heap) == 0:
            drop_head(m, place(m, m[HEADS_AT], m[HEADS], heap))


def drop_head(m: KernelMemory, at: int) -> None:
    """Forget the heap at *at* of the heads, which is empty."""
    m[HEADS] -= 1
    heads = m[HEADS_AT]
    m[heads + at] = m[heads + m[HEADS]]
    m[heads + m[HEADS]] = m[heads + m[HEADS] + m[PASSED]]


def pass_over(m: KernelMemory, at: int) -> None:
    """Set the heap at *at* of the heads aside until the end of this pass."""
    m[HEADS] -= 1
    m[PASSED] += 1
    heads = m[HEADS_AT]
    heap = m[heads + at]
    m[heads + at] = m[heads + m[HEADS]]
    m[heads + m[HEADS]] = heap


def first_head(m: KernelMemory) -> int:
    """Return where the heap with the first ready tile stands among the heads, of which there are some."""
    # A scan, because heads are few: one for each different amount of staging.
    first, heads = 0, m[HEADS_AT]
    for at in range(1, m[HEADS]):
        if item(m, m[heads + at], 0) < item(m, m[heads + first], 0):
            first = at
    return first
