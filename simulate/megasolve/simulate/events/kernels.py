"""Kernels beside each other: conventional grids that take SMs wave by wave, as blocks are handed out by the hardware.

The CTAs of a kernel that are left take what is free whenever SMs come free, so also at the end of each of its waves; nothing is
held between waves, and the share of a kernel is never fixed. Kernels are served in READY order, and keep their place in it while
CTAs of them are left.
"""

from __future__ import annotations

from fractions import Fraction
from heapq import heappop, heappush
from math import floor
from typing import Any, TypeAlias

from .arithmetic import Time
from .graph import EventGraph, KernelGrid
from .outcome import Wave
from .tables import Tables
from .waves import wave_of

Place: TypeAlias = tuple[int, int, int]
"""A kernel's place in READY: the instant at which it became ready, its priority, its node."""


class KernelLine:
    """The kernels of a graph that are ready or run. A wave runs on the clock under an index behind those of all nodes."""

    __slots__ = ("_graph", "_grids", "_known", "_left", "_line", "_owed", "_running", "_start", "_tables", "starting", "waves")

    def __init__(self, graph: EventGraph, tables: Tables, start: list[Time | None]) -> None:
        self._graph = graph
        self._tables = tables
        self._start = start  # of nodes and, behind them, of waves
        self._grids: dict[int, KernelGrid] = {node: one.grid for node, one in enumerate(graph.nodes) if one.grid is not None}
        self._left: dict[int, int] = {}  # CTAs that did not start yet, of kernels that are ready
        self._owed: dict[int, Fraction] = {}  # what rounding took from the waves so far
        self._known: dict[tuple[object, ...], tuple[int, Fraction, Time]] = {}
        self._line: list[Place] = []
        self._running: dict[int, dict[int, int]] = {}  # by kernel its waves and their CTAs
        self.starting: list[int] = []  # waves that have their SMs, not yet running
        self.waves: list[Wave] = []
        if self._grids:
            start.extend([None] * (len(tables.work) - len(start)))

    def __bool__(self) -> bool:
        """Whether the graph has any."""
        return bool(self._grids)

    @property
    def most_waves(self) -> int:
        """How many waves there can be in all."""
        return sum(grid.ctas for grid in self._grids.values())

    @property
    def first(self) -> Place | None:
        """The place of the first kernel in line."""
        return self._line[0] if self._line else None

    @property
    def waiting(self) -> list[int]:
        """The nodes of the kernels in line, in order."""
        return [node for _, _, node in sorted(self._line)]

    def arrive(self, woken: list[int], instant: int) -> bool:
        """Take the kernels out of the nodes *woken* at *instant* into the line; return whether there were any."""
        found = [node for node in woken if node in self._grids]
        for node in found:
            self._left[node] = self._grids[node].ctas
            self._running[node] = {}
            self._owed[node] = Fraction(0)
            heappush(self._line, (instant, self._grids[node].priority, node))
        if found:
            woken[:] = [node for node in woken if node not in self._grids]
        return bool(found)

    def serve(self, free_sms: int, now: Time) -> int:
        """Let the first kernel in line start a wave on at most *free_sms* SMs; return how many it takes."""
        node = self._line[0][2]
        grid, left = self._grids[node], self._left[node]
        sms = min(-(-left // grid.per_sm), free_sms)
        ctas = min(left, sms * grid.per_sm)
        self._left[node] = left - ctas
        if ctas == left:
            heappop(self._line)
        self._begin(node, ctas, now)
        return sms

    def _begin(self, node: int, ctas: int, now: Time) -> None:
        """Put a wave of *ctas* CTAs on the clock."""
        tables, kernel = self._tables, self._graph.nodes[node]
        wave_ps, self._owed[node], demand = self._costs(node, ctas)
        work: Any = tables.arithmetic.number(wave_ps)
        began: Any = self._start[node]
        if began is None:
            self._start[node] = began = now
        if not self._left[node]:
            # A kernel is never faster than alone, however its waves overlap: its last CTAs make up what is missing.
            work = max(work, kernel.duration_ps - (now - began))
        self._running[node][len(tables.work)] = ctas
        self.starting.append(len(tables.work))
        tables.work.append(work)
        tables.demand.append(demand)
        self._start.append(None)

    def _costs(self, node: int, ctas: int) -> tuple[int, Fraction, Time]:
        """Return the time of a wave of *ctas* CTAs, what its rounding leaves to the next one, and its demand in units of the tables."""
        kernel, grid, bandwidth = self._graph.nodes[node], self._grids[node], self._graph.bandwidth_bytes_per_s
        # Equal kernels have equal waves, and there are many of them.
        key = (kernel.duration_ps, kernel.demand, grid.ctas, grid.resident_ctas, ctas, self._owed[node])
        if key not in self._known:
            exact_ps, traffic = wave_of(kernel.duration_ps, kernel.demand, bandwidth, grid, ctas)
            # Whole picoseconds keep times exact and short; what a wave loses by that the next one gets.
            wave_ps = max(floor(exact_ps + self._owed[node]), 1)
            demand = min(Fraction(traffic, wave_ps), Fraction(bandwidth)) * self._tables.demand_scale
            self._known[key] = wave_ps, self._owed[node] + exact_ps - wave_ps, self._tables.arithmetic.number(demand)
        return self._known[key]

    def finish(self, completed: list[int], now: Time) -> int:
        """Take the waves out of what is *completed*, and put in the kernels that end with them; return the SMs that come free."""
        ended = [one for one in completed if one >= len(self._graph.nodes)]
        if not ended:
            return 0
        del completed[-len(ended) :]
        return sum(self._end(wave, completed, now) for wave in ended)

    def _end(self, wave: int, completed: list[int], now: Time) -> int:
        node = next(node for node, waves in self._running.items() if wave in waves)
        ctas = self._running[node].pop(wave)
        sms, start = -(-ctas // self._grids[node].per_sm), self._start[wave]
        if start is not None:
            self.waves.append(Wave(node, start, now, ctas, sms))
        if not self._running[node] and not self._left[node]:
            del self._running[node], self._left[node]
            completed.append(node)
            completed.sort()
        return sms
