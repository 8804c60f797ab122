"""The workers of a schedule: who is free, and how much staging space each has left."""

from __future__ import annotations

from .cells import (
    CRAMPED,
    EMPTY,
    EMPTY_AT,
    IS_CRAMPED,
    NOT_EMPTY,
    RUNNABLE,
    RUNNING,
    SLOT_READY,
    SLOTS_AT,
    SPACE,
    STAGED_AT,
    VACANT,
    WORKERS,
    line_of,
)
from .memory import KernelMemory, insert, push, remove
from .ready import enter


def take(m: KernelMemory, size_bytes: int) -> int:
    """Take the lowest-numbered free worker with *size_bytes* of space, those with an empty slot first; -1 if there is none."""
    # A worker whose slot is taken will be needed for its staged tile, so those with an empty slot go first (*Worker*).
    worker = _first_with_room(m, m[EMPTY_AT], m[EMPTY], size_bytes)
    if worker < 0:
        worker = _first_with_room(m, m[STAGED_AT], m[NOT_EMPTY], size_bytes)
    if worker >= 0:
        remove_free(m, worker)
        m[line_of(m, worker) + SPACE] -= size_bytes
    return worker


def _first_with_room(m: KernelMemory, free: int, count: int, size_bytes: int) -> int:
    for at in range(free, free + count):
        if m[line_of(m, m[at]) + SPACE] >= size_bytes:
            return m[at]
    return -1


def take_all(m: KernelMemory, tile: int) -> int:
    """Take all workers for *tile* and return the first, if all are free; else -1."""
    if m[EMPTY] + m[NOT_EMPTY] < m[WORKERS]:
        return -1
    # An opaque operator runs on all of them at once, with a barrier on either side (*Opaque*).
    m[EMPTY] = 0
    m[NOT_EMPTY] = 0
    for worker in range(m[WORKERS]):
        m[line_of(m, worker) + RUNNING] = tile
    return 0


def add_free(m: KernelMemory, worker: int) -> None:
    """Put *worker* among the free ones."""
    if m[m[SLOTS_AT] + worker] < 0:
        insert(m, m[EMPTY_AT], m[EMPTY], worker)
        m[EMPTY] += 1
    else:
        insert(m, m[STAGED_AT], m[NOT_EMPTY], worker)
        m[NOT_EMPTY] += 1


def remove_free(m: KernelMemory, worker: int) -> None:
    """Take *worker* from the free ones."""
    if m[m[SLOTS_AT] + worker] < 0:
        remove(m, m[EMPTY_AT], m[EMPTY], worker)
        m[EMPTY] -= 1
    else:
        remove(m, m[STAGED_AT], m[NOT_EMPTY], worker)
        m[NOT_EMPTY] -= 1


def release(m: KernelMemory, worker: int) -> None:
    """Free *worker*, whose tile has computed."""
    line = line_of(m, worker)
    m[line + RUNNING] = -1
    add_free(m, worker)
    if m[m[SLOTS_AT] + worker] >= 0 and m[line + SLOT_READY]:
        enter(m, RUNNABLE, m[m[SLOTS_AT] + worker])
    gain(m, worker)


def gain(m: KernelMemory, worker: int) -> None:
    """Note that *worker* has more space than before, so that its slot may be asked again."""
    line = line_of(m, worker)
    if m[line + IS_CRAMPED]:
        m[line + IS_CRAMPED] = 0
        m[CRAMPED] -= 1
        push(m, VACANT, worker)


def held(m: KernelMemory) -> int:
    """Return how many workers are not free."""
    return m[WORKERS] - m[EMPTY] - m[NOT_EMPTY]
