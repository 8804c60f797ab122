"""Algorithm 1 as printed, written to be timed: a scan of all that runs at every event, in plain lists and local names.

It does what a careful programmer would do with the listing and not more: it sums the demands, takes the minimum and subtracts
from every running task at each event (lines 18 to 30). READY is either scanned as printed (lines 5 to 14) or kept per launch
(*incremental*), so that only what a completion touched is looked at. Cooperative launches only. Works in floats and rationals.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from fractions import Fraction
from operator import truediv
from typing import Any

from megasolve.simulate.events.arithmetic import EXACT, Time
from megasolve.simulate.events.graph import EventGraph
from megasolve.simulate.events.tables import Tables

RESIDUE = 1e-9
"""What a float leaves of a finished task, relative to the shortest one: subtraction never gives exactly zero."""


class Literal:
    """The printed algorithm over the same tables as the engine."""

    def __init__(self, graph: EventGraph, tables: Tables, *, incremental: bool) -> None:
        self.graph = graph
        self.tables = tables
        self.missing = list(tables.missing)
        self.room = [0] * len(tables.slots)
        self.room[0] = tables.slots[0]
        self.admitted = [False] * len(graph.launches)
        self.free_ctas = graph.capacity_ctas
        self.now: Any = 0
        self.finish: list[Any] = [None] * len(graph.nodes)
        self.running: dict[int, Any] = {}
        self.ready: list[int] = []
        self.queues: list[deque[int]] = [deque() for _ in tables.slots]
        self.waiting: list[int] = []
        self.touched: set[int] = set()
        self.serve = self._serve_touched if incremental else self._serve_all
        self.arrive = self._enqueue if incremental else self.ready.append

    def run(self) -> list[Time]:
        """Return the finish time of each node."""
        for node in range(len(self.graph.nodes)):
            if not self.missing[node]:
                self.arrive(node)
        self.serve()
        while self.running:
            self._advance()
            self.serve()
        return self.finish

    def _advance(self) -> None:
        """Lines 18 to 41."""
        running, demand, bandwidth = self.running, self.tables.demand, self.tables.bandwidth
        exact = self.tables.arithmetic is EXACT
        ratio: Callable[[Any, Any], Any] = Fraction if exact else truediv
        total: Any = sum([demand[node] for node in running])
        slow = ratio(bandwidth, total) if total > bandwidth else 1
        delta = min([left / slow if demand[node] and slow != 1 else left for node, left in running.items()])
        step = slow * delta
        residue = 0 if exact else RESIDUE * delta
        done = []
        for node, left in running.items():
            rest = left - (step if demand[node] else delta)
            running[node] = rest
            if rest <= residue:
                done.append(node)
        self.now += delta
        for node in sorted(done):
            self._complete(node)

    def _complete(self, node: int) -> None:
        self.finish[node] = self.now
        del self.running[node]
        pool = self.tables.pool_of[node]
        self.room[pool] += 1
        self.touched.add(pool)
        for after in self.tables.successors[node]:
            self.missing[after] -= 1
            if not self.missing[after]:
                if after >= len(self.graph.nodes):
                    self._release(after - len(self.graph.nodes))
                else:
                    self.arrive(after)

    def _release(self, launch: int) -> None:
        self.free_ctas += self.graph.launches[launch].holds
        self.touched.add(-1)

    def _admit(self, launch: int) -> bool:
        """Lines 7 to 10."""
        if not self.admitted[launch] and self.graph.launches[launch].holds <= self.free_ctas:
            self.admitted[launch] = True
            self.free_ctas -= self.graph.launches[launch].holds
            for pool in self.tables.pools_of[launch]:
                self.room[pool] = self.tables.slots[pool]
        return self.admitted[launch]

    def _serve_all(self) -> None:
        """Lines 5 to 14 as printed."""
        kept = []
        for node in self.ready:
            pool = self.tables.pool_of[node]
            if pool and not self.admitted[self.tables.launch_of_pool[pool]]:
                self._admit(self.tables.launch_of_pool[pool])
            if self.room[pool]:
                self.room[pool] -= 1
                self.running[node] = self.tables.work[node]
            else:
                kept.append(node)
        self.ready[:] = kept

    def _enqueue(self, node: int) -> None:
        pool = self.tables.pool_of[node]
        self.queues[pool].append(node)
        self.touched.add(pool)
        launch = self.tables.launch_of_pool[pool]
        if pool and not self.admitted[launch] and launch not in self.waiting:
            self.waiting.append(launch)
            self.touched.add(-1)

    def _serve_touched(self) -> None:
        """Lines 5 to 14 for what changed since the last event."""
        if -1 in self.touched:
            self.touched.discard(-1)
            for launch in list(self.waiting):
                if self._admit(launch):
                    self.waiting.remove(launch)
                    self.touched.update(self.tables.pools_of[launch])
        for pool in self.touched:
            queue = self.queues[pool]
            while queue and self.room[pool]:
                self.room[pool] -= 1
                node = queue.popleft()
                self.running[node] = self.tables.work[node]
        self.touched.clear()
