"""The tile schedule of the design, word by word: repeats unrolled, everything scanned at every instant. Slow, and the judge.

Written from the text and not from the scheduler. Where the text leaves a choice, a comment says which was taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from math import inf

from megasolve.simulate.tiles.machine import TileMachine
from megasolve.simulate.tiles.program import TileProgram, TileSection
from megasolve.simulate.tiles.tile import Tile

PS_PER_SECOND = 10**12
Counter = tuple[int, str]


@dataclass(eq=False)
class Task:
    """One tile of the unrolled program and what has happened to it so far; times in picoseconds."""

    tile: Tile
    waits: list[Counter]
    signals: list[Counter]
    compute_ps: int
    staging: int
    worker: Worker | None = None
    was_staged: bool = False
    arriving: int = 0
    started_at: int | None = None
    computes_at: int | None = None
    computed_at: int | None = None
    done_at: int | None = None


@dataclass(eq=False)
class Worker:
    """A worker: what it runs, what its slot holds, and how many bytes of its staging space are free."""

    number: int
    space: float
    running: Task | None = None
    slot: Task | None = None
    port_free_at: int = 0
    computed_at: int | None = None


@dataclass
class Literal:
    """The state of the schedule, under the words of the design."""

    program: TileProgram
    machine: TileMachine
    now: int = 0
    queue_free_at: int = 0
    tasks: list[Task] = field(default_factory=list)
    targets: dict[Counter, int] = field(default_factory=dict)
    delays: dict[Counter, int] = field(default_factory=dict)
    opens_at: dict[Counter, int] = field(default_factory=dict)
    events: list[tuple[int, Callable[[], None]]] = field(default_factory=list)
    stores: list[Task] = field(default_factory=list)
    loads: list[Task] = field(default_factory=list)

    def __post_init__(self) -> None:
        unrolled = [self.program.prologue, *[self.program.body] * self.program.repeats, self.program.epilogue]
        for index, section in enumerate(unrolled):
            self.targets.update({(index, name): target for name, target in section.counters})
            self.delays.update({(index, name): delay for name, delay in section.delays_ps.items()})
            self.tasks += [self._task(index, unrolled, tile) for tile in section.tiles]
        space = inf if self.machine.staging_bytes is None else self.machine.staging_bytes
        self.workers = [Worker(number, space) for number in range(self.machine.workers)]
        self.port_free_at = dict.fromkeys(range(self.machine.workers), 0)
        self.slot_limit = space - max((task.staging for task in self.tasks), default=0)

    def _task(self, index: int, unrolled: list[TileSection], tile: Tile) -> Task:
        # A wait for a counter that the section before does not have is no wait; the check still costs.
        before = dict(unrolled[index - 1].counters) if index else {}
        waits = [(index, name) for name in tile.waits] + [(index - 1, name) for name in tile.waits_before if name in before]
        cost = self.machine.wait_ps * (len(tile.waits) + len(tile.waits_before))
        # The output is part of what a tile stages. An opaque operator has no tiles, so it stages nothing.
        staging = 0 if tile.is_opaque else max(tile.staging_bytes, tile.output_bytes)
        return Task(tile, waits, [(index, name) for name in tile.signals], tile.compute_ps + cost, staging)

    def run(self) -> list[Task] | int:
        """Return the tasks, all done, or how many are not."""
        self._instant()
        while self.events:
            self.now = min(at for at, _ in self.events)
            self._instant()
        left = sum(task.done_at is None for task in self.tasks)
        return left or self.tasks

    def _instant(self) -> None:
        """All completions first, then starts, stores, loads, prefetches, in one pass."""
        self._complete()
        # A tile that takes no time completes in the instant in which it starts, after the other starts; then starts follow again.
        while self._start():
            self._complete()
        for task in self._in_program_order(self.stores):
            self._transfer((task.tile.output_bytes, 0), task.worker, task.tile, partial(self._stored, task), is_load=False)
        for task in self._in_program_order(self.loads):
            self._transfer(self._load_bytes(task), task.worker, task.tile, partial(self._arrived, task))
        # In static order a worker's next tile is known, and nothing is staged ahead of it.
        if self.machine.prefetch and not self.machine.is_static:
            self._prefetch()

    def _in_program_order(self, waiting: list[Task]) -> list[Task]:
        ordered = [task for task in self.tasks if task in waiting]
        waiting.clear()
        return ordered

    # -- completions

    def _complete(self) -> None:
        while due := [event for event in self.events if event[0] == self.now]:
            self.events.remove(due[0])
            due[0][1]()

    def _arrived(self, task: Task) -> None:
        task.arriving -= 1
        if task.started_at is not None and not task.arriving:
            self._compute(task)

    def _compute(self, task: Task) -> None:
        last = [worker.computed_at for worker in self._holders(task) if worker.computed_at is not None]
        assert task.started_at is not None
        # What runs during the load is over when all has come; it began with the tile, no earlier.
        begins = max(self.now - task.tile.early_ps, task.started_at)
        task.computes_at = max([begins, *(at + self.machine.queue_ps for at in last)])
        # What had no time to run before still has to.
        self.events.append((task.computes_at + task.compute_ps, partial(self._computed, task)))

    def _computed(self, task: Task) -> None:
        """The worker is free at the end of compute; staging was held until now, output bytes until the store is done."""
        task.computed_at = self.now
        assert task.worker is not None
        task.worker.space += task.staging
        for worker in self._holders(task):
            worker.running, worker.computed_at = None, self.now
        if task.tile.output_bytes:
            task.worker.space -= 0 if task.tile.is_opaque else task.tile.output_bytes
            self.stores.append(task)
        else:
            self._done(task)

    def _holders(self, task: Task) -> list[Worker]:
        return self.workers if task.tile.is_opaque else [worker for worker in self.workers if worker is task.worker]

    def _stored(self, task: Task) -> None:
        assert task.worker is not None
        task.worker.space += 0 if task.tile.is_opaque else task.tile.output_bytes
        self._done(task)

    def _done(self, task: Task) -> None:
        task.done_at = self.now
        for counter in task.signals:
            # A counter with a cost opens after its last needed arrival; one that nobody waits for opens unseen.
            if 0 < self.targets[counter] <= self._arrivals(counter) and counter not in self.opens_at:
                self.opens_at[counter] = self.now + self.delays.get(counter, 0)
                if self.delays.get(counter) and any(counter in waiting.waits for waiting in self.tasks):
                    self.events.append((self.opens_at[counter], lambda: None))

    # -- starts

    def _start(self) -> int:
        """Start the ready tiles in program order, passing over those that no worker can take; return how many started."""
        return sum(self._place(task) for task in list(self._ready()))

    def _ready(self) -> Iterator[Task]:
        for task in self.tasks:
            if task.started_at is None and all(self._is_open(counter) for counter in task.waits):
                yield task

    def _is_open(self, counter: Counter) -> bool:
        return self.targets[counter] <= 0 or self.opens_at.get(counter, inf) <= self.now

    def _arrivals(self, counter: Counter) -> int:
        return sum(task.signals.count(counter) for task in self.tasks if task.done_at is not None)

    def _place(self, task: Task) -> bool:
        worker = self._worker_for(task)
        if worker is None:
            return False
        if worker.slot is task:
            worker.slot = None
            worker.space += self._weights(task)
        worker.space -= task.staging
        task.worker, task.started_at = worker, self.now
        for holder in self._holders(task):
            holder.running = task
        if self._takes_time(self._load_bytes(task), task):
            task.arriving += 1
            self.loads.append(task)
        if not task.arriving:
            self._compute(task)
        return True

    def _load_bytes(self, task: Task) -> tuple[int, int]:
        """Weights and activations, from memory and from L2; activations only, if staged."""
        tile, weights = task.tile, not task.was_staged
        near = tile.cached_activation_bytes + weights * tile.cached_weight_bytes
        return tile.activation_bytes + weights * tile.weight_bytes, near

    def _takes_time(self, moved: tuple[int, int], task: Task) -> bool:
        """Zero bytes, no transfer; what comes from L2 where nothing limits it takes none, either."""
        far, near = moved
        limited = self.machine.port_bytes_per_s is not None and not task.tile.is_opaque
        return bool(far) or (bool(near) and (limited or self.machine.l2_latency_ps > 0))

    def _worker_for(self, task: Task) -> Worker | None:
        free = [worker for worker in self.workers if worker.running is None]
        if self.machine.is_static:
            position = self.tasks.index(task)
            own = self.workers[position % len(self.workers)]
            # Blocking: all tiles before it on its worker have started.
            is_next = all(
                before.started_at is not None for before in self.tasks[position % len(self.workers) : position : len(self.workers)]
            )
            return own if own in free and is_next and task.staging <= own.space else None
        if task.tile.is_opaque:
            return free[0] if len(free) == len(self.workers) else None
        if task.was_staged:
            return next((worker for worker in free if worker.slot is task and task.staging <= worker.space + self._weights(task)), None)
        fitting = [worker for worker in free if task.staging <= worker.space]
        return min(fitting, key=lambda worker: (worker.slot is not None, worker.number), default=None)

    # -- the queue

    def _transfer(
        self, moved: tuple[int, int], worker: Worker | None, tile: Tile, then: Callable[[], None], *, is_load: bool = True
    ) -> None:
        assert worker is not None
        far, near = moved
        size_bytes, under_way = far + near, self.machine.in_flight_bytes
        latency, near_latency = self.machine.latency_ps if far else 0, self.machine.l2_latency_ps if near else 0
        # What is in L2 does not pass the queue.
        entered = max(self.now, self.queue_free_at) if far else self.now
        end = entered + -(-far * PS_PER_SECOND // self.machine.bandwidth_bytes_per_s)
        self.queue_free_at = max(end, self.queue_free_at)
        # An opaque operator loads and stores through all SMs, so no port limits it.
        if self.machine.port_bytes_per_s is not None and not tile.is_opaque:
            port = worker.number // self.machine.per_port
            through = max(entered, self.port_free_at[port]) + -(-size_bytes * PS_PER_SECOND // self.machine.port_bytes_per_s)
            self.port_free_at[port] = through
            end = max(end, through)
        end += max(latency, near_latency)
        # Stores keep latency and port; opaque operators are exempt.
        if under_way is not None and is_load and not tile.is_opaque:
            worker.port_free_at = max(entered, worker.port_free_at) + -(-(far * latency + near * near_latency) // under_way)
            end = max(end, worker.port_free_at)
        self.events.append((end, then))

    def _prefetch(self) -> None:
        """Any worker with an empty slot stages the first tile in program order that has weights and is neither started nor staged."""
        for worker in self.workers:
            task = next(filter(self._is_stageable, self.tasks), None)
            if worker.slot is None and task is not None and self._weights(task) <= min(worker.space, self.slot_limit):
                worker.slot, task.was_staged = task, True
                worker.space -= self._weights(task)
                moved = (task.tile.weight_bytes, task.tile.cached_weight_bytes)
                if self._takes_time(moved, task):
                    task.arriving += 1
                    self._transfer(moved, worker, task.tile, partial(self._arrived, task))

    def _weights(self, task: Task) -> int:
        return task.tile.weight_bytes + task.tile.cached_weight_bytes

    def _is_stageable(self, task: Task) -> bool:
        # No single worker can hold the weights of an opaque operator.
        return bool(self._weights(task)) and not task.tile.is_opaque and not task.was_staged and task.started_at is None
