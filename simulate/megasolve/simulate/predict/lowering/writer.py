"""The writer of an event graph: it appends nodes in program order and keeps track of the host and of what the next launch waits for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import TypeAlias, TypedDict, Unpack

from ...events.graph import Admission, EventGraph, GraphBuilder, HeldLaunch, KernelGrid, Node, NodeKind, demand_of
from ...plan.launches import Launched
from ...plan.works import DispatchCost, Service
from ..composition import MAIN, Composition, RegionPlan
from ..maxplus import Parts, advance
from ..occurrences import DISPATCH_OF, Run, Runs, additive_ps, blocks_matrix, gaps_of
from .stretches import Stretch

# When host and device are free, in picoseconds.
Ahead: TypeAlias = tuple[int, int]

STEP_H = "step h"
FIRST_CHUNK = "first chunk"
LOAD = "load"
HOST_PART = ": host"


class Detail(Enum):
    """How much of a composition gets nodes of its own."""

    COMPACT = "compact"
    FULL = "full"


class _More(TypedDict, total=False):
    """What a node may have beside its name, kind, time and predecessors."""

    demand: Fraction | int
    launch: int | None
    pool: int
    parts: tuple[tuple[str, int], ...]
    grid: KernelGrid | None


@dataclass(frozen=True, slots=True)
class Side:
    """One launch beside another: where it stands in the graph and which pool of it is meant."""

    launch: int
    after: int
    pool: int = 0


class Writer:
    """Writes nodes in program order and keeps track of the host and of what the next serial launch waits for."""

    def __init__(self, composition: Composition, *, detail: Detail, serialized: bool = False, ahead: Ahead | None = None) -> None:
        self.composition = composition
        self.ahead = ahead
        self.is_full = detail is Detail.FULL
        self.serialized = serialized
        self.graph = GraphBuilder()
        self.hosts: dict[str, tuple[int, ...]] = {}
        self.device: tuple[int, ...] = ()
        self.ahead_hosts: frozenset[str] = frozenset()
        self.priority: int | None = None
        self._count = 0
        self._tasks: dict[tuple[object, ...], tuple[Service, Node]] = {}

    @property
    def host(self) -> tuple[int, ...]:
        """Behind what the host is free that issues all launches, or those of the producers."""
        return self.hosts.get(MAIN, ())

    @host.setter
    def host(self, last: tuple[int, ...]) -> None:
        self.hosts[MAIN] = last

    @contextmanager
    def on_stream(self, priority: int) -> Iterator[None]:
        """Let kernels that are appended share the device with others; of what is ready at one instant lower *priority* goes first."""
        self.priority = priority
        yield
        self.priority = None

    def add(
        self, name: str, kind: NodeKind, ps: int, after: tuple[int, ...], *, release_of: int | None = None, **more: Unpack[_More]
    ) -> int:
        """Append a node, after its predecessor in program order as well where the graph is serialized."""
        return self._append(Node(name, kind, ps, **more), after, release_of)

    def _append(self, node: Node, after: tuple[int, ...], release_of: int | None = None) -> int:
        # The ablation keeps every cost and budget and takes only the concurrency: one chain through all nodes.
        chained = (*after, self._count - 1) if self.serialized and self._count else after
        self._count += 1
        return self.graph.add(node, chained, release_of=release_of)

    def build(self, publication: int) -> EventGraph:
        """Freeze the graph."""
        return self.graph.build(self.composition.capacity.total, self.composition.bandwidth_bytes_per_s, publication)

    def publish(self, *after: int) -> int:
        """Append the publication node."""
        return self.add("publication", NodeKind.PUBLICATION, 0, after)

    def publish_both(self, made: int, taken: int) -> int:
        """Append the publication behind step h and the first chunk, and keep which of the two is which."""
        self.graph.labels |= {STEP_H: made, FIRST_CHUNK: taken}
        return self.publish(made, taken)

    def dispatch(self, region: RegionPlan, cost: DispatchCost, waits: tuple[int, ...]) -> int:
        """Append the host part, the exposed part and the gap of one launch; return the last of them."""
        label = DISPATCH_OF + region.name
        # A host that does not wait runs ahead: its launches queue, and their host parts hide behind the device.
        thread = self.composition.thread_of(region.groups)
        last = self.hosts.get(thread, ())
        before = last + waits if cost.host_waits else last
        host = self.add(label + HOST_PART, NodeKind.DISPATCH, cost.host_ps, before, parts=((label, cost.host_ps),))
        self.hosts[thread] = (host,)
        # A host that is far ahead was done with this launch long ago.
        behind = waits if thread in self.ahead_hosts else (host, *waits)
        exposed = self.add(f"{label}: exposed", NodeKind.DISPATCH, cost.exposed_ps, behind, parts=((label, cost.exposed_ps),))
        return self._gap(region, cost.gap_ps, exposed)

    def launch(self, region: RegionPlan, waits: tuple[int, ...], holds: int, pools: tuple[int, ...] = (1,)) -> Side:
        """Dispatch a persistent launch behind *waits* and append its entry."""
        return self.open(region, self.dispatch(region, region.entry.cost, waits), holds, pools)

    def open(self, region: RegionPlan, after: int, holds: int, pools: tuple[int, ...] = (1,)) -> Side:
        """Declare a persistent launch and append its entry behind *after*."""
        # Only a cooperative launch is all or nothing; an ordinary persistent one takes CTAs piecemeal and may deadlock.
        admission = Admission.COOPERATIVE if region.entry.cooperative else Admission.ORDINARY
        launch = self.graph.launch(HeldLaunch(region.name, holds, pools, admission, priority=self.priority or 0))
        return Side(launch, self.add(f"entry of {region.name}", NodeKind.ENTRY, 0, (after,), launch=launch))

    def close(self, side: Side, name: str, *last: int) -> int:
        """Append the release of a launch behind its last tasks."""
        return self.add(f"release of {name}", NodeKind.RELEASE, 0, last, launch=side.launch, release_of=side.launch)

    def task(self, group: str, service: Service, after: tuple[int, ...], side: Side | None) -> int:
        """Append one timed service."""
        # Equal kernels of one launch are one value, and their nodes may be, too; the service is kept, so that its id stays its own.
        key = (id(service), group, side.launch if side else None, side.pool if side else 0, self.priority)
        if key not in self._tasks:
            self._tasks[key] = service, self._task(group, service, side)
        return self._append(self._tasks[key][1], after)

    def _task(self, group: str, service: Service, side: Side | None) -> Node:
        moved, bandwidth = service.hbm_bytes, self.composition.bandwidth_bytes_per_s
        demand = demand_of(moved, service.duration_ps, bandwidth) if moved and service.duration_ps else 0
        launch, pool = (side.launch, side.pool) if side else (None, 0)
        parts, grid = ((group, service.duration_ps),), None
        # Without overlap a kernel takes its own time, whatever another launch holds meanwhile.
        is_beside = self.priority is not None and side is None and not self.serialized
        if is_beside and service.grid is not None and service.duration_ps:
            grid = replace(service.grid, priority=self.priority or 0)
        return Node(service.label, NodeKind.TASK, service.duration_ps, demand, launch, pool, parts, grid)

    def alone(self, name: str, stretch: Parts, after: tuple[int, ...], side: Side | None) -> int:
        """Append one node for a stretch that has nothing beside it."""
        launch, pool = (side.launch, side.pool) if side else (None, 0)
        return self.add(name, NodeKind.TASK, stretch.total_ps, after, launch=launch, pool=pool, parts=stretch.parts)

    def solo(self, stretch: Stretch, side: Side, after: int) -> int:
        """Append a stretch that has nothing beside it: one node, or all of them in FULL detail."""
        if not stretch.service_ps:
            return after
        if self.is_full:
            return self.beside(stretch, side, after, None)
        return self.alone(stretch.name, stretch.parts(), (after,), side)

    def beside(self, stretch: Stretch, side: Side, after: int, horizon_ps: int | None) -> int:
        """Append a stretch that may have company until *horizon_ps* of its own standalone time (None: to its end)."""
        elapsed: dict[str, int] = {}
        for group, service in stretch.services():
            # Beyond the horizon the other side has ended for certain (see the module), so one node says as much as a thousand.
            if horizon_ps is not None and not self.is_full and sum(elapsed.values()) > horizon_ps:
                return self._rest(stretch, elapsed, side, after)
            after = self.task(group, service, (after,), side)
            elapsed[group] = elapsed.get(group, 0) + service.duration_ps
        return after

    def _rest(self, stretch: Stretch, elapsed: dict[str, int], side: Side, after: int) -> int:
        # Nothing competes with the rest, so it needs no demand: its duration is its standalone time.
        parts = tuple((group, ps - elapsed.get(group, 0)) for group, ps in stretch.parts().parts)
        left = Parts(stretch.service_ps - sum(elapsed.values()), tuple(part for part in parts if part[1]))
        return self.alone("rest", left, (after,), side) if left.total_ps else after

    def before_split(self, blocks: Sequence[Runs]) -> None:
        """Append what runs before a split: launches one after the other, or only the times at which they leave host and device free."""
        if self.ahead is None:
            self.serial(blocks)
            return
        host_ps, device_ps = self.ahead
        self.host = (self.add("host until the split", NodeKind.DISPATCH, host_ps, ()),)
        self.device = (self.alone("all before the split", Parts(device_ps), (), None),)

    def serial(self, blocks: Sequence[Runs], holds: int | None = None) -> None:
        """Append launches that run one after the other and with nothing beside them, on *holds* or on the whole device."""
        if not any(block.runs for block in blocks):
            return
        if self.is_full:
            self.each(blocks, holds)
        else:
            self._folded(blocks)

    def each(self, blocks: Sequence[Runs], holds: int | None = None) -> None:
        """Append launches one after the other, with a node for each kernel: other work may run beside them."""
        for block in blocks:
            for run in block.each_run():
                self._serial_run(run, (run.region.sms or self.composition.capacity.total) if holds is None else holds)

    def _folded(self, blocks: Sequence[Runs]) -> None:
        if self.serialized:
            total = Parts.of("all before the overlap", additive_ps(blocks))
            self.device = (self.alone("serial stretch", total, (), None),)
            return
        # From (0, 0): when the host is free and when the device is, each with what it is made of.
        host, device = advance((Parts(), Parts()), blocks_matrix(blocks, Parts.of))
        self.host = (self.add("host of the serial stretch", NodeKind.DISPATCH, host.total_ps, (), parts=host.parts),)
        self.device = (self.alone("serial stretch", device, (), None),)

    def folded_behind(self, blocks: Sequence[Runs]) -> None:
        """Append launches that follow what host and device did last, and that nothing runs beside, in a few nodes."""
        if self.serialized:
            self.device = (self.alone("rest", Parts.of("rest", additive_ps(blocks)), self.device, None),)
            return
        # A node for each way from when host and device are free before to when they are free after.
        ways = blocks_matrix(blocks, Parts.of)
        ends = [
            self.add("rest", NodeKind.DISPATCH, way.total_ps, before, parts=way.parts)
            for way, before in zip(ways, (self.host, self.device, self.host, self.device), strict=True)
            if way is not None
        ]
        to_host = 1 + (ways[1] is not None)
        self.host = (self.add("host of the rest", NodeKind.CONTROL, 0, tuple(ends[:to_host])),)
        self.device = (self.add("rest is done", NodeKind.CONTROL, 0, tuple(ends[to_host:])),)

    def _serial_run(self, run: Run, holds: int) -> None:
        if run.region.persistent:
            self._persistent_run(run, holds)
            return
        for launched in run.each_launch():
            self._kernels(run.region, launched)

    def _persistent_run(self, run: Run, holds: int) -> None:
        side = self.launch(run.region, self.device, holds)
        last = side.after
        for section in run.sections:
            last = self.beside(Stretch((section,)), side, last, None)
        self.device = (self.close(side, run.region.name, last),)

    def _kernels(self, region: RegionPlan, launched: Launched) -> None:
        """Append one launch of conventional kernels, each behind its gap."""
        last = self.dispatch(region, launched.cost, self.device)
        for section in launched.sections:
            for group, service in Stretch((section,)).services():
                for kernel in [service] if self.priority is None else service.kernels():
                    last = self._gap(region, kernel.launches * kernel.dispatch.gap_ps, last)
                    last = self.task(group, kernel, (last,), None)
        self.device = (last,)

    def _gap(self, region: RegionPlan, gap_ps: int, after: int) -> int:
        label = gaps_of(region)
        return self.add(label, NodeKind.DISPATCH, gap_ps, (after,), parts=((label, gap_ps),)) if gap_ps else after
