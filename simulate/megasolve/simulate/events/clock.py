"""The clock of a simulation: which tasks run, and which of them finish next (Algorithm 1, lines 18 to 33).

All memory tasks progress at one shared rate, so a virtual clock that runs at this rate gives each of them a fixed finish time
when it starts. Real and virtual finish times stand in two heaps, and a change of the rate moves no entry.

There is one clock per arithmetic. Both are generators, whose state lives in local names, because every task of every
simulation passes here. They yield each instant at which something finishes. Between two instants they read and empty
*starting*, the nodes that start now, and write *completed*, in node order, and *start*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from heapq import heappop, heappush
from typing import Any, TypeAlias

from .arithmetic import EXACT, TIE_TOLERANCE, Arithmetic, Time, whole
from .tables import Tables

NEVER = float("inf")
Clock: TypeAlias = Callable[[Tables, list[int], list[int], list[Time | None]], Iterator[Time]]


def clock_for(arithmetic: Arithmetic) -> Clock:
    """Return the clock that counts in *arithmetic*."""
    return exact_clock if arithmetic is EXACT else float_clock


def float_clock(  # noqa: C901, PLR0915 - one loop with local names, for speed
    tables: Tables, starting: list[int], completed: list[int], start: list[Time | None]
) -> Iterator[float]:
    """Yield the instants in floats; what lies within the tie tolerance is one instant."""
    work: Any = tables.work
    demand: Any = tables.demand
    bandwidth: Any = tables.bandwidth
    timed = [(NEVER, -1)]  # finish time and node; the sentinel stays last
    shared = [(NEVER, -1)]  # finish time on the virtual clock, and node
    now = changed = virtual = total = 0.0  # the instant, that of the last change of rate, the virtual clock then, all demand
    meeting, rate, moved = NEVER, 1.0, False
    while True:
        # V(t), the virtual clock, is the integral of the shared rate min(1, B / Q_tot) (line 23). A task of work w that starts at V ends
        # at V + w, whatever the rate does meanwhile, so nobody's remaining time is ever rewritten (lines 28 to 30).
        for node in starting:
            start[node] = now
            if demand[node]:
                # V is brought up to now once per instant, at the rate that held until now.
                if not moved:
                    virtual += (now - changed) * rate
                    changed, moved = now, True
                total += demand[node]
                heappush(shared, (virtual + work[node], node))
            else:
                heappush(timed, (now + work[node], node))
        starting.clear()
        completed.clear()
        if moved:
            moved = False
            rate = 1.0 if total <= bandwidth else bandwidth / total
            # When V reaches the next finish, in real time: the only thing that a change of the rate moves.
            meeting = now + (shared[0][0] - virtual) / rate
        soonest = timed[0][0]
        if soonest <= meeting:
            if soonest == NEVER:
                return
            now = soonest
        elif meeting > now:  # rounding must not move time backwards
            now = meeting
        edge = now * (1 + TIE_TOLERANCE)
        while timed[0][0] <= edge:
            completed.append(heappop(timed)[1])
        if meeting <= edge:
            virtual, changed, moved = shared[0][0], now, True
            edge += virtual - now  # the same tolerance, on the virtual clock
            while shared[0][0] <= edge:
                node = heappop(shared)[1]
                total -= demand[node]
                completed.append(node)
        completed.sort()
        yield now


def exact_clock(  # noqa: C901, PLR0915 - one loop with local names, for speed
    tables: Tables, starting: list[int], completed: list[int], start: list[Time | None]
) -> Iterator[int | Fraction]:
    """Yield the instants in ints and, once memory contends, in Fractions.

    Each time goes with its float. Rounding keeps the order, so rationals are compared only where their floats are equal.
    """
    work: Any = tables.work
    demand: Any = tables.demand
    bandwidth: Any = tables.bandwidth
    timed: list[tuple[float, Any, int]] = [(NEVER, NEVER, -1)]
    shared: list[tuple[float, Any, int]] = [(NEVER, NEVER, -1)]
    now: Any = 0
    changed = virtual = total = now
    meeting: Any = NEVER
    near, moved = NEVER, False
    while True:
        for node in starting:
            start[node] = now
            if demand[node]:
                if not moved:
                    past = now - changed
                    # At rate 1 ints stay ints; V starts anew whenever no memory task runs, or its fractions would only grow.
                    virtual = virtual + (past * Fraction(bandwidth, total) if total > bandwidth else past) if total else 0
                    changed, moved = now, True
                total += demand[node]
                due = virtual + work[node]
                heappush(shared, (float(due), due, node))
            else:
                due = now + work[node]
                heappush(timed, (float(due), due, node))
        starting.clear()
        completed.clear()
        if moved:
            moved, meeting, near = False, NEVER, NEVER
            if total:
                ahead = shared[0][1] - virtual
                # Line 26 for all memory tasks at once: remaining virtual time over the rate B / Q_tot.
                meeting = whole(now + (ahead * Fraction(total, bandwidth) if total > bandwidth else ahead))
                near = float(meeting)
        # Floats first: a comparison of Fractions multiplies their terms, and here is one for every event.
        rough, due, node = timed[0]
        if node < 0 and not total:
            return
        if rough < near or (rough == near and due <= meeting):
            now = due
            # All that ends at this very instant, and nothing that is only near it: equal schedules have equal times.
            while timed[0][0] == rough and timed[0][1] == due:
                completed.append(heappop(timed)[2])
        if near < rough or (near == rough and meeting <= due):
            now = changed = meeting
            # V is taken from the task that ends, not computed again: exactly its finish, with nothing to reduce.
            moved, (rough, virtual, node) = True, shared[0]
            while shared[0][0] == rough and shared[0][1] == virtual:
                node = heappop(shared)[2]
                total -= demand[node]
                completed.append(node)
        completed.sort()
        yield now
