"""The one FIFO queue that all memory transfers pass, the ports of the SMs behind it, and what queues at the end of an instant.

When a transfer ends is known as soon as it is queued, since the queue is served in order and never interrupted.
"""

from __future__ import annotations

from .cells import (
    BITS,
    COMPUTE_PS,
    DUE_AT,
    EARLY_PS,
    ENDS_AT,
    EVENTS,
    FLIGHT,
    FLIGHT_AT,
    IS_OPAQUE,
    IS_STAGED,
    LAST_END,
    LATENCY,
    LOAD_PS,
    LOADED_AT,
    LOADING_PS,
    LOADS,
    NOW,
    PER_PORT,
    PORT,
    PORTS_AT,
    QUEUE,
    QUEUE_FREE_AT,
    QUEUED_PS,
    RUNNING,
    SENT,
    STAGED_LOAD_PS,
    STORE_PS,
    STORES,
    TRACES,
    TRANSFERS,
    TURN_PS,
    WAITING,
    WORKERS,
    cost_of,
    life_of,
    line_of,
    size_of,
)
from .memory import KernelMemory, pop, push, push_store


def send(m: KernelMemory, worker: int, moved: int) -> int:
    """Queue the transfer of *worker* whose columns stand at *moved*, and return when it ends."""
    # One transfer at a time, at the full bandwidth: FIFO, and never interrupted (section IV-B).
    # What stays in L2 does not pass the queue: it enters service at once.
    entered = max(m[QUEUE_FREE_AT], m[NOW]) if m[moved + QUEUE] else m[NOW]
    end = entered + m[moved + QUEUE]
    m[QUEUE_FREE_AT] = max(end, m[QUEUE_FREE_AT])
    if m[moved + PORT]:
        port = m[PORTS_AT] + worker // m[PER_PORT]
        # max(a + n/B, max(a, port free) + n/port) for one that enters service at a (*Port*).
        through = max(entered, m[port]) + m[moved + PORT]
        m[port] = through
        end = max(end, through)
    m[QUEUED_PS] += (entered - m[NOW]) * m[moved + WAITING]
    # Latency delays the completion and occupies nothing: the queue and the port are free before it.
    end += m[moved + LATENCY]
    if m[moved + FLIGHT]:
        flight = line_of(m, worker) + FLIGHT_AT
        # max(a + n/B + l, max(a, the worker's port free) + n l / q): what is under way at a time comes once per latency (*In flight*).
        m[flight] = max(entered, m[flight]) + m[moved + FLIGHT]
        end = max(end, m[flight])
    m[LAST_END] = max(m[LAST_END], end)
    m[TRANSFERS] += 1
    return end


def queue_stores(m: KernelMemory) -> None:
    """Queue the stores of computed tiles in program order."""
    while size_of(m, STORES):
        store = pop(m, STORES)
        cost = cost_of(m, store >> m[BITS])
        worker = store & ((1 << m[BITS]) - 1)
        push_store(m, SENT, send(m, worker, cost + STORE_PS), store)


def queue_loads(m: KernelMemory) -> None:
    """Queue the loads of started tiles in program order; when they arrive, and the computes end, is known with that."""
    while size_of(m, LOADS):
        load = pop(m, LOADS)
        tile, worker = load >> m[BITS], load & ((1 << m[BITS]) - 1)
        cost, line = cost_of(m, tile), line_of(m, worker)
        moved = cost + (STAGED_LOAD_PS if m[line + IS_STAGED] else LOAD_PS)
        queued = max(m[QUEUE_FREE_AT] - m[NOW], 0) if m[moved + QUEUE] else 0
        # A worker that computes meanwhile does not stand still.
        busy = min(queued, m[cost + EARLY_PS])
        m[QUEUED_PS] -= busy * m[moved + WAITING]
        if m[TRACES]:
            m[life_of(m, tile) + LOADING_PS] = queued - busy
        arrives = send(m, worker, moved)
        m[line + LOADED_AT] = arrives
        compute(m, worker, max(arrives, m[line + DUE_AT]))


def compute(m: KernelMemory, worker: int, arrived: int) -> None:
    """Let *worker* compute its tile once everything has *arrived*, but for what it does early, and it has turned to it.

    It is called in the instant in which the tile starts, so no compute begins before that.
    """
    line = line_of(m, worker)
    cost = cost_of(m, m[line + RUNNING])
    first, last = worker, worker + 1
    # An opaque operator follows what every worker computed last (*Edges*).
    if m[cost + IS_OPAQUE]:
        first, last = 0, m[WORKERS]
    begin = max(arrived - m[cost + EARLY_PS], m[NOW])
    for each in range(first, last):
        begin = max(begin, m[line_of(m, each) + ENDS_AT] + m[TURN_PS])
    end = begin + m[cost + COMPUTE_PS]
    for each in range(first, last):
        m[line_of(m, each) + ENDS_AT] = end
    push(m, EVENTS, (end << m[BITS]) | worker)
