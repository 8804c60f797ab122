"""Kernels on a second stream beside a megakernel that stays, in many worlds: both run in order, so arrays say what each world comes to.

The megakernel holds its CTAs from its first instruction on, so each kernel has the same SMs for all of its waves and only bandwidth is
shared. What is found is no score but an interval of it: waves end at whole picoseconds in a simulation, and in floats here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from megasolve.contracts import PS_PER_SECOND

from ...plan.sharing import Sharing
from ...plan.works import FREE, DispatchCost, Service
from ..composition import Composition
from ..lowering.stretches import Stretch, on_its_side, steps_beside
from ..maxplus import advance
from ..occurrences import blocks_matrix, ready_blocks, serial_blocks
from .lanes import Host, Mask
from .many import Array, Many

Indices: TypeAlias = "npt.NDArray[np.int64]"

_ROUNDING = 1e-9
_APART_PS = 1.0
"""Launches that become ready nearer to each other than this are taken to be at one instant."""


def is_held(composition: Composition) -> bool:
    """Whether the first publication is that of kernels beside a megakernel that stays as long as they run."""
    if composition.sharing is not Sharing.STREAMS or not composition.stays or composition.schedule.length_steps is not None:
        return False
    return not any(composition.region_of(group).persistent for group in composition.awaited(composition.consumers))


def held_ps(composition: Composition, worlds: int) -> tuple[Array, Array]:
    """Return two times in each world between which the first publication is; 0 and infinity where only a simulation knows it."""
    host_ps, device_ps = _ready(composition, worlds)
    host = Host(host_ps - device_ps)
    begun = host.dispatch(composition.region_of(composition.producers[0]).entry.cost, np.zeros(worlds))
    steps = _Steps.of(composition, worlds)
    if not steps.ps[steps.again :].sum(axis=0).all():
        return np.zeros(worlds), np.full(worlds, np.inf)
    chunk = _Chunk(composition, worlds)
    other = Host(-device_ps) if composition.second_stream.own_host else host
    waits = np.zeros(worlds) if not steps.awaited else begun + steps.ps[: steps.awaited].sum(axis=0)
    made, taken, first = _run((steps, begun), (chunk, waits), other)
    published = np.maximum(made, taken)
    # The rounding of each wave to a whole picosecond is less than one, and may move what it meets on the other side by as much again.
    error = _ROUNDING * (published + device_ps) + 4 * (chunk.waves + 1)
    # Kernels that begin before the megakernel does would have other SMs.
    is_known = first > begun + _APART_PS
    low = np.where(is_known, device_ps + published - error, 0.0)
    return low, np.where(is_known, device_ps + published + error, np.inf)


def _ready(composition: Composition, worlds: int) -> tuple[Array, Array]:
    blocks, zero = ready_blocks(composition), Many.of(0, worlds)
    if not any(block.runs for block in blocks):
        return zero.ps, zero.ps
    host, device = advance((zero, zero), blocks_matrix(blocks, lambda _label, ps: Many.of(ps, worlds)))
    return host.ps, device.ps


@dataclass(frozen=True, slots=True)
class _Steps:
    """What the megakernel runs, item by item: times and shares of the bandwidth, each by world.

    Behind the last item follow those from *again* on. The publication waits for *made* of them, and the chunk for *awaited*.
    """

    ps: Array
    share: Array
    again: int
    made: int
    awaited: int

    @classmethod
    def of(cls, composition: Composition, worlds: int) -> _Steps:
        services: list[Service] = []
        made = awaited = again = 0
        # A step of load behind what step h left out: it comes again and again.
        for step in steps_beside(composition.beside, 2):
            again = len(services)
            services += [service for _, service in on_its_side(composition.beside, step.groups).services()]
            made = made if step.is_load else len(services)
            is_before = composition.schedule.ready_step < step.number <= composition.chunk_waits_for
            awaited = len(services) if is_before else awaited
        rows = [Many.of(one.duration_ps, worlds).ps for one in services]
        shares = [_share(one.hbm_bytes, ps, composition.bandwidth_bytes_per_s) for one, ps in zip(services, rows, strict=True)]
        return cls(np.array(rows), np.array(shares), again, made, awaited)


def _share(hbm_bytes: int | None, ps: Array, bandwidth_bytes_per_s: int) -> Array:
    """Return the share of the bandwidth that bytes ask for which move in so many picoseconds, at most all of it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (hbm_bytes or 0) * float(PS_PER_SECOND) / (ps * bandwidth_bytes_per_s)
    return np.where(ps > 0, np.minimum(share, 1.0), 0.0)


