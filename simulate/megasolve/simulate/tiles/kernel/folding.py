"""Repeats that need no simulation: once the whole state of a schedule has come back, what lies between happens again.

The state is compared when the first tile of a repeat has started, relative to the time and to the repeat: queue and port
backlog, pending completions, staging space, slots and what has arrived in them, counters, ready tiles, tiles started ahead
and the prefetch pointer. A period is skipped only where nothing that it touches lies outside the repeats.
"""

from __future__ import annotations

from .cells import (
    AHEAD,
    BITS,
    COUNTER_BITS,
    DUE_AT,
    ENDS_AT,
    EVENTS,
    FIRST_FRAME,
    FIRST_OPEN,
    FIRST_ROOM,
    FIRST_WITH_WEIGHTS,
    FLIGHT_AT,
    FOLDED,
    FRAMES,
    HELD_PS,
    KNOWN,
    LAST_END,
    LOADED_AT,
    NOW,
    OPENING,
    POINTER,
    PORTS,
    PORTS_AT,
    QUEUE_FREE_AT,
    QUEUED_PS,
    REPEATS,
    ROOMS,
    RUNNABLE,
    RUNNING,
    SENT,
    SLOT_AT,
    SLOTS_AT,
    STAGED,
    STRIDE,
    STRIDE_BITS,
    TRANSFERS,
    TURN,
    WATCHED_ROW,
    WORK,
    WORKERS,
    line_of,
    size_of,
)
from .memory import KernelMemory, add_to_all, add_to_stores, append, is_kept, item, kept, set_item
from .relative import note_state
from .slots import end_of
from .workers import held

REMEMBERED = 64
"""States that are kept, the latest ones; longer periods are not found."""

FIRST_SECTION = 2
"""The first repeat follows the prologue, so only from the second on do equal states mean equal futures."""

AT, SIZE, CELLS, SECTION, TIME, HELD, QUEUED, SENDS, PREFETCHED, MOMENT = range(10)
"""What is known of an earlier state: where it stands, its size, how many cells are there, its repeat and time, all that only grows."""


def look(m: KernelMemory) -> None:
    """Compare the state, in which the first tile of a repeat has just started, with the earlier ones."""
    section = m[TURN]
    m[TURN] = 0
    # While the prologue is open, its tiles are part of the state and of nothing that could come back.
    if m[FIRST_OPEN] < FIRST_SECTION:
        return
    note_state(m, section)
    for moment in range(0, size_of(m, KNOWN), MOMENT):
        size = item(m, KNOWN, moment + SIZE)
        if size == size_of(m, WORK) and is_kept(m, WORK, item(m, KNOWN, moment + AT), size):
            # The same state in the same repeat is no period; the repeat has to have gone on.
            if item(m, KNOWN, moment + SECTION) < section:
                # Folded once, as far as it goes: what is left is too short for another period.
                m[WATCHED_ROW] = -1
                _skip(m, section, moment)
            return
    _remember(m, section)


def _remember(m: KernelMemory, section: int) -> None:
    """Keep the state; of many, the latest."""
    moment = size_of(m, KNOWN)
    if moment < REMEMBERED * MOMENT:
        for _ in range(MOMENT):
            append(m, KNOWN, 0)
    else:
        moment = _oldest(m)
    at = kept(m, WORK, item(m, KNOWN, moment + AT), item(m, KNOWN, moment + CELLS))
    set_item(m, KNOWN, moment + AT, at)
    set_item(m, KNOWN, moment + SIZE, size_of(m, WORK))
    set_item(m, KNOWN, moment + CELLS, max(size_of(m, WORK), item(m, KNOWN, moment + CELLS)))
    set_item(m, KNOWN, moment + SECTION, section)
    set_item(m, KNOWN, moment + TIME, m[NOW])
    set_item(m, KNOWN, moment + HELD, _held_ps(m))
    set_item(m, KNOWN, moment + QUEUED, m[QUEUED_PS])
    set_item(m, KNOWN, moment + SENDS, m[TRANSFERS])
    set_item(m, KNOWN, moment + PREFETCHED, m[STAGED])


