"""The one FIFO queue that all memory transfers pass, the ports of the SMs behind it, and what queues at the end of an instant.

When a transfer ends is known as soon as it is queued, since the queue is served in order and never interrupted.
"""

from __future__ import annotations

from .cells import (
    BITS,
    COMPUTE_PS,
    DUE_AT,
    ENDS_AT,
    EVENTS,
    IS_STAGED,
    LAST_END,
    LATENCY_PS,
    LOAD_PORT_PS,
    LOAD_PS,
    LOAD_WAITING,
    LOADED_AT,
    LOADING_PS,
    LOADS,
    NOW,
    PER_PORT,
    PORTS_AT,
    QUEUE_FREE_AT,
    QUEUED_PS,
    SENT,
    STAGED_LOAD_PORT_PS,
    STAGED_LOAD_PS,
    STAGED_LOAD_WAITING,
    STORE_PORT_PS,
    STORE_PS,
    STORES,
    TRACES,
    TRANSFERS,
    cost_of,
    life_of,
    line_of,
    size_of,
)
from .memory import KernelMemory, pop, push, push_store


def send(m: KernelMemory, worker: int, queue_ps: int, port_ps: int, waiting: int) -> int:
    """Queue a transfer of *worker*, for whose service *waiting* workers wait, and return when it ends."""
    # One transfer at a time, at the full bandwidth: FIFO, and never interrupted (section IV-B).
    entered = max(m[QUEUE_FREE_AT], m[NOW])
    end = entered + queue_ps
    m[QUEUE_FREE_AT] = end
    if port_ps:
        port = m[PORTS_AT] + worker // m[PER_PORT]
        # max(a + n/B, max(a, port free) + n/port) for one that enters service at a (*Port*).
        through = max(entered, m[port]) + port_ps
        m[port] = through
        end = max(end, through)
    m[QUEUED_PS] += (entered - m[NOW]) * waiting
    # Latency delays the completion and occupies nothing: the queue and the port are free before it.
    end += m[LATENCY_PS]
    m[LAST_END] = max(m[LAST_END], end)
    m[TRANSFERS] += 1
    return end


def queue_stores(m: KernelMemory) -> None:
    """Queue the stores of computed tiles in program order."""
    while size_of(m, STORES):
        store = pop(m, STORES)
        cost = cost_of(m, store >> m[BITS])
        worker = store & ((1 << m[BITS]) - 1)
        push_store(m, SENT, send(m, worker, m[cost + STORE_PS], m[cost + STORE_PORT_PS], 0), store)


def queue_loads(m: KernelMemory) -> None:
    """Queue the loads of started tiles in program order; when they arrive, and the computes end, is known with that."""
    while size_of(m, LOADS):
        load = pop(m, LOADS)
        tile, worker = load >> m[BITS], load & ((1 << m[BITS]) - 1)
        cost, line = cost_of(m, tile), line_of(m, worker)
        if m[TRACES]:
            m[life_of(m, tile) + LOADING_PS] = max(m[QUEUE_FREE_AT] - m[NOW], 0)
        if m[line + IS_STAGED]:
            arrives = send(m, worker, m[cost + STAGED_LOAD_PS], m[cost + STAGED_LOAD_PORT_PS], m[cost + STAGED_LOAD_WAITING])
        else:
            arrives = send(m, worker, m[cost + LOAD_PS], m[cost + LOAD_PORT_PS], m[cost + LOAD_WAITING])
        m[line + LOADED_AT] = arrives
        compute(m, worker, max(arrives, m[line + DUE_AT]) + m[cost + COMPUTE_PS])


def compute(m: KernelMemory, worker: int, end: int) -> None:
    """Let *worker* compute until *end*."""
    m[line_of(m, worker) + ENDS_AT] = end
    push(m, EVENTS, (end << m[BITS]) | worker)
