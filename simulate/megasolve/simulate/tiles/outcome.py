"""What a tile schedule comes to: times and totals, or where it stops."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TileSpan:
    """When one tile was ready, started, began to compute, ended computing and was done; picoseconds.

    *tile* is its position in program order, repeats counted. *queued_ps* is how long its own load stood in the queue before
    it was served, a part of the time from start to compute.
    """

    tile: int
    worker: int
    ready_ps: int
    start_ps: int
    compute_ps: int
    computed_ps: int
    done_ps: int
    queued_ps: int = 0


@dataclass(frozen=True, slots=True)
class TileSchedule:
    """What a schedule took and where the time of its workers went.

    Over all *workers*, *busy_ps* sums compute, *loading_ps* the time from start to compute (*queued_ps* of it until the
    tile's own load was served) and *idle_ps* the rest of their times the makespan; an opaque tile counts for every worker.
    *staged* counts tiles whose weights were prefetched, *events* completions, *folded* the repeats that were not simulated
    because the schedule had become periodic. *never_staged* names the operators whose weights never fit the slot, although
    prefetch is on. *spans* has one entry per tile in program order, where asked for.
    """

    makespan_ps: int
    busy_ps: int
    loading_ps: int
    queued_ps: int
    idle_ps: int
    staged: int
    events: int
    folded: int
    workers: int
    never_staged: tuple[str, ...] = ()
    spans: tuple[TileSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class TileDeadlock:
    """A schedule that stops at *at_ps* with *unfinished* tiles left; *waiting* says of some of them what they wait for."""

    at_ps: int
    unfinished: int
    waiting: tuple[str, ...]

    def __str__(self) -> str:
        return f"the tile schedule stops at {self.at_ps:,} ps with {self.unfinished} tiles left: {'; '.join(self.waiting)}"
