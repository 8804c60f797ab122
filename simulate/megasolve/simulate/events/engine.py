"""The simulation of an event graph: the paper's Algorithm 1 on one virtual clock, exact.

What is promised, beyond Algorithm 1 as printed (`tests/support/judges/algorithm1.py` is its transcription):

1. *Start.* A task starts if its launch is admitted and fewer than ``pools[pool]`` tasks of that launch and pool run. Nodes
   without a launch need none. Only TASK nodes take a slot of a pool.
2. *Order.* READY is served by (instant at which a node became ready, node index). A launch that does not fit is passed over.
   The priority of a launch or a kernel decides between those that became ready at one instant, before the index does.
3. *One instant.* All completions of an instant come first, in node order. Then nodes of zero duration that need no admission
   complete at once, until none is left: nodes without a launch, release nodes, and nodes of an admitted launch (a TASK among
   them only while its pool has a free slot). Only then one pass over READY admits and starts; what is of zero duration
   there completes in the same instant, and the cycle repeats. So a node that does nothing changes nothing.
4. *Admission.* COOPERATIVE launches get all their CTAs or none. ORDINARY launches take what is free, keep it, run nothing and
   wait for the rest. Capacity is counted in whole CTAs. The release node's completion frees them; nothing of the launch may follow
   it. A kernel with a grid takes SMs wave by wave: whenever SMs come free, its CTAs that are left take what there is (`kernels.py`).
5. *Rates.* Tasks with memory demand share one rate, min(1, B / sum of demands); all others run at rate 1. One virtual clock
   therefore serves all memory tasks, and a completion costs O(log n) and not a scan of all that runs.
6. *Deadlock.* Nothing runs and not all is done: a result that names holders and waiters.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from megasolve.contracts import PS_PER_MS
from megasolve.contracts.model.errors import MegasolveError

from .arithmetic import EXACT, Arithmetic, Time
from .clock import clock_for
from .deadlock import deadlock_of
from .graph import EventGraph
from .kernels import KernelLine
from .outcome import Deadlock, Outcome
from .residency import Residency
from .tables import GraphError, Tables, tables_of

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
        The instants after which to stop. Each finishes at least one node or wave, so the default, one for each, is never reached.
    launch_priority
        One number per launch, in place of its own; among those that become ready at one instant the lower goes first.

    Raises
    ------
    GraphError
        If the graph means nothing: an index out of range, a negative time, a node that becomes ready after its release.
    StepLimitExceeded
        If *step_limit* is too low.
    """
    return Simulation(graph, tables_of(graph, arithmetic), launch_priority).run(step_limit)


def finishes_until(graph: EventGraph, node: int, at_most: Time | None = None) -> list[Time | None] | Deadlock:
    """Return when the nodes of *graph* finish, exact, up to the instant at which *node* does; None for those that are not done by then.

    What runs on behind that instant is not simulated, and nothing behind the first one above *at_most*: *node* itself is not done then.
    A deadlock before that is returned instead.
    """
    return Simulation(graph, tables_of(graph)).run_until(node, at_most)


