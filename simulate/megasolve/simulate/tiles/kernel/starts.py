"""Starts: ready tiles take free workers in program order."""

from __future__ import annotations

from .cells import (
    AHEAD,
    BITS,
    DUE_AT,
    EMPTY,
    HEADS,
    HEADS_AT,
    HELD_BYTES,
    HELD_PS,
    IS_OPAQUE,
    IS_PASSING,
    IS_STAGED,
    IS_STATIC,
    IS_STIRRED,
    LOAD_PS,
    LOADS,
    NOT_EMPTY,
    NOW,
    PASSED,
    RUNNABLE,
    RUNNING,
    SLOT_AT,
    SLOT_BYTES,
    SLOTS_AT,
    SPACE,
    STAGED_LOAD_PS,
    START_PS,
    STRIDE,
    STRIDE_BITS,
    TRACES,
    TURN,
    WATCHED_ROW,
    WIDTH,
    WORKER,
    WORKERS,
    cost_of,
    is_moved,
    life_of,
    line_of,
    size_of,
)
from .memory import KernelMemory, item, place, pop, push
from .order import is_next, worker_of
from .ready import drop_head, first_head, pass_over, was_staged
from .slots import empty_slot
from .transfers import compute
from .workers import remove_free, take, take_all


def start_ready(m: KernelMemory) -> None:
    """Start ready tiles in program order, passing over those that no worker can take."""
    m[IS_STIRRED] = 0
    while m[HEADS] and m[EMPTY] + m[NOT_EMPTY]:
        at = first_head(m)
        heap = m[m[HEADS_AT] + at]
        tile = item(m, heap, 0)
        # A staged tile has its worker already; whether it may start or not, it leaves this heap and comes back when that changes.
        if heap == RUNNABLE:
            start_staged(m, tile)
        elif not was_staged(m, tile) and not start(m, tile):
            # All tiles of one heap hold the same, so where the first finds no worker none behind it does in this pass.
            pass_over(m, at)
            continue
        pop(m, heap)
        if size_of(m, heap) == 0:
            drop_head(m, at)
    m[IS_PASSING] = 1 if m[PASSED] else 0
    m[HEADS] += m[PASSED]
    m[PASSED] = 0


def start_staged(m: KernelMemory, tile: int) -> None:
    """Start *tile* on the worker that holds its weights, if that is still so, and the worker free and with room."""
    worker = _holder_of(m, tile)
    if worker < 0:
        return
    line, cost = line_of(m, worker), cost_of(m, tile)
    # The slot becomes part of the staging of its tile, so its bytes are not needed twice.
    left = m[line + SPACE] + m[cost + SLOT_BYTES] - m[cost + HELD_BYTES]
    if m[line + RUNNING] >= 0 or left < 0:
        return
    m[line + SPACE] = left
    remove_free(m, worker)
    empty_slot(m, worker)
    m[line + IS_STAGED] = 0 if m[IS_STATIC] else 1
    m[line + DUE_AT] = m[line + SLOT_AT]
    begin(m, tile, worker, LOAD_PS if m[IS_STATIC] else STAGED_LOAD_PS)


def _holder_of(m: KernelMemory, tile: int) -> int:
    """Return the worker in whose slot *tile* is; -1 if there is none any more."""
    if m[IS_STATIC]:
        return worker_of(m, tile) if is_next(m, tile) else -1
    return place(m, m[SLOTS_AT], m[WORKERS], tile)


def start(m: KernelMemory, tile: int) -> bool:
    """Start *tile* on a free worker with room, if there is one."""
    cost = cost_of(m, tile)
    worker = take_all(m, tile) if m[cost + IS_OPAQUE] else take(m, m[cost + HELD_BYTES])
    if worker < 0:
        return False
    # Started before its turn to be staged: the pointer must not stop at it any more.
    if m[cost + SLOT_BYTES]:
        push(m, AHEAD, tile)
    m[line_of(m, worker) + IS_STAGED] = 0
    m[line_of(m, worker) + DUE_AT] = 0
    begin(m, tile, worker, LOAD_PS)
    return True


def begin(m: KernelMemory, tile: int, worker: int, load: int) -> None:
    """Begin *tile* on *worker*: it computes once its *load*, a column of its costs, and the weights that are due have arrived."""
    cost, line = cost_of(m, tile), line_of(m, worker)
    m[line + RUNNING] = tile
    # Taken off here and added in `computed`: no start time has to be kept for the total.
    m[HELD_PS] -= m[NOW] * m[cost + WIDTH]
    if is_moved(m, cost + load):
        push(m, LOADS, (tile << m[BITS]) | worker)
    else:
        compute(m, worker, max(m[line + DUE_AT], m[NOW]))
    # The row in the low bits, the section above them: a stride is a power of two.
    if (tile & (m[STRIDE] - 1)) == m[WATCHED_ROW]:
        m[TURN] = tile >> m[STRIDE_BITS]
    if m[TRACES]:
        m[life_of(m, tile) + WORKER] = worker
        m[life_of(m, tile) + START_PS] = m[NOW]
