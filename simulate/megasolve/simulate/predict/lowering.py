"""From a composition to its event graph (paper, section IV-C; design: *Event graph*).

COMPACT lowering folds every stretch that has nothing beside it into one node: all before step r, and what is left of the
longer side after the shorter one has ended. FULL lowering has a node per kernel, launch and step, for timelines and tests.
Both give the same score.

What folding rests on: at most two memory tasks run at once, each demands at most B, so no task is slowed more than
twofold; whatever starts later than twice the other side's standalone time after both have begun runs alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import TypeAlias, TypedDict, Unpack

from ..events.graph import Admission, EventGraph, GraphBuilder, HeldLaunch, Node, NodeKind, demand_of
from ..plan.launches import Launched
from ..plan.sharing import Phase, Sharing
from ..plan.works import DispatchCost, Section, Service
from .composition import Composition, RegionPlan
from .maxplus import Parts, advance
from .occurrences import (
    DISPATCH_OF,
    Run,
    Runs,
    additive_ps,
    blocks_matrix,
    gaps_of,
    publication_blocks,
    ready_blocks,
    separate_admission,
    serial_blocks,
)

# When host and device are free, in picoseconds.
Ahead: TypeAlias = tuple[int, int]

STEP_H = "step h"
FIRST_CHUNK = "first chunk"
HOST_PART = ": host"


class Detail(Enum):
    """How much of a composition gets nodes of its own."""

    COMPACT = "compact"
    FULL = "full"


def lower(composition: Composition, *, detail: Detail = Detail.COMPACT, serialized: bool = False, ahead: Ahead | None = None) -> EventGraph:
    """Return the event graph of the first publication; *serialized* chains all nodes in program order (`no_overlap`).

    With *ahead*, a split begins when host and device are free at these times, whatever ran before it.
    """
    writer = Writer(composition, detail=detail, serialized=serialized, ahead=ahead)
    lowerings = {Sharing.SERIAL: _lower_serial, Sharing.FIXED: _lower_fixed, Sharing.DYNAMIC: _lower_dynamic}
    return writer.build(lowerings[composition.sharing](writer))


class _More(TypedDict, total=False):
    """What a node may have beside its name, kind, time and predecessors."""

    demand: Fraction | int
    launch: int | None
    pool: int
    parts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One launch beside another: where it stands in the graph and which pool of it is meant."""

    launch: int
    after: int
    pool: int = 0


@dataclass(frozen=True, slots=True)
class Stretch:
    """*sections* in order, on one pool of a launch."""

    sections: tuple[Section, ...]

    @property
    def service_ps(self) -> int:
        """The standalone time of the whole stretch."""
        return sum(section.service_ps for section in self.sections)

    @property
    def name(self) -> str:
        """The groups that run in it."""
        return " ".join(dict.fromkeys(work.group for section in self.sections for work, _ in section.counted()))

    def services(self) -> Iterator[tuple[str, Service]]:
        """Yield (group, service) of every call, in order."""
        for section in self.sections:
            for work in section.each():
                for _ in range(work.calls):
                    for service in work.services:
                        yield work.group, service

    def each_group(self) -> Iterator[str]:
        """Yield the group of every occurrence, in order."""
        return (work.group for section in self.sections for work in section.each())

    def parts(self) -> Parts:
        """The stretch's time by group."""
        total = Parts()
        for section in self.sections:
            for work, count in section.counted():
                total = total + Parts.of(work.group, count * work.service_ps)
        return total


