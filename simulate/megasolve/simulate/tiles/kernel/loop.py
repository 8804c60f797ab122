"""The loop of the tile scheduler: from completion to completion, with the state of workers, slots, queue and counters.

`scheduler` says what it computes and which choices were made.
"""

from __future__ import annotations

from .cells import (
    BITS,
    COMPUTED_PS,
    COUNTER_BITS,
    CRAMPED,
    DONE_PS,
    DUE_AT,
    EVENTS,
    FREED_BYTES,
    HELD_PS,
    IS_DUE,
    IS_OPAQUE,
    IS_PASSING,
    IS_STIRRED,
    LOADED_AT,
    LOADS,
    NOW,
    OPENING,
    OUTPUT_BYTES,
    RUNNABLE,
    RUNNING,
    SENT,
    SLOT_AT,
    SLOT_READY,
    SLOTS_AT,
    SPACE,
    STORE_PS,
    STORES,
    TRACES,
    TURN,
    VACANT,
    WAKE_AT,
    WIDTH,
    WORKERS,
    cost_of,
    life_of,
    line_of,
    size_of,
)
from .counters import arrive, open_counter
from .folding import look
from .memory import KernelMemory, first_end, item, pop, pop_store, push
from .ready import enter
from .slots import asks_again, prefetch
from .starts import start_ready
from .transfers import queue_loads, queue_stores
from .workers import gain, release


def advance(m: KernelMemory) -> None:
    """Advance from completion to completion until every tile is done or nothing can move."""
    act(m)
    while True:
        at = next_instant(m)
        if at < 0:
            return
        m[NOW] = at
        # A wake-up is asked for once and good for one instant; what is still to come asks again.
        if m[WAKE_AT] == at:
            m[WAKE_AT] = -1
        complete(m)
        # A state is compared only at the end of its instant: within one the order of completions would be part of it.
        if m[IS_DUE] and act(m) and m[TURN]:
            look(m)


def next_instant(m: KernelMemory) -> int:
    """Return when something completes or is woken next; -1 if nothing will."""
    at = m[WAKE_AT]
    if size_of(m, EVENTS):
        # An event is its time, then the worker, in one number: the heap orders by time, and ties by worker.
        computed_at = item(m, EVENTS, 0) >> m[BITS]
        at = computed_at if at < 0 else min(at, computed_at)
    if size_of(m, SENT):
        at = first_end(m, SENT) if at < 0 else min(at, first_end(m, SENT))
    if size_of(m, OPENING):
        at = first_end(m, OPENING) if at < 0 else min(at, first_end(m, OPENING))
    return at


def act(m: KernelMemory) -> bool:
    """Start what can start; then queue stores, loads and prefetches, in one pass. Return whether the instant is over."""
    # Nothing starts unless a tile became ready, a worker free, or staging was given back since the last pass.
    if m[IS_STIRRED]:
        start_ready(m)
        if size_of(m, EVENTS) and item(m, EVENTS, 0) >> m[BITS] == m[NOW]:
            return False  # a tile that takes no time: its completion comes first
    # The order of the design (*One instant*): stores, then loads of started tiles, then prefetches, on one FIFO.
    if size_of(m, STORES):
        queue_stores(m)
    if size_of(m, LOADS):
        queue_loads(m)
    if size_of(m, VACANT) or m[CRAMPED]:
        prefetch(m)
    m[IS_DUE] = 0
    m[WAKE_AT] = -1
    # A prefetch may make a start possible. It happens at the next completion of anything, also of a transfer nobody waits for.
    if m[IS_STIRRED] or asks_again(m):
        wake_up(m)
    return True


def wake_up(m: KernelMemory) -> None:
    """Act again at the next completion, which may be that of a transfer."""
    m[IS_DUE] = 1
    for worker in range(m[WORKERS]):
        line = line_of(m, worker)
        _wake_at(m, m[line + LOADED_AT])
        _wake_at(m, m[line + DUE_AT])
        _wake_at(m, m[line + SLOT_AT])


def _wake_at(m: KernelMemory, at: int) -> None:
    """Act again at the instant *at*, if it is to come and nothing earlier is."""
    if at > m[NOW] and (m[WAKE_AT] < 0 or at < m[WAKE_AT]):
        m[WAKE_AT] = at


def complete(m: KernelMemory) -> None:
    """Complete everything that ends in this instant."""
    # All completions of an instant before any start (*One instant*). Arrivals commute, so among themselves any order will do.
    while size_of(m, EVENTS) and item(m, EVENTS, 0) >> m[BITS] == m[NOW]:
        computed(m, pop(m, EVENTS) & ((1 << m[BITS]) - 1))
    while size_of(m, SENT) and first_end(m, SENT) == m[NOW]:
        stored(m, pop_store(m, SENT))
    while size_of(m, OPENING) and first_end(m, OPENING) == m[NOW]:
        counter = pop_store(m, OPENING)
        open_counter(m, counter >> m[COUNTER_BITS], counter & ((1 << m[COUNTER_BITS]) - 1))


def computed(m: KernelMemory, worker: int) -> None:
    """The worker is free, and its staging but for the output."""
    tile = m[line_of(m, worker) + RUNNING]
    cost = cost_of(m, tile)
    # The sum of ends minus the sum of starts is the time that workers were held; `begin` takes the start off.
    m[HELD_PS] += m[NOW] * m[cost + WIDTH]
    if m[TRACES]:
        m[life_of(m, tile) + COMPUTED_PS] = m[NOW]
        m[life_of(m, tile) + DONE_PS] = m[NOW]
    if m[cost + IS_OPAQUE]:
        for each in range(m[WORKERS]):
            release(m, each)
    else:
        # The output stays behind until its store is done: the worker is free before its staging is.
        m[line_of(m, worker) + SPACE] += m[cost + FREED_BYTES]
        release(m, worker)
    if m[cost + STORE_PS]:
        push(m, STORES, (tile << m[BITS]) | worker)
    else:
        arrive(m, tile)
    m[IS_DUE] = 1
    m[IS_STIRRED] = 1


def stored(m: KernelMemory, store: int) -> None:
    """The tile is done, and its output is not held any more."""
    tile, worker = store >> m[BITS], store & ((1 << m[BITS]) - 1)
    if m[TRACES]:
        m[life_of(m, tile) + DONE_PS] = m[NOW]
    line = line_of(m, worker)
    m[line + SPACE] += m[cost_of(m, tile) + OUTPUT_BYTES]
    if m[IS_PASSING] or m[line + SLOT_READY] or m[CRAMPED]:
        # What had no room is looked at again: tiles that were passed over, the staged tile of the worker, and its slot.
        if m[line + SLOT_READY] and m[line + RUNNING] < 0:
            enter(m, RUNNABLE, m[m[SLOTS_AT] + worker])
        gain(m, worker)
        m[IS_DUE] = 1
        m[IS_STIRRED] = 1
    arrive(m, tile)
