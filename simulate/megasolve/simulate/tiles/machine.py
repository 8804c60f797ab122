"""What the tiles of a program run on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TileMachine:
    """What the tiles run on: *workers* CTAs that share one memory queue and, *per_port* at a time, one SM's port.

    Workers are numbered SM by SM: the first *per_port* of them share the first port. *staging_bytes* is the space of one
    worker (None: without limit). *latency_ps* delays a transfer and occupies nothing, *l2_latency_ps* one that comes from L2.
    *in_flight_bytes* is what one worker can have under way at a time, so that its loads get no more than that per latency (None:
    without limit). *wait_ps* is added to the compute time of a tile for each counter that it waits for. A worker begins to compute
    *queue_ps* after its last compute has ended, at the earliest. Where *is_static*, the tile at position p of the program runs on
    worker p mod *workers*, which takes its tiles in order and waits for each; nothing is prefetched then.
    """

    workers: int
    bandwidth_bytes_per_s: int
    port_bytes_per_s: int | None = None
    per_port: int = 1
    staging_bytes: int | None = None
    latency_ps: int = 0
    in_flight_bytes: int | None = None
    l2_latency_ps: int = 0
    wait_ps: int = 0
    queue_ps: int = 0
    prefetch: bool = False
    is_static: bool = False

    @property
    def stages_ahead(self) -> bool:
        """Whether weights of tiles that have not started are staged."""
        return self.prefetch and not self.is_static
