"""A composition: one candidate with its evidence, reduced to what an event graph needs.

The solver builds it from a candidate, its entries and their service records; nothing here knows a file or a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ..plan.launches import Launching, Persistent
from ..plan.sharing import Phase, Sharing
from ..plan.works import Repeated, Work


@dataclass(frozen=True, slots=True)
class RegionPlan:
    """A region ready to lower: what it runs, and how it reaches the device; *sms* is what each of its launches holds beside others."""

    name: str
    groups: tuple[str, ...]
    launching: Launching
    sms: int | None = None

    @property
    def persistent(self) -> bool:
        """Whether the region is one persistent launch."""
        return isinstance(self.launching, Persistent)

    @property
    def loops(self) -> bool:
        """Whether one launch of the region goes on over the steps."""
        return isinstance(self.launching, Persistent) and self.launching.loops

    def is_inside(self, block: RepeatPlan | None) -> bool:
        """Whether each repeat of *block* has occurrences of the region of its own: of a part of it, or of one that is launched for each."""
        if block is None or not {*self.groups} <= {*block.groups}:
            return False
        return len(self.groups) < len(block.groups) or (isinstance(self.launching, Persistent) and not self.launching.repeats)

    @property
    def entry(self) -> Persistent:
        """The persistent launch of the region.

        Raises
        ------
        TypeError
            The region has no such launch.
        """
        if not isinstance(self.launching, Persistent):
            raise TypeError(f"{self.name} is no persistent launch")
        return self.launching


@dataclass(frozen=True, slots=True)
class RepeatPlan:
    """A block of the step: *groups* of one role, in order, *times* times before what follows them."""

    groups: tuple[str, ...]
    times: int


@dataclass(frozen=True, slots=True)
class Capacity:
    """What launches hold, in units of the placement that the result states (SMs, or half SMs when two entries share SMs)."""

    total: int
    producer: int
    consumer: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """When the first output may be published, in producer steps.

    *ready_step* r and *horizon_step* h as in the paper; *publication* names the group that the first output waits for
    where there is no consumer. *cycle_steps* is how many steps one steady cycle has, *length_steps* how many the utterance has;
    None where nobody knows.
    """

    ready_step: int
    horizon_step: int
    publication: str | None = None
    cycle_steps: int = 1
    length_steps: int | None = None


MAIN, CONSUMERS = "main", "consumers"


@dataclass(frozen=True, slots=True)
class SecondStream:
    """How the consumers on a stream of their own stand to the producers.

    With *waits_for_stream* the chunk waits for the whole next step. Of what becomes ready at one instant the consumers' goes first, or
    with *producers_first* that of the producers. With *own_host* another thread of the host issues their launches.
    """

    waits_for_stream: bool = False
    producers_first: bool = False
    own_host: bool = False


@dataclass(frozen=True, slots=True)
class Composition:
    """Everything that decides a score: regions in order, who plays which role, works by group and phase, and capacities.

    The groups of each role stand in the order in which they run; those of *unawaited* do not run where the first publication would
    wait for them, in the last step and in the first chunk. A work is what a group runs in one repeat of the block that it is in.
    *apart* has the pairs of groups of one role that may run beside each other, as no path of edges joins them.
    """

    regions: tuple[RegionPlan, ...]
    admission: tuple[str, ...]
    producers: tuple[str, ...]
    consumers: tuple[str, ...]
    schedule: Schedule
    sharing: Sharing
    works: Mapping[tuple[str, Phase], Work]
    capacity: Capacity
    bandwidth_bytes_per_s: int
    unawaited: frozenset[str] = frozenset()
    repeats: tuple[RepeatPlan, ...] = ()
    second_stream: SecondStream = SecondStream()
    apart: frozenset[tuple[str, str]] = frozenset()

    def are_joined(self, one: RegionPlan, other: RegionPlan) -> bool:
        """Whether a path of edges leads from one region of a role to the other, so that the one waits for the other."""
        return any((first, second) not in self.apart for first in one.groups for second in other.groups)

    def thread_of(self, groups: Sequence[str]) -> str:
        """Return the thread of the host that issues the launches of *groups*, which are of one region or one role."""
        is_apart = self.second_stream.own_host and not {*groups}.isdisjoint(self.consumers)
        return CONSUMERS if is_apart else MAIN

    @property
    def threads_ahead(self) -> frozenset[str]:
        """The threads of the host that no launch lets wait for the device, so that they run ahead of it."""
        return frozenset((MAIN, CONSUMERS)) - {self.thread_of(region.groups) for region in self.regions if self._waits(region)}

    def _waits(self, region: RegionPlan) -> bool:
        if region.persistent:
            return region.entry.cost.host_waits
        services = (one for (group, _), work in self.works.items() if group in region.groups for one in work.services)
        return any(service.dispatch.host_waits for service in services)

    @property
    def chunk_waits_for(self) -> int:
        """The step of the producers' stream that the first chunk on the second stream waits for."""
        return self.schedule.ready_step + self.second_stream.waits_for_stream

    @property
    def beside(self) -> Composition:
        """The same where what runs on the whole device runs beside the other stream."""
        works = {(group, Phase.WHOLE): work for (group, phase), work in self.works.items() if phase is Phase.STREAM}
        return replace(self, works={**self.works, **works})

    def awaited(self, groups: Sequence[str]) -> tuple[str, ...]:
        """Return those of the *groups* of one role that run until the first publication when they run for the last time."""
        return awaited(groups, self.schedule.publication, self.unawaited, self.repeats)

    def repeat_of(self, group: str) -> RepeatPlan | None:
        """The block that *group* is in."""
        return repeat_of(self.repeats, group)

    @property
    def separate_admission(self) -> tuple[str, ...]:
        """The admission groups that run before, and apart from, the launch that holds the producers."""
        producer = self.region_of(self.producers[0])
        return tuple(group for group in self.admission if group not in producer.groups or not producer.persistent)

    @property
    def stays(self) -> bool:
        """Whether one launch holds all producers and goes on over their steps."""
        producer = self.region_of(self.producers[0])
        is_whole = {*self.producers} <= {*producer.groups} and not producer.is_inside(self.repeat_of(self.producers[0]))
        return is_whole and producer.loops

    @property
    def side_phase(self) -> Phase:
        """The phase in which the groups of a side run."""
        return {Sharing.PARTITION: Phase.PARTITION, Sharing.STREAMS: Phase.STREAM}.get(self.sharing, Phase.SPLIT)

    def phase_of(self, group: str) -> Phase:
        """The phase in which *group* runs where launches follow each other: on the whole device, or on its partition."""
        is_apart = self.sharing is Sharing.PARTITION and group not in self.separate_admission
        return Phase.PARTITION if is_apart else Phase.WHOLE

    def works_of(self, groups: Sequence[str], phase: Phase) -> tuple[Work | Repeated, ...]:
        """Return one occurrence of *groups*, which follow each other; blocks are whole."""
        return occurring(groups, lambda group: self.works[group, phase], self.repeats)

    def region_of(self, group: str) -> RegionPlan:
        """The region that runs *group*."""
        return next(region for region in self.regions if group in region.groups)


