"""The loop of the tile scheduler: from completion to completion, with the state of workers, slots, queue and counters.

`scheduler` says what it computes and which choices were made.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from heapq import heappop, heappush
from itertools import chain
from typing import Protocol, TypeAlias

from .counters import CounterFrames
from .outcome import TileDeadlock, TileSchedule
from .pool import Pool
from .program import TileMachine
from .queue import MemoryQueue
from .ready import Ready
from .slots import Slots
from .stops import waiting_in
from .tables import Row, TileTables, Transfer

COMPUTED, STORED, ARRIVED = range(3)

Event: TypeAlias = tuple[int, int, int, int, Row]
"""Time, kind, worker, tile and row of a completion. No two tiles complete in the same way, so rows are never compared."""


class Watcher(Protocol):
    """Looks at an engine whenever the first tile of a repeat has started, and may move its state on."""

    def look(self, engine: TileEngine, /) -> None:
        """Compare the state of *engine* with earlier ones."""


class TileEngine:
    """The state of one schedule and the loop that advances it.

    *is_due* says that something may start or queue at the end of the instant, *is_stirred* that a tile may start that could
    not before, *is_passing* that ready tiles were passed over for lack of room. *heap* has the completions to come, but for
    the stores in *sent*, which come in the order in which they were queued.
    """

    __slots__ = (
        "counters",
        "folded",
        "heap",
        "held_ps",
        "is_due",
        "is_passing",
        "is_stirred",
        "loads",
        "machine",
        "now",
        "pool",
        "queue",
        "ready",
        "released",
        "rows",
        "sent",
        "slots",
        "staged",
        "stores",
        "stride",
        "tables",
        "turn",
        "watched_row",
    )

    def __init__(self, tables: TileTables, machine: TileMachine) -> None:
        self.tables, self.machine = tables, machine
        self.stride, self.rows = tables.stride, tables.rows
        self.heap: list[Event] = []
        self.sent: deque[Event] = deque()
        self.queue = MemoryQueue(machine)
        self.pool = Pool(machine.workers, machine.staging_bytes)
        self.slots = Slots(tables, self.pool.space)
        self.counters = CounterFrames(tables)
        self.ready = Ready(tables.rooms)
        self.released = list(self.counters.unconditional())
        self.stores: list[tuple[int, int, Row]] = []
        self.loads: list[tuple[int, int, Row, Transfer]] = []
        self.is_due = self.is_stirred = self.is_passing = False
        self.now = self.turn = self.held_ps = self.staged = self.folded = 0
        self.watched_row = -1

    # -- the loop --------------------------------------------------------------------------------------------------

    def run(self, folding: Watcher | None = None) -> TileSchedule | TileDeadlock:
        """Advance from completion to completion until every tile is done or nothing can move."""
        heap, sent = self.heap, self.sent
        self.watched_row = self.tables.starts[1] if folding else -1
        self._act()
        while True:
            if sent and not (heap and heap[0][0] < sent[0][0]):
                now, kind, worker, tile, row = sent.popleft()
            elif heap:
                now, kind, worker, tile, row = heappop(heap)
            else:
                return self._outcome()
            self.now = now
            if kind == COMPUTED:
                self._computed(tile, worker, row)
            elif kind == STORED:
                self._stored(tile, worker, row)
            if self.is_due and not ((heap and heap[0][0] == now) or (sent and sent[0][0] == now)):
                is_over = self._act()
                if is_over and self.turn and folding:
                    folding.look(self)

    def _act(self) -> bool:
        """Start what can start; then queue stores, loads and prefetches, in one pass. Return whether the instant is over."""
        slots = self.slots
        if self.released:
            self._admit()
        if self.is_stirred:
            self._start_ready()
            if self.heap and self.heap[0][0] == self.now:  # a tile that takes no time: its completion comes first
                return False
        if self.stores:
            self._queue_stores()
        if self.loads:
            self._queue_loads()
        if slots.vacant or slots.cramped:
            self._prefetch()
        self.is_due = False
        if self.is_stirred or (slots.cramped and slots.asks_again()):
            self._wake_up()
        return True

    def _wake_up(self) -> None:
        """Act again at the next completion, which may be that of a transfer."""
        self.is_due = True
        arrivals = chain(self.pool.loaded_at, self.pool.due_at, self.slots.arrives_at)
        at = min((at for at in arrivals if at > self.now), default=0)
        if at:
            heappush(self.heap, (at, ARRIVED, 0, 0, self.rows[0]))

    def _outcome(self) -> TileSchedule | TileDeadlock:
        unfinished = self.counters.unfinished()
        if unfinished:
            return TileDeadlock(max(self.now, self.queue.last_end), unfinished, waiting_in(self))
        return TileSchedule(
            makespan_ps=self.now,
            busy_ps=self.tables.busy_ps,
            loading_ps=self.held_ps - self.tables.busy_ps,
            queued_ps=self.queue.queued_ps,
            idle_ps=self.machine.workers * self.now - self.held_ps,
            staged=self.staged,
            events=self.queue.count + self.tables.tile_count,
            folded=self.folded,
            workers=self.machine.workers,
            never_staged=self.slots.never_staged(),
        )

    # -- completions -----------------------------------------------------------------------------------------------

    def _computed(self, tile: int, worker: int, row: Row) -> None:
        """The worker is free, and its staging but for the output."""
        self.held_ps += self.now
        if row.is_opaque:
            self.held_ps += self.now * (row.width - 1)
            for each in range(self.pool.size):
                self._free(each)
        else:
            self.pool.space[worker] += row.freed_bytes
            self._free(worker)
        if row.store[0]:
            self.stores.append((tile, worker, row))
        else:
            self.counters.arrive(tile, row, self.released)
        self.is_due = self.is_stirred = True

    def _free(self, worker: int) -> None:
        pool, slots = self.pool, self.slots
        pool.running[worker] = -1
        staged = slots.tile[worker]
        if staged < 0:
            insort(pool.free_empty, worker)
        else:
            pool.free_staged.add(worker)
            if slots.ready[worker]:
                ready = self.ready
                ready.enter(ready.runnable, staged)
        if slots.cramped:
            slots.gained(worker)

    def _stored(self, tile: int, worker: int, row: Row) -> None:
        """The tile is done, and its output is not held any more."""
        self.pool.space[worker] += row.output_bytes
        if self.is_passing or self.slots.ready[worker] or self.slots.cramped:
            self._gained(worker)
        self.counters.arrive(tile, row, self.released)
        if self.released:
            self.is_due = True

    def _gained(self, worker: int) -> None:
        """Look again at what had no room: tiles that were passed over, the staged tile of *worker*, and its slot."""
        slots = self.slots
        if slots.ready[worker] and self.pool.running[worker] < 0:
            self.ready.enter(self.ready.runnable, slots.tile[worker])
        if slots.cramped:
            slots.gained(worker)
        self.is_due = self.is_stirred = True

    # -- starts ----------------------------------------------------------------------------------------------------

    def _admit(self) -> None:
        """Enter the tiles that became ready."""
        holder, ready, rows, stride = self.slots.holder, self.ready, self.rows, self.stride
        for tile in self.released:
            if tile in holder:
                worker = holder[tile]
                self.slots.ready[worker] = True
                if self.pool.running[worker] < 0:
                    ready.enter(ready.runnable, tile)
            else:
                ready.enter(ready.by_room[rows[tile % stride].room], tile)
        self.released.clear()
        self.is_stirred = True

    def _start_ready(self) -> None:
        """Start ready tiles in program order, passing over those that no worker can take."""
        self.is_stirred = self.is_passing = False
        pool, ready, heads = self.pool, self.ready, self.ready.heads
        passed: list[list[int]] = []
        while heads and (pool.free_staged or pool.free_empty):
            tiles = heads[0] if len(heads) == 1 else min(heads)  # by their first tiles
            tile = tiles[0]
            if tiles is ready.runnable:
                self._start_staged(tile)
            elif tile in ready.moved:
                ready.moved.remove(tile)
            elif not self._start(tile):
                heads.remove(tiles)
                passed.append(tiles)
                continue
            heappop(tiles)
            if not tiles:
                heads.remove(tiles)
        if passed:
            heads += passed
            self.is_passing = True

    def _start_staged(self, tile: int) -> None:
        """Start *tile* on the worker that holds its weights, if that is still so, and the worker free and with room."""
        pool, slots, row = self.pool, self.slots, self.rows[tile % self.stride]
        worker = slots.holder.get(tile, -1)
        if worker < 0 or pool.running[worker] >= 0:
            return
        left = pool.space[worker] + row.slot_bytes - row.held_bytes
        if left < 0:
            return
        pool.space[worker] = left
        pool.free_staged.remove(worker)
        slots.empty(worker)
        self._begin(tile, worker, row, row.staged_load, slots.arrives_at[worker])

    def _start(self, tile: int) -> bool:
        row = self.rows[tile % self.stride]
        worker = self.pool.take_all(tile) if row.is_opaque else self.pool.take(row.held_bytes)
        if worker < 0:
            return False
        if row.is_opaque:
            self.held_ps -= self.now * (row.width - 1)
        if row.slot_bytes:
            self.slots.started_ahead.add(tile)
        self._begin(tile, worker, row, row.load, 0)
        return True

    def _begin(self, tile: int, worker: int, row: Row, load: Transfer, due_at: int) -> None:
        """Begin *tile*: it computes once its *load*, if there is any, and the weights that are *due_at* have arrived."""
        pool, now = self.pool, self.now
        pool.running[worker] = tile
        pool.due_at[worker] = due_at
        self.held_ps -= now
        if load[0]:
            self.loads.append((tile, worker, row, load))
        else:
            heappush(self.heap, ((due_at if due_at > now else now) + row.compute_ps, COMPUTED, worker, tile, row))
        if row.number == self.watched_row:
            self.turn = tile // self.stride

    # -- transfers -------------------------------------------------------------------------------------------------

    def _queue_stores(self) -> None:
        """Queue the stores in program order; those that end in this order need no heap, and without ports all do."""
        stores, sent, queue = self.stores, self.sent, self.queue
        if len(stores) > 1:
            stores.sort()
        for tile, worker, row in stores:
            end = queue.send(self.now, worker, row.store)
            if queue.is_ordered or not sent or end >= sent[-1][0]:
                sent.append((end, STORED, worker, tile, row))
            else:
                heappush(self.heap, (end, STORED, worker, tile, row))
        stores.clear()

    def _queue_loads(self) -> None:
        """Queue the loads of started tiles in program order; when they arrive, and the computes end, is known with that."""
        loads, pool = self.loads, self.pool
        if len(loads) > 1:
            loads.sort()
        for tile, worker, row, load in loads:
            begins = pool.loaded_at[worker] = self.queue.send(self.now, worker, load)
            due_at = pool.due_at[worker]
            if due_at > begins:
                begins = due_at
            heappush(self.heap, (begins + row.compute_ps, COMPUTED, worker, tile, row))
        loads.clear()

    def _prefetch(self) -> None:
        """Fill the empty slots and queue the loads of the weights."""
        slots, running, ready = self.slots, self.pool.running, self.ready
        for tile, worker, row in slots.fill():
            self.staged += 1
            slots.arrives_at[worker] = self.queue.send(self.now, worker, row.weights)
            if running[worker] < 0:
                self.pool.hold_slot(worker)
            tiles = ready.by_room[row.room]
            if tiles and (tiles[0] == tile or self.counters.is_ready(tile)):
                ready.withdraw(tiles, tile)
                slots.ready[worker] = True
                if running[worker] < 0:
                    ready.enter(ready.runnable, tile)
                    self.is_stirred = True
