"""The simulation of an event graph: the paper's Algorithm 1 on one virtual clock, exact.

What is promised, beyond Algorithm 1 as printed (`tests/support/algorithm1.py` is its transcription):

1. *Start.* A task starts if its launch is admitted and fewer than ``pools[pool]`` tasks of that launch and pool run. Nodes
   without a launch need none. Only TASK nodes take a slot of a pool.
2. *Order.* READY is served by (instant at which a node became ready, node index). A launch that does not fit is passed over.
   *launch_priority* decides between launches that became ready at one instant, before the index does.
3. *One instant.* All completions of an instant come first, in node order. Then nodes of zero duration that need no admission
   complete at once, until none is left: nodes without a launch, release nodes, and nodes of an admitted launch (a TASK among
   them only while its pool has a free slot). Only then one pass over READY admits and starts; what is of zero duration
   there completes in the same instant, and the cycle repeats. So a node that does nothing changes nothing.
4. *Admission.* COOPERATIVE launches get all their CTAs or none. ORDINARY launches take what is free, keep it, run nothing and
   wait for the rest. ELASTIC launches take what is free, at least one CTA, and their tasks slow down by the wave rule.
   Capacity is counted in whole CTAs. The release node's completion frees them; nothing of the launch may follow it.
5. *Rates.* Tasks with memory demand share one rate, min(1, B / sum of demands); all others run at rate 1. One virtual clock
   therefore serves all memory tasks, and a completion costs O(log n) and not a scan of all that runs.
6. *Deadlock.* Nothing runs and not all is done: a result that names holders and waiters.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

from megasolve.contracts.errors import MegasolveError

from .arithmetic import EXACT, Arithmetic, Time
from .clock import clock
from .deadlock import deadlock_of
from .graph import Admission, EventGraph, NodeKind
from .outcome import PS_PER_MS, Deadlock, Outcome
from .residency import Residency
from .tables import GraphError, Tables, tables_of
from .waves import in_waves, wave_factor

CLOSED = -1


class StepLimitExceeded(MegasolveError):
    """A simulation that was stopped because it needed more instants than its caller allowed."""


def simulate(
    graph: EventGraph,
    *,
    arithmetic: Arithmetic = EXACT,
    step_limit: int | None = None,
    launch_priority: Sequence[int] | None = None,
) -> Outcome | Deadlock:
    """Return the times of all nodes and launches of *graph*, or the deadlock that it runs into.

    Parameters
    ----------
    arithmetic
        EXACT gives ints (picoseconds) and, after contention, Fractions; FLOAT gives a preview in floats.
    step_limit
        The instants after which to stop. Each finishes at least one node, so the default, one per node, is never reached.
    launch_priority
        One number per launch; among launches that become ready at one instant the lower goes first.

    Raises
    ------
    GraphError
        If the graph means nothing: an index out of range, a negative time, a node that becomes ready after its release.
    StepLimitExceeded
        If *step_limit* is too low.
    """
    return Simulation(graph, tables_of(graph, arithmetic), launch_priority).run(step_limit)


class Simulation:
    """One run over one graph; `run` may be called once."""

    def __init__(self, graph: EventGraph, tables: Tables, launch_priority: Sequence[int] | None = None) -> None:
        self.graph = graph
        self.tables = tables
        self.work = list(tables.work)  # copies, because elastic launches stretch their tasks
        self.demand = list(tables.demand)
        self.missing = list(tables.missing)
        self.room = [CLOSED] * len(tables.slots)
        self.room[0] = tables.slots[0]
        self.queues: list[list[int]] = [[] for _ in tables.slots]
        self.start: list[Time | None] = [None] * len(graph.nodes)
        self.finish: list[Time | None] = [None] * len(graph.nodes)
        self.residency = Residency(graph.launches, graph.capacity_ctas, launch_priority or [0] * len(graph.launches))
        self.instants: list[int] = []  # ready, of zero duration
        self.woken: list[int] = []  # ready, to be started or queued
        self.starting: list[int] = []  # given a slot, not yet running
        self.passing: list[int] = []  # given a slot, of zero duration
        self.blocked: dict[int, list[int]] = {}  # of zero duration, without a slot, by pool

    def run(self, step_limit: int | None = None) -> Outcome | Deadlock:
        """Advance from instant to instant until every node is done or nothing can move."""
        now = self._loop(len(self.graph.nodes) + 1 if step_limit is None else step_limit)
        if None in self.finish:
            return deadlock_of(self.graph, self.finish, self.residency, now)
        finish: Any = tuple(self.finish)
        start: Any = tuple(self.start)
        residency = self.residency
        return Outcome(finish, start, tuple(residency.admitted), tuple(residency.released), tuple(residency.held), self.graph)

    def _loop(self, step_limit: int) -> Time:  # noqa: C901, PLR0912, PLR0915
        """Run to the end and return the last instant. Local names throughout: every node of every simulation passes here."""
        tables, residency = self.tables, self.residency
        work, missing, room, queues, finish = self.work, self.missing, self.room, self.queues, self.finish
        instants, woken, starting, passing, blocked = self.instants, self.woken, self.starting, self.passing, self.blocked
        successors, pool_of, count = tables.successors, tables.pool_of, len(finish)
        running = clock(work, self.demand, tables.bandwidth, self.start, tables.arithmetic)
        (now, completed), advance, step = next(running), running.send, 0
        self._open()
        while True:
            for node in completed:
                finish[node] = now
                room[pool_of[node]] += 1
                for after in successors[node]:
                    missing[after] -= 1
                    if not missing[after]:
                        (woken if work[after] else instants).append(after)
            if blocked:
                self._unblock(completed)
            if instants:
                self._settle(now, step)
            if woken:
                woken.sort()
                for node in woken:
                    pool = pool_of[node]
                    if room[pool] > 0 and not queues[pool]:
                        room[pool] -= 1
                        starting.append(node)
                    else:
                        self._queue(node, step)
                woken.clear()
            for node in completed:
                pool = pool_of[node]
                while queues[pool] and room[pool] > 0:
                    room[pool] -= 1
                    starting.append(heappop(queues[pool]) % count)
            if residency.pending:
                self._admit(now)
                if passing:
                    completed = sorted(passing)
                    passing.clear()
                    continue
            now, completed = advance(starting)
            if not completed:
                return now
            starting.clear()
            completed.sort()
            step += 1
            if step > step_limit:
                raise StepLimitExceeded(self._too_many(step_limit, now))

    def _open(self) -> None:
        """Line 3: READY holds the nodes without predecessors."""
        for node, missing in enumerate(self.missing):
            if not missing:
                self._wake(node)

    def _wake(self, node: int) -> None:
        (self.woken if self.work[node] else self.instants).append(node)

    def _settle(self, now: Time, step: int) -> None:
        """Complete the ready nodes of zero duration that need no admission, until none is left."""
        room, pool_of, count = self.room, self.tables.pool_of, len(self.finish)
        while self.instants:
            node = self.instants.pop()
            if node >= count:
                self._release(node - count, now)
            elif room[pool_of[node]] > 0:
                self._pass(node, now)
            elif room[pool_of[node]] == 0:
                self.blocked.setdefault(pool_of[node], []).append(node)
            else:
                self._queue(node, step)

    def _pass(self, node: int, now: Time) -> None:
        self.start[node] = self.finish[node] = now
        for after in self.tables.successors[node]:
            self.missing[after] -= 1
            if not self.missing[after]:
                self._wake(after)

    def _queue(self, node: int, step: int) -> None:
        """Let a ready node wait for a slot, in READY order, and its launch for admission if it has none."""
        pool = self.tables.pool_of[node]
        heappush(self.queues[pool], step * len(self.finish) + node)
        if self.room[pool] == CLOSED:
            launch = self.tables.launch_of_pool[pool]
            if self.residency.released[launch] is not None:
                raise GraphError(f"node {self.graph.nodes[node].name!r} becomes ready after its launch was released")
            self.residency.arrive(launch, step, node)

    def _unblock(self, completed: list[int]) -> None:
        """Let nodes of zero duration settle where a task has given back its slot."""
        for node in completed:
            self.instants.extend(self.blocked.pop(self.tables.pool_of[node], ()))

    def _release(self, launch: int, now: Time) -> None:
        """Lines 34 to 36: give back the CTAs; the launch must be done."""
        for pool in self.tables.pools_of[launch]:
            if self.queues[pool] or self.room[pool] not in (CLOSED, self.tables.slots[pool]):
                raise GraphError(f"launch {self.graph.launches[launch].name!r} is released while one of its nodes is not done")
            self.room[pool] = CLOSED
        self.residency.release(launch, now)

    def _admit(self, now: Time) -> None:
        """Lines 5 to 14: admit what fits and start its ready nodes, as far as their pools allow."""
        for launch in self.residency.admit(now):
            if self.graph.launches[launch].admission is Admission.ELASTIC:
                self._stretch(launch)
            for pool in self.tables.pools_of[launch]:
                self.room[pool] = self.tables.slots[pool]
                self._fill(pool, now)

    def _fill(self, pool: int, now: Time) -> None:
        queue, count = self.queues[pool], len(self.finish)
        while queue and self.room[pool] > 0:
            node = heappop(queue) % count
            self.room[pool] -= 1
            if self.work[node]:
                self.starting.append(node)
            else:
                self.start[node] = now
                self.passing.append(node)
        if late := [key for key in queue if not self.work[key % count]]:
            self.blocked.setdefault(pool, []).extend(key % count for key in late)
            queue[:] = sorted(set(queue).difference(late))

    def _stretch(self, launch: int) -> None:
        """Scale the tasks of an elastic launch to the CTAs that it got."""
        shape, tables = self.graph.launches[launch], self.tables
        factor = wave_factor(shape.holds, self.residency.held[launch], shape.resident_ctas or shape.holds)
        for index, node in enumerate(self.graph.nodes):
            if node.launch == launch and node.kind is NodeKind.TASK:
                longer_ps, demand = in_waves(node.duration_ps, node.demand, self.graph.bandwidth_bytes_per_s, factor)
                self.work[index] = tables.arithmetic.number(longer_ps)
                self.demand[index] = tables.arithmetic.number(demand * tables.demand_scale)

    def _too_many(self, step_limit: int, now: Time) -> str:
        done = len(self.finish) - self.finish.count(None)
        return (
            f"stopped after {step_limit} instants at {float(now) / PS_PER_MS:.6g} ms with {done} of {len(self.finish)} nodes done; "
            "allow more with step_limit"
        )