def repeat_of(repeats: Sequence[RepeatPlan], group: str) -> RepeatPlan | None:
    """Return the block that *group* is in."""
    return next((block for block in repeats if group in block.groups), None)


def occurring(groups: Sequence[str], work: Callable[[str], Work], repeats: Sequence[RepeatPlan]) -> tuple[Work | Repeated, ...]:
    """Return one occurrence of *groups*, which follow each other; blocks are whole."""
    found: list[Work | Repeated] = []
    for block, members in groupby(groups, key=lambda group: repeat_of(repeats, group)):
        works = tuple(map(work, members))
        found += works if block is None else (Repeated(works, block.times),)
    return tuple(found)


def awaited(
    groups: Sequence[str], publication: str | None, unawaited: frozenset[str], repeats: Sequence[RepeatPlan] = ()
) -> tuple[str, ...]:
    """Return those of the *groups* of one role that run until the first publication when they run for the last time.

    These are all up to the group that it waits for, where it names one, but for the *unawaited*. A block counts as one group: what is
    behind another group in one repeat is ahead of it in the next.
    """
    block = repeat_of(repeats, publication) if publication else None
    ends = block.groups if block else (publication,)
    last = max((place for place, group in enumerate(groups, start=1) if group in ends), default=len(groups))
    return tuple(group for group in groups[:last] if group not in unawaited)
