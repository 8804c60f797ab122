"""What the tiles of a program run on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TileMachine:
    """What the tiles run on: *workers* CTAs that share one memory queue and, *per_port* at a time, one SM's port.

    Workers are numbered SM by SM: the first *per_port* of them share the first port. *staging_bytes* is the space of one
    worker (None: without limit). *latency_ps* delays a transfer and occupies nothing. *in_flight_bytes* is what one worker can have
    under way at a time, so that its loads get no more than that per latency (None: without limit). *wait_ps* is added to the compute
    time of a tile for each counter that it waits for.
    """

    workers: int
    bandwidth_bytes_per_s: int
    port_bytes_per_s: int | None = None
    per_port: int = 1
    staging_bytes: int | None = None
    latency_ps: int = 0
    in_flight_bytes: int | None = None
    wait_ps: int = 0
    prefetch: bool = False