class Writer:
    """Writes nodes in program order and keeps track of the host and of what the next serial launch waits for."""

    def __init__(self, composition: Composition, *, detail: Detail, serialized: bool = False, ahead: Ahead | None = None) -> None:
        self.composition = composition
        self.ahead = ahead
        self.is_full = detail is Detail.FULL
        self.serialized = serialized
        self.graph = GraphBuilder()
        self.host: tuple[int, ...] = ()
        self.device: tuple[int, ...] = ()
        self._count = 0

    def add(
        self, name: str, kind: NodeKind, ps: int, after: tuple[int, ...], *, release_of: int | None = None, **more: Unpack[_More]
    ) -> int:
        """Append a node, after its predecessor in program order as well where the graph is serialized."""
        # The ablation keeps every cost and budget and takes only the concurrency: one chain through all nodes.
        chained = (*after, self._count - 1) if self.serialized and self._count else after
        self._count += 1
        return self.graph.add(Node(name, kind, ps, **more), chained, release_of=release_of)

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
        before = self.host + waits if cost.host_waits else self.host
        host = self.add(label + HOST_PART, NodeKind.DISPATCH, cost.host_ps, before, parts=((label, cost.host_ps),))
        self.host = (host,)
        exposed = self.add(f"{label}: exposed", NodeKind.DISPATCH, cost.exposed_ps, (host, *waits), parts=((label, cost.exposed_ps),))
        return self._gap(region, cost.gap_ps, exposed)

    def launch(self, region: RegionPlan, waits: tuple[int, ...], holds: int, pools: tuple[int, ...] = (1,)) -> Side:
        """Dispatch a persistent launch behind *waits* and append its entry."""
        return self.open(region, self.dispatch(region, region.entry.cost, waits), holds, pools)

    def open(self, region: RegionPlan, after: int, holds: int, pools: tuple[int, ...] = (1,)) -> Side:
        """Declare a persistent launch and append its entry behind *after*."""
        # Only a cooperative launch is all or nothing; an ordinary persistent one takes CTAs piecemeal and may deadlock.
        admission = Admission.COOPERATIVE if region.entry.cooperative else Admission.ORDINARY
        launch = self.graph.launch(HeldLaunch(region.name, holds, pools, admission))
        return Side(launch, self.add(f"entry of {region.name}", NodeKind.ENTRY, 0, (after,), launch=launch))

    def close(self, side: Side, name: str, *last: int) -> int:
        """Append the release of a launch behind its last tasks."""
        return self.add(f"release of {name}", NodeKind.RELEASE, 0, last, launch=side.launch, release_of=side.launch)

    def task(self, group: str, service: Service, after: tuple[int, ...], side: Side | None) -> int:
        """Append one timed service."""
        demand = (
            0 if service.hbm_bytes is None else demand_of(service.hbm_bytes, service.duration_ps, self.composition.bandwidth_bytes_per_s)
        )
        launch, pool = (side.launch, side.pool) if side else (None, 0)
        parts = ((group, service.duration_ps),)
        return self.add(service.label, NodeKind.TASK, service.duration_ps, after, demand=demand, launch=launch, pool=pool, parts=parts)

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

    def serial(self, blocks: Sequence[Runs]) -> None:
        """Append launches that run one after the other on the whole device."""
        if not any(block.runs for block in blocks):
            return
        if self.is_full:
            for block in blocks:
                for run in block.each_run():
                    self._serial_run(run)
        else:
            self._folded(blocks)

    def _folded(self, blocks: Sequence[Runs]) -> None:
        if self.serialized:
            total = Parts.of("all before the overlap", additive_ps(blocks))
            self.device = (self.alone("serial stretch", total, (), None),)
            return
        # From (0, 0): when the host is free and when the device is, each with what it is made of.
        host, device = advance((Parts(), Parts()), blocks_matrix(blocks, Parts.of))
        self.host = (self.add("host of the serial stretch", NodeKind.DISPATCH, host.total_ps, (), parts=host.parts),)
        self.device = (self.alone("serial stretch", device, (), None),)

    def _serial_run(self, run: Run) -> None:
        if run.region.persistent:
            self._persistent_run(run)
            return
        for launched in run.each_launch():
            self._kernels(run.region, launched)

    def _persistent_run(self, run: Run) -> None:
        side = self.launch(run.region, self.device, self.composition.capacity.total)
        last = side.after
        for section in run.sections:
            last = self.beside(Stretch((section,)), side, last, None)
        self.device = (self.close(side, run.region.name, last),)

    def _kernels(self, region: RegionPlan, launched: Launched) -> None:
        """Append one launch of conventional kernels, each behind its gap."""
        last = self.dispatch(region, launched.cost, self.device)
        for section in launched.sections:
            for group, service in Stretch((section,)).services():
                last = self._gap(region, service.launches * service.dispatch.gap_ps, last)
                last = self.task(group, service, (last,), None)
        self.device = (last,)

    def _gap(self, region: RegionPlan, gap_ps: int, after: int) -> int:
        label = gaps_of(region)
        return self.add(label, NodeKind.DISPATCH, gap_ps, (after,), parts=((label, gap_ps),)) if gap_ps else after


def dispatch_ps(*regions: RegionPlan) -> int:
    """Return what one launch of each region costs in all."""
    return sum(region.entry.cost.total_ps for region in regions)


def on_its_side(composition: Composition, groups: Sequence[str]) -> Stretch:
    """Return one occurrence of each group on its side of the split."""
    return Stretch((Section(composition.works_of(groups, Phase.SPLIT)),))


def first_chunk(composition: Composition) -> Stretch:
    """Return what of the first chunk runs until it is published."""
    return on_its_side(composition, composition.awaited(composition.consumers))


def steps_of(composition: Composition, count: int, *, ends: bool) -> Stretch:
    """Return *count* steps of the producers on their side of the split; *ends* where the last of them is the last before publication."""
    (step,) = on_its_side(composition, composition.producers).sections
    (last,) = on_its_side(composition, composition.awaited(composition.producers)).sections if ends else (step,)
    if not count or step == last:
        return Stretch((replace(step, repeat=count),))
    return Stretch((replace(step, repeat=count - 1), last))


def _lower_serial(writer: Writer) -> int:
    writer.serial(publication_blocks(writer.composition))
    return writer.publish(*writer.device)


