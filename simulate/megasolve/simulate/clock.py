"""The clock of a simulation: which tasks run, and which of them finish next (Algorithm 1, lines 18 to 33).

All memory tasks progress at one shared rate, so a virtual clock that runs at this rate gives each a fixed finish time when
it starts. Real and virtual finish times stand in two heaps, and a change of the rate moves no entry.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from fractions import Fraction
from heapq import heappop, heappush
from operator import truediv
from typing import Any

from .arithmetic import EXACT, TIE_TOLERANCE, Arithmetic, Time, whole

NEVER = float("inf")


def clock(  # noqa: C901, PLR0912, PLR0915
    work: list[Time], demand: list[Time], bandwidth: Time, start: list[Time | None], arithmetic: Arithmetic
) -> Generator[tuple[Time, list[int]], list[int], None]:
    """Receive the nodes that start now; yield the next instant and the nodes that finish at it, none if nothing runs.

    Writes into *start*. A generator, since its state then lives in local names: every node of every simulation passes here.
    Heap entries open with a float: rounding keeps the order, so rationals are compared only where their floats are equal.
    """
    exact = arithmetic is EXACT
    ratio: Callable[[Any, Any], Any] = Fraction if exact else truediv
    push, pop = heappush, heappop
    timed: list[tuple[float, Any, int]] = []
    shared: list[tuple[float, Any, int]] = []
    capacity: Any = bandwidth
    now: Any = arithmetic.number(0)
    changed = virtual = total = now  # the instant of the last change, the virtual clock then, the sum of demands since
    meeting: Any = NEVER  # the instant at which the first shared task finishes
    moved = False
    completed: list[int] = []
    while True:
        starting = yield now, completed
        for node in starting:
            start[node] = now
            if demand[node]:
                if not moved:
                    elapsed = now - changed
                    virtual = 0 if not shared else virtual + (ratio(elapsed * capacity, total) if total > capacity else elapsed)
                    changed, moved = now, True
                total += demand[node]
                due = virtual + work[node]
                push(shared, (float(due), due, node))
            else:
                due = now + work[node]
                push(timed, (float(due), due, node))
        if moved:
            moved = False
            if shared:
                ahead = shared[0][1] - virtual
                meeting = changed + (ratio(ahead * total, capacity) if total > capacity else ahead)
                if exact:
                    meeting = whole(meeting)
                elif meeting < now:
                    meeting = now  # rounding must not move time backwards
            else:
                meeting, total = NEVER, arithmetic.number(0)
        completed = []
        if timed and timed[0][1] <= meeting:
            now = timed[0][1]
        elif shared:
            now = meeting
        else:
            continue
        edge = now if exact else now * (1 + TIE_TOLERANCE)
        rough = float(edge)
        while timed and timed[0][0] <= rough and timed[0][1] <= edge:
            completed.append(pop(timed)[2])
        if meeting <= edge:
            virtual, changed, moved = shared[0][1], now, True
            last = virtual if exact else virtual + (edge - now)
            rough = float(last)
            while shared and shared[0][0] <= rough and shared[0][1] <= last:
                node = pop(shared)[2]
                total -= demand[node]
                completed.append(node)
