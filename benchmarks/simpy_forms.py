"""The same simulation on SimPy, twice: as its users write it first, and as tuned as callbacks allow.

Both share the bandwidth with the engine's own idea, a virtual clock with one live timer, since a rescan would measure the
rescan. Both admit as Algorithm 1 does: a launch that does not fit is passed over. Floats only, cooperative launches only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from heapq import heappop, heappush
from typing import Any

import simpy

from megasolve.simulate.events.graph import EventGraph
from megasolve.simulate.events.tables import Tables


class SharedLink:
    """A processor-sharing server for all tasks with demand, on virtual time, with one live timer."""

    def __init__(self, env: simpy.Environment, bandwidth: float) -> None:
        self.env = env
        self.bandwidth = bandwidth
        self.heap: list[tuple[float, int, float, simpy.Event]] = []
        self.virtual = self.changed = self.total = 0.0
        self.rate, self.stamp, self.sequence = 1.0, 0, 0

    def transfer(self, work: float, demand: float) -> simpy.Event:
        """Return an event that fires when *work* is done at the shared rate."""
        self._advance()
        event = self.env.event()
        self.sequence += 1
        heappush(self.heap, (self.virtual + work, self.sequence, demand, event))
        self.total += demand
        self._rearm()
        return event

    def _advance(self) -> None:
        self.virtual += (self.env.now - self.changed) * self.rate
        self.changed = self.env.now

    def _rearm(self) -> None:
        self.rate = 1.0 if self.total <= self.bandwidth else self.bandwidth / self.total
        self.stamp += 1
        if self.heap:
            timer = self.env.timeout(max(0.0, (self.heap[0][0] - self.virtual) / self.rate), self.stamp)
            timer.callbacks.append(self._fire)

    def _fire(self, timer: simpy.Event) -> None:
        if timer.value != self.stamp:
            return
        due, _, demand, event = heappop(self.heap)
        self.changed, self.virtual = self.env.now, due
        self.total = self.total - demand if self.heap else 0.0
        event.succeed()
        self._rearm()


class CtaPool:
    """CTAs that are given to the first request that fits, as in Algorithm 1; SimPy's Container would let it block the rest."""

    def __init__(self, env: simpy.Environment, capacity_ctas: int) -> None:
        self.env = env
        self.free_ctas = capacity_ctas
        self.requests: list[tuple[int, simpy.Event]] = []

    def get(self, ctas: int) -> simpy.Event:
        """Return an event that fires once *ctas* are held."""
        event = self.env.event()
        self.requests.append((ctas, event))
        self._serve()
        return event

    def put(self, ctas: int) -> None:
        """Give back *ctas*."""
        self.free_ctas += ctas
        self._serve()

    def _serve(self) -> None:
        for request in list(self.requests):
            if request[0] <= self.free_ctas:
                self.free_ctas -= request[0]
                self.requests.remove(request)
                request[1].succeed()


def process_per_task(graph: EventGraph, tables: Tables) -> list[float]:
    """Every node is a process that waits for its predecessors, its slot and its work; return the finish times."""
    env = simpy.Environment()
    work: list[Any] = tables.work
    demand: list[Any] = tables.demand
    link = SharedLink(env, float(tables.bandwidth))
    ctas = CtaPool(env, graph.capacity_ctas)
    slots = [simpy.Resource(env, capacity=count) for count in tables.slots]
    done: list[simpy.Event] = [env.event() for _ in graph.nodes]
    finish = [0.0] * len(graph.nodes)
    releases = {release: launch for launch, release in enumerate(graph.releases)}

    def process(node: int) -> Generator[simpy.Event, Any, None]:
        if graph.predecessors[node]:
            yield env.all_of([done[before] for before in graph.predecessors[node]])
        launch = graph.nodes[node].launch
        if node in releases:
            ctas.put(graph.launches[releases[node]].holds)
        elif not work[node] and launch is not None:
            yield ctas.get(graph.launches[launch].holds)
        else:
            with slots[tables.pool_of[node]].request() as slot:
                yield slot
                yield link.transfer(work[node], demand[node]) if demand[node] else env.timeout(work[node])
        finish[node] = env.now
        done[node].succeed()

    for node in range(len(graph.nodes)):
        env.process(process(node))
    env.run()
    return finish


class Tuned:
    """No processes: callbacks on events, own counting of slots, predecessors and CTAs."""

    def __init__(self, graph: EventGraph, tables: Tables) -> None:
        self.graph = graph
        self.tables = tables
        self.env = simpy.Environment()
        self.link = SharedLink(self.env, float(tables.bandwidth))
        self.finish = [0.0] * len(graph.nodes)
        self.missing = list(tables.missing)
        self.room = list(tables.slots)
        self.queues: list[deque[int]] = [deque() for _ in tables.slots]
        self.free_ctas = graph.capacity_ctas
        self.waiting: list[int] = []

    def run(self) -> list[float]:
        """Return the finish time of each node."""
        for node in range(len(self.graph.nodes)):
            if not self.missing[node]:
                self._ready(node)
        self._admit()
        self.env.run()
        return self.finish

    def _ready(self, node: int) -> None:
        if node >= len(self.graph.nodes):
            self.free_ctas += self.graph.launches[node - len(self.graph.nodes)].holds
            self._admit()
        elif self.tables.work[node]:
            self._offer(node)
        elif node in self.graph.releases:
            self._wake(node)
        else:
            self.waiting.append(node)

    def _admit(self) -> None:
        for entry in list(self.waiting):
            holds = self.graph.launches[self.graph.nodes[entry].launch or 0].holds
            if holds <= self.free_ctas:
                self.free_ctas -= holds
                self.waiting.remove(entry)
                self._wake(entry)

    def _offer(self, node: int) -> None:
        pool = self.tables.pool_of[node]
        if not self.room[pool]:
            self.queues[pool].append(node)
            return
        self.room[pool] -= 1
        work: Any = self.tables.work[node]
        demand: Any = self.tables.demand[node]
        event = self.link.transfer(work, demand) if demand else self.env.timeout(work)
        event.callbacks.append(lambda _: self._completed(node))

    def _completed(self, node: int) -> None:
        pool = self.tables.pool_of[node]
        self.room[pool] += 1
        if self.queues[pool]:
            self._offer(self.queues[pool].popleft())
        self._wake(node)

    def _wake(self, node: int) -> None:
        self.finish[node] = self.env.now
        for after in self.tables.successors[node]:
            self.missing[after] -= 1
            if not self.missing[after]:
                self._ready(after)