class _Item(NamedTuple):
    """What the second stream runs at a time: a gap, whole waves of a kernel, its last one, or the launch that has a *cost*.

    At an item that *begins* a kernel begins. One that *ends* it lasts until the kernel took *alone* at the least. At the first of the
    *length* items of a kernel so many *equal* ones follow it.
    """

    ps: Array
    share: Array
    alone: Array
    begins: bool = False
    ends: bool = False
    cost: DispatchCost | None = None
    equal: int = 0
    length: int = 1


class _Chunk:
    """All items of the second stream, as arrays by item and world, and how many *waves* they have."""

    def __init__(self, composition: Composition, worlds: int) -> None:
        self._zero = np.zeros(worlds)
        self._bandwidth = composition.bandwidth_bytes_per_s
        self._free_sms = composition.capacity.total - composition.capacity.producer
        self._known: dict[int, tuple[Service, list[_Item]]] = {}
        self.waves = 0
        # The first item is the event that the chunk waits for.
        rows = [_Item(self._zero, self._zero, self._zero)]
        for block in serial_blocks(composition.beside, admission=(), steps=0, chunk=composition.awaited(composition.consumers)):
            for run in block.each_run():
                for launched in run.each_launch():
                    rows.append(rows[0]._replace(cost=launched.cost))
                    for section in launched.sections:
                        for _, service in Stretch((section,)).services():
                            rows += self._kernels(service)
        self.ps, self.share, self.alone = (np.array([getattr(row, name) for row in rows]) for name in ("ps", "share", "alone"))
        self.begins, self.ends = (np.array([getattr(row, name) for row in rows]) for name in ("begins", "ends"))
        self.equal, self.length = np.array([row.equal for row in rows]), np.array([row.length for row in rows])
        self.is_launch = np.array([row.cost is not None for row in rows])
        costs = [row.cost or FREE for row in rows]
        self.host_ps = np.array([one.host_ps for one in costs], dtype=float)
        self.behind_ps = np.array([one.exposed_ps + one.gap_ps for one in costs], dtype=float)
        self.host_waits = np.array([one.host_waits for one in costs])

    def _kernels(self, service: Service) -> list[_Item]:
        """Return the kernels of *service*, each its gap, its whole waves, which follow each other, and its last one."""
        if id(service) not in self._known:
            first, *rest = self._items(service)
            each = ((first._replace(equal=left, length=1 + len(rest)), *rest) for left in reversed(range(service.launches)))
            # The service is kept, so that its id stays its own.
            self._known[id(service)] = service, [item for kernel in each for item in kernel]
        return self._known[id(service)][1]

    def _items(self, service: Service) -> Iterator[_Item]:
        alone = Many.of(service.duration_ps, len(self._zero)).ps / service.launches
        share, grid = _share(service.hbm_bytes, alone * service.launches, self._bandwidth), service.grid
        if service.dispatch.gap_ps:
            yield _Item(self._zero + service.dispatch.gap_ps, self._zero, self._zero)
        if grid is None:
            yield _Item(alone, share, self._zero)
            return
        memory = share * alone
        compute = np.maximum(alone - memory, 0.0) / -(-grid.ctas // grid.resident_ctas)
        each = self._free_sms * grid.per_sm
        whole = (grid.ctas - 1) // each
        self.waves += service.launches * (whole + 2)
        for count, ctas, is_last in ((whole, each, False), (1, grid.ctas - whole * each, True)):
            if count:
                moving = memory * ctas / grid.ctas
                wave = np.maximum(moving + compute, 1.0)
                yield _Item(count * wave, np.minimum(moving / wave, 1.0), alone, begins=not (whole and is_last), ends=is_last)


class _Lane:
    """A stream on its way: which item runs in each world, and how much of it is left of which share of the bandwidth."""

    def __init__(self, left: Array, first: int) -> None:
        self.left = left.copy()
        self.place = np.full(left.shape, first)
        self.share = np.zeros(left.shape)
        self.ended = np.zeros(left.shape, dtype=bool)

    def pass_by(self, elapsed: Array, rate: Array) -> None:
        """Let time pass, and see where an item has ended."""
        own = np.where(self.share > 0, rate, 1.0)
        self.ended = self.left <= elapsed * own
        self.left = self.left - elapsed * own
        self.place = self.place + self.ended

    def begin(self, ps: Array, share: Array) -> None:
        """Begin the next item where one has ended."""
        self.left = np.where(self.ended, ps, self.left)
        self.share = np.where(self.ended, share, self.share)


def _run(makes: tuple[_Steps, Array], takes: tuple[_Chunk, Array], host: Host) -> tuple[Array, Array, Array]:
    """Return when step h and the chunk are done, and when the first kernel of the chunk begins."""
    (steps, begun), (chunk, waits) = makes, takes
    one, other, worlds = _Lane(begun, -1), _Lane(waits, 0), np.arange(len(begun))
    now, began = np.zeros(len(begun)), np.zeros(len(begun))
    never = np.full(len(begun), np.inf)
    made, taken, first = now if not steps.made else never, never, never
    while np.isinf(taken).any() or np.isinf(made).any():
        # Work in picoseconds over picoseconds: a rate of 1 where no memory is moved beside other memory.
        rate = 1.0 / np.maximum(one.share + other.share, 1.0)
        elapsed = np.minimum(*(lane.left / np.where(lane.share > 0, rate, 1.0) for lane in (one, other)))
        now = now + elapsed
        one.pass_by(elapsed, rate)
        other.pass_by(elapsed, rate)
        if one.ended.any():
            made = np.where(one.ended & (one.place == steps.made) & np.isinf(made), now, made)
            one.place = np.where(one.place == len(steps.ps), steps.again, one.place)
            one.begin(steps.ps[one.place, worlds], steps.share[one.place, worlds])
        if other.ended.any():
            first = np.where(np.isinf(first), _begins(other, chunk, now), first)
            now = _skip(one, other, chunk, now)
            is_over = other.ended & (other.place == len(chunk.ps))
            taken = np.where(is_over, now, taken)
            at = np.minimum(other.place, len(chunk.ps) - 1)
            begins = other.ended & chunk.begins[at] & ~is_over
            began = np.where(begins, now, began)
            ps = chunk.ps[at, worlds]
            ps = np.where(chunk.ends[at], np.maximum(ps, chunk.alone[at, worlds] - (now - began)), ps)
            if (launches := other.ended & chunk.is_launch[at] & ~is_over).any():
                reached = _launched(chunk, at, launches, host, now)
                ps = np.where(launches, reached - now, ps)
            other.begin(np.where(is_over, np.inf, ps), np.where(is_over, 0.0, chunk.share[at, worlds]))
    return made, taken, first


def _begins(other: _Lane, chunk: _Chunk, now: Array) -> Array:
    """Return when the kernel begins whose items begin now; infinity where none does."""
    at = np.minimum(other.place, len(chunk.ps) - 1)
    behind = np.where(chunk.begins[at], 0.0, chunk.ps[at, np.arange(len(now))])
    is_kernel = other.ended & (other.place < len(chunk.ps)) & (chunk.begins[at] | (chunk.length[at] > 1))
    return np.where(is_kernel, now + behind, np.inf)


def _skip(one: _Lane, other: _Lane, chunk: _Chunk, now: Array) -> Array:
    """Let equal kernels pass that begin and end beside what the other side runs now; return what time it is then.

    Each of them takes as long as the first one, so they pass in one stroke; one is left, so that all else follows as it does.
    """
    at = np.minimum(other.place, len(chunk.ps) - 1)
    equal = np.where(other.ended & (other.place < len(chunk.ps)), chunk.equal[at], 0)
    if not equal.any():
        return now
    worlds, took, beside, began = np.arange(len(now)), np.zeros(len(now)), np.zeros(len(now)), np.zeros(len(now))
    for step in range(int(chunk.length[at].max())):
        item, is_part = np.minimum(at + step, len(chunk.ps) - 1), step < chunk.length[at]
        began = np.where(chunk.begins[item], took, began)
        work, share = chunk.ps[item, worlds], chunk.share[item, worlds]
        work = np.where(chunk.ends[item], np.maximum(work, chunk.alone[item, worlds] - (took - began)), work)
        rate = 1.0 / np.maximum(one.share + share, 1.0)
        elapsed = np.where(is_part, work / np.where(share > 0, rate, 1.0), 0.0)
        took = took + elapsed
        beside = beside + elapsed * np.where(one.share > 0, rate, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        fitting = np.where(beside > 0, np.floor(one.left / beside) - 1, 0.0)
    count = np.clip(fitting, 0, equal)
    one.left = one.left - count * beside
    other.place = other.place + (count * chunk.length[at]).astype(other.place.dtype)
    return now + count * took


def _launched(chunk: _Chunk, at: Indices, launches: Mask, host: Host, now: Array) -> Array:
    """Return when launches reach the device that wait for what ends *now*."""
    before = np.where(chunk.host_waits[at], np.maximum(host.free, now), host.free)
    issued = before + chunk.host_ps[at]
    host.free = np.where(launches, issued, host.free)
    reached: Array = np.maximum(issued, now) + chunk.behind_ps[at]
    return reached
