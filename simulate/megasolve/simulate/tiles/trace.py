"""What happens to each tile of a schedule, for timelines and explanations."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .engine import TileEngine
from .outcome import TileDeadlock, TileSchedule, TileSpan
from .program import TileMachine
from .tables import Row, TileTables, Transfer


@dataclass(slots=True)
class _Life:
    ready_ps: int
    worker: int = 0
    start_ps: int = 0
    queued_ps: int = 0
    computed_ps: int = 0
    done_ps: int = 0


class TracedEngine(TileEngine):
    """The engine, noting the moments of every tile."""

    def __init__(self, tables: TileTables, machine: TileMachine) -> None:
        super().__init__(tables, machine)
        self._lives: dict[int, _Life] = {}

    def trace(self) -> TileSchedule | TileDeadlock:
        """Run without folding and return the schedule with a span per tile."""
        schedule = self.run()
        return replace(schedule, spans=self._spans()) if isinstance(schedule, TileSchedule) else schedule

    def _spans(self) -> tuple[TileSpan, ...]:
        return tuple(self._span(tile, self._lives[tile]) for tile in sorted(self._lives))

    def _span(self, tile: int, life: _Life) -> TileSpan:
        return TileSpan(
            tile=self.tables.position(tile),
            worker=life.worker,
            ready_ps=life.ready_ps,
            start_ps=life.start_ps,
            compute_ps=life.computed_ps - self.rows[tile % self.stride].compute_ps,
            computed_ps=life.computed_ps,
            done_ps=life.done_ps,
            queued_ps=life.queued_ps,
        )

    def _admit(self) -> None:
        self._lives.update((tile, _Life(self.now)) for tile in self.released)
        super()._admit()

    def _begin(self, tile: int, worker: int, row: Row, load: Transfer, due: int) -> None:
        life = self._lives[tile]
        life.worker, life.start_ps = worker, self.now
        super()._begin(tile, worker, row, load, due)

    def _queue_loads(self) -> None:
        """Queue them one by one: how long each waits shows in the queue before it."""
        loads, self.loads = sorted(self.loads), self.loads
        for load in loads:
            self._lives[load[0]].queued_ps = max(self.queue.free_at - self.now, 0)
            self.loads[:] = [load]
            super()._queue_loads()

    def _computed(self, tile: int, worker: int, row: Row) -> None:
        life = self._lives[tile]
        life.computed_ps = life.done_ps = self.now
        super()._computed(tile, worker, row)

    def _stored(self, tile: int, worker: int, row: Row) -> None:
        self._lives[tile].done_ps = self.now
        super()._stored(tile, worker, row)