def _lower_fixed(writer: Writer) -> int:
    """Both sides are resident from the start of production, after a separate admission region has ended."""
    composition = writer.composition
    producer = composition.region_of(composition.producers[0])
    consumer = composition.region_of(composition.consumers[0])
    writer.before_split(serial_blocks(composition, admission=separate_admission(composition), steps=0, chunk=()))
    makes, takes = _open_fixed(writer, producer, consumer)
    inside = tuple(group for group in composition.admission if group in producer.groups)
    admitted = writer.solo(on_its_side(composition, inside), makes, makes.after)
    schedule = composition.schedule
    steps = steps_of(composition, schedule.ready_step, ends=schedule.horizon_step == schedule.ready_step)
    # Nothing is beside the producers before step r: the consumer is resident already, and waits for its first chunk.
    ready = writer.solo(steps, makes, admitted)
    made, taken = _overlap(writer, replace(makes, after=ready), takes, (takes.after, ready), dispatch_ps(producer, consumer))
    if makes.launch == takes.launch:
        writer.close(makes, producer.name, made, taken)
    else:
        writer.close(makes, producer.name, made)
        writer.close(takes, consumer.name, taken)
    return writer.publish_both(made, taken)


def _open_fixed(writer: Writer, producer: RegionPlan, consumer: RegionPlan) -> tuple[Side, Side]:
    capacity, device = writer.composition.capacity, writer.device
    if producer == consumer:
        # One launch, two pools: X and Y of the same grid, which neither lends the other.
        both = writer.launch(producer, device, capacity.producer + capacity.consumer, (1, 1))
        return both, Side(both.launch, both.after, pool=1)
    makes = writer.launch(producer, device, capacity.producer)
    return makes, writer.launch(consumer, device, capacity.consumer)


def _overlap(writer: Writer, makes: Side, takes: Side, chunk_after: tuple[int, ...], lag_ps: int) -> tuple[int, int]:
    """Append steps r+1..h on one side and the first chunk on the other; return the last task of each.

    *lag_ps* bounds how much later one side begins than the other.
    """
    composition = writer.composition
    schedule = composition.schedule
    tail = steps_of(composition, schedule.horizon_step - schedule.ready_step, ends=True)
    chunk = first_chunk(composition)
    # Twofold is the most that two tasks of demand at most B slow each other: min(1, B / (Q1 + Q2)) is at least 1/2.
    made = writer.beside(tail, makes, makes.after, lag_ps + 2 * chunk.service_ps)
    # A node of the consumer's launch: the chunk begins when it is due and the launch is admitted, whichever is later.
    begin = writer.add("chunk ready", NodeKind.CONTROL, 0, chunk_after, launch=takes.launch, pool=takes.pool)
    return made, writer.beside(chunk, takes, begin, lag_ps + 2 * tail.service_ps)


def _lower_dynamic(writer: Writer) -> int:
    """The producer has the whole device until step r; then the same entry goes on beside the consumer."""
    composition = writer.composition
    schedule = composition.schedule
    producer = composition.region_of(composition.producers[0])
    consumer = composition.region_of(composition.consumers[0])
    writer.before_split(ready_blocks(composition))
    ready = writer.device
    # h = r: nothing is left to produce beside the chunk, and an empty launch would cost its dispatch for nothing.
    tail = producer.entry.launched_steps(schedule.horizon_step - schedule.ready_step)
    if not tail:
        takes = writer.launch(consumer, ready, composition.capacity.consumer)
        taken = writer.beside(first_chunk(composition), takes, takes.after, None)
        writer.close(takes, consumer.name, taken)
        return writer.publish(taken)
    if not producer.loops:
        return _relaunched_tail(writer, producer, consumer, tail)
    makes = writer.launch(producer, ready, composition.capacity.producer)
    takes = writer.launch(consumer, ready, composition.capacity.consumer)
    made, taken = _overlap(writer, makes, takes, (takes.after,), dispatch_ps(producer, consumer))
    writer.close(makes, producer.name, made)
    writer.close(takes, consumer.name, taken)
    return writer.publish_both(made, taken)


def _relaunched_tail(writer: Writer, producer: RegionPlan, consumer: RegionPlan, tail: Sequence[int]) -> int:
    """Launch a producer that does not loop on the device again for each further step, the consumer after the first."""
    composition = writer.composition
    ready = writer.device
    # Each launch ends with its step, so the next one waits for its release; the host launches the consumer behind the first.
    (made,) = ready
    taken = made
    for index, count in enumerate(tail):
        step = steps_of(composition, count, ends=index == len(tail) - 1)
        side = writer.launch(producer, (made,), composition.capacity.producer)
        made = writer.close(side, producer.name, writer.beside(step, side, side.after, None))
        if not index:
            takes = writer.launch(consumer, ready, composition.capacity.consumer)
            taken = writer.beside(first_chunk(composition), takes, takes.after, None)
            writer.close(takes, consumer.name, taken)
    return writer.publish_both(made, taken)
