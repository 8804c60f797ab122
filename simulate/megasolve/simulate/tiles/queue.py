"""The one FIFO queue that all memory transfers pass, and the ports of the SMs behind it."""

from __future__ import annotations

from .program import TileMachine
from .tables import Transfer


class MemoryQueue:
    """When transfers end: known as soon as they are queued, since the queue is served in order and never interrupted.

    Without ports they end in the order in which they were queued (*is_ordered*). *queued_ps* sums what workers waited until
    their loads were served, *count* the transfers; *last_end* is the latest end.
    """

    __slots__ = ("count", "free_at", "is_ordered", "last_end", "latency_ps", "per_port", "port_free_at", "queued_ps")

    def __init__(self, machine: TileMachine) -> None:
        self.latency_ps, self.per_port = machine.latency_ps, machine.per_port
        self.is_ordered = machine.port_bytes_per_s is None
        self.port_free_at = [0] * -(-machine.workers // machine.per_port)
        self.free_at = self.last_end = self.queued_ps = self.count = 0

    def send(self, now: int, worker: int, transfer: Transfer) -> int:
        """Queue *transfer* of *worker* at *now* and return when it ends."""
        queue_ps, port_ps, waiting = transfer
        entered = self.free_at if self.free_at > now else now
        end = self.free_at = entered + queue_ps
        if port_ps:
            port = worker // self.per_port
            self.port_free_at[port] = through = max(entered, self.port_free_at[port]) + port_ps
            end = max(end, through)
        if waiting:
            self.queued_ps += (entered - now) * waiting
        end += self.latency_ps
        if end > self.last_end:
            self.last_end = end
        self.count += 1
        return end

    def relative(self, now: int) -> tuple[int, ...]:
        """Return the backlog of the queue and of the ports at *now*."""
        return tuple(max(free_at - now, 0) for free_at in (self.free_at, *self.port_free_at))

    def shift(self, ps: int) -> None:
        """Move everything *ps* on."""
        self.free_at += ps
        self.last_end += ps
        self.port_free_at = [free_at + ps for free_at in self.port_free_at]
