"""Two launches beside each other in many worlds: each runs its items in order, and both share the bandwidth.

This is Algorithm 1 for the one case that a split has: at most two tasks at a time, each slowed alike while both move memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ...plan.works import DispatchCost, Service
from .many import Array, Many

Mask: TypeAlias = "npt.NDArray[np.bool_]"


@dataclass(slots=True)
class Host:
    """When the host is free, world by world."""

    free: Array

    def dispatch(self, cost: DispatchCost, waits: Array) -> Array:
        """Return when a launch at *cost* behind *waits* has reached the device."""
        before = np.maximum(self.free, waits) if cost.host_waits else self.free
        self.free = before + cost.host_ps
        return np.maximum(self.free, waits) + (cost.exposed_ps + cost.gap_ps)


@dataclass(frozen=True, slots=True)
class WorldSide:
    """What one side runs from *start* on: services in order, and launches of its own between them."""

    start: Array
    items: tuple[Service | DispatchCost, ...]


class _Running:
    """A lane on its way: which item runs in each world, and how much of it is left."""

    def __init__(self, lane: WorldSide, host: Host, bandwidth_bytes_per_s: int) -> None:
        worlds = lane.start.shape[0]
        self.host = host
        self.items = lane.items
        self.index = np.full(worlds, -1)
        self.left = lane.start.copy()
        self.demand = np.zeros(worlds)
        self.finish = np.full(worlds, np.inf)
        self._table = [_durations(item, worlds) for item in lane.items]
        self._demands = [_demand(item, ps, bandwidth_bytes_per_s) for item, ps in zip(lane.items, self._table, strict=True)]

    @property
    def runs(self) -> Mask:
        """In which worlds it has not ended."""
        ended: Mask = np.isfinite(self.finish)
        return ~ended

    def go_on(self, elapsed: Array, rate: Array, ended: Mask, now: Array) -> None:
        """Let time pass, and begin the next item in the worlds where one has *ended*."""
        self.left = self.left - elapsed * rate
        self.index = self.index + ended
        for place in np.unique(self.index[ended]):
            at = ended & (self.index == place)
            if place == len(self.items):
                self.finish[at], self.left[at], self.demand[at] = now[at], np.inf, 0.0
            else:
                self.left[at], self.demand[at] = self._begun(int(place), at, now)

    def _begun(self, place: int, at: Mask, now: Array) -> tuple[Array, Array]:
        item = self.items[place]
        if isinstance(item, Service):
            return self._table[place][at], self._demands[place][at]
        host = Host(self.host.free[at])
        reached = host.dispatch(item, now[at])
        self.host.free[at] = host.free
        return reached - now[at], np.zeros(reached.shape)


def finishes(first: WorldSide, second: WorldSide, host: Host, bandwidth_bytes_per_s: int) -> tuple[Array, Array]:
    """Return when two lanes end; launches inside them wait for *host*, which no more than one of them asks for."""
    one, other = (_Running(lane, host, bandwidth_bytes_per_s) for lane in (first, second))
    now = np.zeros(first.start.shape[0])
    while (one.runs | other.runs).any():
        # Work in picoseconds over picoseconds: a rate of 1 where no memory is moved beside other memory.
        rate = np.minimum(1.0, 1.0 / np.maximum(one.demand + other.demand, 1.0))
        rates = [np.where(lane.demand > 0, rate, 1.0) for lane in (one, other)]
        needs = [lane.left / each for lane, each in zip((one, other), rates, strict=True)]
        elapsed = np.minimum(*needs)
        elapsed = np.where(np.isinf(elapsed), 0.0, elapsed)
        now = now + elapsed
        for lane, each, need in zip((one, other), rates, needs, strict=True):
            lane.go_on(elapsed, each, (need <= elapsed) & lane.runs, now)
    return one.finish, other.finish


def _durations(item: Service | DispatchCost, worlds: int) -> Array:
    return Many.of(item.duration_ps, worlds).ps if isinstance(item, Service) else np.zeros(worlds)


def _demand(item: Service | DispatchCost, ps: Array, bandwidth_bytes_per_s: int) -> Array:
    """Return the share of the bandwidth that *item* asks for while it runs alone, at most all of it."""
    if not isinstance(item, Service) or not item.hbm_bytes:
        return np.zeros(ps.shape)
    with np.errstate(divide="ignore"):
        return np.minimum(item.hbm_bytes * 1e12 / (ps * bandwidth_bytes_per_s), 1.0)