def _oldest(m: KernelMemory) -> int:
    oldest = 0
    for moment in range(MOMENT, size_of(m, KNOWN), MOMENT):
        if item(m, KNOWN, moment + TIME) < item(m, KNOWN, oldest + TIME):
            oldest = moment
    return oldest


def _held_ps(m: KernelMemory) -> int:
    """Return how long tiles have held workers so far; the total has only the computed ones in full."""
    return m[HELD_PS] + m[NOW] * held(m)


def _skip(m: KernelMemory, section: int, moment: int) -> None:
    """Skip as many periods as end inside the repeats, with a repeat to spare, as an arrival looks one section ahead."""
    period = section - item(m, KNOWN, moment + SECTION)
    # The furthest section touched, moved on by all periods, still lies inside the repeats: the epilogue never comes into view.
    times = (m[REPEATS] - 1 - reach(m)) // period
    if times > 0:
        held_ps = _held_ps(m)
        shift(m, times * period, times * (m[NOW] - item(m, KNOWN, moment + TIME)))
        # Totals grow by the same in each period: they are multiplied, and the running tiles taken off again at their new start.
        m[HELD_PS] = held_ps + times * (held_ps - item(m, KNOWN, moment + HELD)) - m[NOW] * held(m)
        m[QUEUED_PS] += times * (m[QUEUED_PS] - item(m, KNOWN, moment + QUEUED))
        m[TRANSFERS] += times * (m[TRANSFERS] - item(m, KNOWN, moment + SENDS))
        m[STAGED] += times * (m[STAGED] - item(m, KNOWN, moment + PREFETCHED))


def reach(m: KernelMemory) -> int:
    """Return the last section that anything was done in or looked up in; one without any weights is not looked up."""
    last = m[FIRST_FRAME] + size_of(m, FRAMES) - 1
    if m[POINTER] == end_of(m) and m[FIRST_WITH_WEIGHTS + 1] < 0:
        return last
    return max(last, m[POINTER] >> m[STRIDE_BITS])


def shift(m: KernelMemory, sections: int, ps: int) -> None:
    """Move the whole state *sections* and *ps* on."""
    tiles = sections * m[STRIDE]
    if m[POINTER] < end_of(m):
        m[POINTER] += tiles
    m[FOLDED] += sections
    m[FIRST_OPEN] += sections
    m[FIRST_FRAME] += sections
    m[NOW] += ps
    m[QUEUE_FREE_AT] += ps
    m[LAST_END] += ps
    for port in range(m[PORTS]):
        m[m[PORTS_AT] + port] += ps
    for worker in range(m[WORKERS]):
        _shift_worker(m, worker, tiles, ps)
    # Adding one number to all keeps a heap a heap.
    add_to_all(m, EVENTS, ps << m[BITS])
    add_to_stores(m, SENT, ps, tiles << m[BITS])
    add_to_stores(m, OPENING, ps, sections << m[COUNTER_BITS])
    add_to_all(m, RUNNABLE, tiles)
    add_to_all(m, AHEAD, tiles)
    for room in range(FIRST_ROOM, FIRST_ROOM + m[ROOMS]):
        add_to_all(m, room, tiles)


def _shift_worker(m: KernelMemory, worker: int, tiles: int, ps: int) -> None:
    line, slot = line_of(m, worker), m[SLOTS_AT] + worker
    if m[line + RUNNING] >= 0:
        m[line + RUNNING] += tiles
    if m[slot] >= 0:
        m[slot] += tiles
    m[line + LOADED_AT] += ps
    m[line + DUE_AT] += ps
    m[line + ENDS_AT] += ps
    m[line + SLOT_AT] += ps
    m[line + FLIGHT_AT] += ps