class Simulation:
    """One run over one graph; `run` may be called once."""

    def __init__(self, graph: EventGraph, tables: Tables, launch_priority: Sequence[int] | None = None) -> None:
        self.graph = graph
        self.tables = replace(tables, work=list(tables.work), demand=list(tables.demand))  # waves of kernels are appended to them
        self.missing = list(tables.missing)
        self.room = [CLOSED] * len(tables.slots)
        self.room[0] = tables.slots[0]
        self.queues: list[deque[int]] = [deque() for _ in tables.slots]  # READY per pool: instant * nodes + node, ascending
        self.start: list[Time | None] = [None] * len(graph.nodes)
        self.finish: list[Time | None] = [None] * len(graph.nodes)
        self.kernels = KernelLine(graph, self.tables, self.start)
        priority = launch_priority or [launch.priority for launch in graph.launches]
        self.residency = Residency(graph.launches, graph.capacity_ctas, priority, self.kernels)
        self.instants: list[int] = []  # ready, of zero duration
        self.woken: list[int] = []  # ready, of some duration
        self.starting: list[int] = []  # given a slot, not yet running
        self.passing: list[int] = []  # given a slot, of zero duration
        self.blocked: dict[int, list[int]] = {}  # of zero duration, without a slot, by pool

    def run(self, step_limit: int | None = None) -> Outcome | Deadlock:
        """Advance from instant to instant until every node is done or nothing can move."""
        count = len(self.graph.nodes)
        now = self._loop(count + 1 + self.kernels.most_waves if step_limit is None else step_limit)
        if None in self.finish:
            return deadlock_of(self.graph, self.finish, self.residency, now)
        finish: Any = tuple(self.finish)
        start: Any = tuple(self.start[:count])
        residency, waves = self.residency, tuple(self.kernels.waves)
        return Outcome(finish, start, tuple(residency.admitted), tuple(residency.released), tuple(residency.held), self.graph, waves)

    def run_until(self, node: int, at_most: Time | None = None) -> list[Time | None] | Deadlock:
        """Advance until *node* is done, the time is above *at_most*, or nothing can move."""
        latest = float("inf") if at_most is None else at_most
        now = self._loop(len(self.graph.nodes) + 1 + self.kernels.most_waves, node, latest)
        is_stuck = self.finish[node] is None and now <= latest
        return deadlock_of(self.graph, self.finish, self.residency, now) if is_stuck else self.finish

    def _loop(self, step_limit: int, until: int = -1, latest: Time = float("inf")) -> Time:  # noqa: C901, PLR0912, PLR0915
        """Run to the end, or until a node is done or behind the *latest* instant; return the last one.

        Local names, as every node of every simulation passes here.
        """
        tables, residency, starting = self.tables, self.residency, self.starting
        work, successors, pool_of = tables.work, tables.successors, tables.pool_of
        missing, room, queues, finish, count = self.missing, self.room, self.queues, self.finish, len(self.finish)
        instants, woken, blocked, has_kernels = self.instants, self.woken, self.blocked, bool(self.kernels)
        completed: list[int] = []
        now = tables.arithmetic.number(0)
        self._open(now)
        clock = clock_for(tables.arithmetic)(tables, starting, completed, self.start)
        for step, now in enumerate(clock, 1):
            if step > step_limit:
                raise StepLimitExceeded(self._too_many(step_limit, now))
            if has_kernels:
                residency.finish_waves(completed, now)
            for node in completed:
                # Lines 31 to 41: done, its slot given on, its successors one predecessor nearer to READY.
                finish[node] = now
                pool = pool_of[node]
                if queues[pool]:
                    # First come, first served: who waits goes before who becomes ready now. A key is instant * count + node.
                    starting.append(queues[pool].popleft() % count)
                else:
                    room[pool] += 1
                for after in successors[node]:
                    left = missing[after] - 1
                    missing[after] = left
                    if not left:
                        # What takes no time never reaches the clock: it is settled within this instant, or it would cost one of its own.
                        if work[after]:
                            woken.append(after)
                        else:
                            instants.append(after)
            # Promise 3: all completions of the instant are in; only now nodes of zero duration, and only then admissions.
            if instants or blocked:
                self._settle(now, step, completed)
            if woken and has_kernels:
                residency.arrive_kernels(woken, step)
            if woken:
                # READY is a list in the paper: nodes that become ready at one instant stand in it in program order.
                woken.sort()
                for node in woken:
                    pool = pool_of[node]
                    if room[pool] > 0:
                        room[pool] -= 1
                        starting.append(node)
                    elif room[pool] == 0:
                        queues[pool].append(step * count + node)
                    else:
                        self._queue(node, step)
                woken.clear()
            # Who fits changes only when a launch arrives or CTAs come back, so most instants admit nothing and pay nothing.
            if residency.pending:
                self._admit(now, step)
            if until >= 0 and (finish[until] is not None or now > latest):
                break
        return now

    def _open(self, now: Time) -> None:
        """Serve what is ready at time 0, before anything runs (line 3)."""
        for node in [node for node, missing in enumerate(self.missing) if not missing]:
            self._wake(node)
        self._settle(now, 0, ())
        self._seat(0)
        self._admit(now, 0)

    def _wake(self, node: int) -> None:
        (self.woken if self.tables.work[node] else self.instants).append(node)

    def _settle(self, now: Time, step: int, completed: Sequence[int]) -> None:
        """Complete the ready nodes of zero duration that need no admission, until none is left.

        A pool in which one of *completed* ran has a free slot, even if the next task in line has already been given it.
        """
        room, pool_of, count = self.room, self.tables.pool_of, len(self.finish)
        if self.blocked:
            for node in completed:
                self.instants.extend(self.blocked.pop(pool_of[node], ()))
        while self.instants:
            node = self.instants.pop()
            pool = pool_of[node]
            # Behind the nodes stand the returns of CTAs (`Tables`): they happen after every completion of their instant.
            if node >= count:
                self._release(node - count, now)
            elif room[pool] == CLOSED:
                self._queue(node, step)
            elif room[pool] or any(pool_of[other] == pool for other in completed):
                self._pass(node, now)
            else:
                self.blocked.setdefault(pool, []).append(node)

    def _pass(self, node: int, now: Time) -> None:
        """Complete a node of zero duration."""
        self.start[node] = self.finish[node] = now
        for after in self.tables.successors[node]:
            self.missing[after] -= 1
            if not self.missing[after]:
                self._wake(after)

    def _seat(self, step: int) -> None:
        """Give each woken task a slot, or let it wait for one behind those that already wait."""
        if self.kernels:
            self.residency.arrive_kernels(self.woken, step)
        for node in sorted(self.woken):
            pool = self.tables.pool_of[node]
            if self.room[pool] > 0 and not self.queues[pool]:
                self.room[pool] -= 1
                self.starting.append(node)
            else:
                self._queue(node, step)
        self.woken.clear()

    def _queue(self, node: int, step: int) -> None:
        """Let a ready node wait in READY order, and its launch for admission if it has none."""
        pool = self.tables.pool_of[node]
        insort(self.queues[pool], step * len(self.finish) + node)
        if self.room[pool] == CLOSED:
            launch = self.tables.launch_of_pool[pool]
            # A pool that is closed for good looks like one that is not open yet; only the release tells them apart.
            if self.residency.released[launch] is not None:
                raise GraphError(f"node {self.graph.nodes[node].name!r} becomes ready after its launch was released")
            self.residency.arrive(launch, step, node)

    def _admit(self, now: Time, step: int) -> None:
        """Admit what fits and start its ready nodes (lines 5 to 14), again while some of them take no time."""
        while self.residency.pending or self.passing:
            for launch in self.residency.admit(now):
                self._open_launch(launch)
            if self.kernels:
                self.starting.extend(self.kernels.starting)
                self.kernels.starting.clear()
            # A task of zero duration in a launch that is admitted now takes a slot, is done, and gives it back, which may wake more.
            passing, self.passing = sorted(self.passing), []
            for node in passing:
                self.room[self.tables.pool_of[node]] += 1
                self._pass(node, now)
            self._settle(now, step, passing)
            self._seat(step)
            for node in passing:
                self._fill(self.tables.pool_of[node])

    def _open_launch(self, launch: int) -> None:
        for pool in self.tables.pools_of[launch]:
            self.room[pool] = self.tables.slots[pool]
            self._fill(pool)

    def _fill(self, pool: int) -> None:
        """Give the free slots of *pool* to those that wait; of the rest, nodes of zero duration wait apart."""
        queue, work, count = self.queues[pool], self.tables.work, len(self.finish)
        while queue and self.room[pool] > 0:
            node = queue.popleft() % count
            self.room[pool] -= 1
            (self.starting if work[node] else self.passing).append(node)
        # They would stand in the queue for a slot that they do not keep; `_settle` looks at them when one comes free.
        if late := [key for key in queue if not work[key % count]]:
            self.blocked.setdefault(pool, []).extend(key % count for key in late)
            for key in late:
                queue.remove(key)

    def _release(self, launch: int, now: Time) -> None:
        """Take back the CTAs of a launch that is done (lines 34 to 36)."""
        for pool in self.tables.pools_of[launch]:
            # CTAs that go back under a running task would be given away twice: the graph is wrong, not the schedule.
            if self.queues[pool] or self.room[pool] not in (CLOSED, self.tables.slots[pool]):
                raise GraphError(f"launch {self.graph.launches[launch].name!r} is released while one of its nodes is not done")
            self.room[pool] = CLOSED
        self.residency.release(launch, now)

    def _too_many(self, step_limit: int, now: Time) -> str:
        done = len(self.finish) - self.finish.count(None)
        return (
            f"stopped after {step_limit} instants at {float(now) / PS_PER_MS:.6g} ms with {done} of {len(self.finish)} nodes done; "
            "allow more with step_limit"
        )
