"""Weight prefetch: one staging slot per worker, filled with the first tile in program order that still needs its weights."""

from __future__ import annotations

from .cells import (
    AHEAD,
    COST,
    CRAMPED,
    CRAMPED_BYTES,
    FIRST_ROOM,
    FIRST_WITH_WEIGHTS,
    IS_CRAMPED,
    IS_STATIC,
    IS_STIRRED,
    LIMIT_BYTES,
    POINTER,
    REPEATS,
    ROOM,
    ROW_COLUMNS,
    ROWS_AT,
    RUNNABLE,
    RUNNING,
    SECTION_ROWS,
    SLOT_AT,
    SLOT_BYTES,
    SLOT_READY,
    SLOTS_AT,
    SPACE,
    STAGED,
    STRIDE,
    STRIDE_BITS,
    VACANT,
    WEIGHTS_PS,
    WORKERS,
    cost_of,
    line_of,
    size_of,
)
from .counters import is_ready, kind_of
from .memory import KernelMemory, item, pop, push
from .order import next_of
from .ready import enter, withdraw
from .transfers import send
from .workers import add_free, remove_free


def end_of(m: KernelMemory) -> int:
    """Return the number behind that of the last tile."""
    return (m[REPEATS] + 2) * m[STRIDE]


def prefetch(m: KernelMemory) -> None:
    """Stage tiles in the empty slots by worker number, in one pass, and queue the loads of their weights."""
    ask_again(m, -1)
    while size_of(m, VACANT):
        tile = candidate(m)
        # The pointer never skips (*Prefetch*): what does not fit a slot holds all prefetching up until it has started.
        if tile == end_of(m) or m[cost_of(m, tile) + SLOT_BYTES] > m[LIMIT_BYTES]:
            break
        size_bytes = m[cost_of(m, tile) + SLOT_BYTES]
        worker = pop(m, VACANT)
        # Set aside until it has more space, so that a pass asks each worker once, however many tiles there are.
        if size_bytes > m[line_of(m, worker) + SPACE]:
            m[line_of(m, worker) + IS_CRAMPED] = 1
            m[CRAMPED] += 1
            m[CRAMPED_BYTES] = max(m[CRAMPED_BYTES], size_bytes)
        else:
            m[POINTER] = after(m, tile)
            _stage(m, tile, worker)
            ask_again(m, worker)


def _stage(m: KernelMemory, tile: int, worker: int) -> None:
    """Fill the slot of *worker* with *tile*."""
    cost, line = cost_of(m, tile), line_of(m, worker)
    is_free = m[line + RUNNING] < 0
    # Free workers stand in two orders, by whether their slot is empty: out of one before it is filled, then into the other.
    if is_free:
        remove_free(m, worker)
    m[m[SLOTS_AT] + worker] = tile
    if is_free:
        add_free(m, worker)
    m[line + SPACE] -= m[cost + SLOT_BYTES]
    m[STAGED] += 1
    # Nobody waits for a prefetch while it queues, so its time in the queue counts for no worker.
    m[line + SLOT_AT] = send(m, worker, cost + WEIGHTS_PS)
    room = FIRST_ROOM + m[cost + ROOM]
    if size_of(m, room) and (item(m, room, 0) == tile or is_ready(m, tile)):
        withdraw(m, room, tile)
        m[line + SLOT_READY] = 1
        if is_free:
            enter(m, RUNNABLE, tile)
            m[IS_STIRRED] = 1


def empty_slot(m: KernelMemory, worker: int) -> None:
    """Empty the slot of *worker*: its tile starts. In static order the next one takes its place."""
    if m[IS_STATIC]:
        tile = next_of(m, m[m[SLOTS_AT] + worker])
        m[m[SLOTS_AT] + worker] = tile
        m[line_of(m, worker) + SLOT_READY] = 1 if tile >= 0 and is_ready(m, tile) else 0
        return
    m[m[SLOTS_AT] + worker] = -1
    m[line_of(m, worker) + SLOT_READY] = 0
    push(m, VACANT, worker)


def candidate(m: KernelMemory) -> int:
    """Return the first tile in program order with weights that is neither started nor staged; the end if there is none."""
    # Tiles that started on their own stand in order, so the pointer meets them one by one.
    while size_of(m, AHEAD) and item(m, AHEAD, 0) == m[POINTER]:
        pop(m, AHEAD)
        m[POINTER] = after(m, m[POINTER])
    return m[POINTER]


def asks_again(m: KernelMemory) -> bool:
    """Return whether a cramped worker may take the next tile, which none behind it took in the last pass."""
    if m[CRAMPED] == 0:
        return False
    tile = candidate(m)
    return tile < end_of(m) and m[cost_of(m, tile) + SLOT_BYTES] < m[CRAMPED_BYTES]


def ask_again(m: KernelMemory, behind: int) -> None:
    """Ask the cramped workers with larger numbers once more where the next tile is smaller than the largest that they refused."""
    if not asks_again(m):
        return
    for worker in range(behind + 1, m[WORKERS]):
        line = line_of(m, worker)
        if m[line + IS_CRAMPED]:
            m[line + IS_CRAMPED] = 0
            m[CRAMPED] -= 1
            push(m, VACANT, worker)
    # With nobody cramped the largest refusal means nothing, and a smaller one later has to count.
    if m[CRAMPED] == 0:
        m[CRAMPED_BYTES] = 0


def after(m: KernelMemory, tile: int) -> int:
    """Return the next tile with weights after *tile*."""
    section = tile >> m[STRIDE_BITS]
    row = (tile & (m[STRIDE] - 1)) + 1
    end = m[SECTION_ROWS + kind_of(m, section) + 1]
    while row < end and m[m[m[ROWS_AT] + row * ROW_COLUMNS + COST] + SLOT_BYTES] == 0:
        row += 1
    return section * m[STRIDE] + row if row < end else first_from(m, section + 1)


def first_from(m: KernelMemory, section: int) -> int:
    """Return the first tile with weights from *section* on."""
    prologue, body, epilogue = m[FIRST_WITH_WEIGHTS], m[FIRST_WITH_WEIGHTS + 1], m[FIRST_WITH_WEIGHTS + 2]
    if section == 0 and prologue >= 0:
        return prologue
    if section <= m[REPEATS] and m[REPEATS] and body >= 0:
        return max(section, 1) * m[STRIDE] + body
    if section <= m[REPEATS] + 1 and epilogue >= 0:
        return (m[REPEATS] + 1) * m[STRIDE] + epilogue
    return end_of(m)
