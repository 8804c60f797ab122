"""A composition: one candidate with its evidence, reduced to what an event graph needs.

The solver builds it from a candidate, its entries and their service records; nothing here knows a file or a rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Phase(Enum):
    """Under which budget a group runs: on the WHOLE device or on its side of a SPLIT."""

    WHOLE = "whole"
    SPLIT = "split"


@dataclass(frozen=True, slots=True)
class Service:
    """One timed piece of a call: the whole call, or one kernel of it.

    *launches* is how many kernels it stands for, and *gap_ps* the gap before each of them where a graph replays them.
    *hbm_bytes* is None where nobody knows it; such a service may only run with nothing beside it.
    """

    label: str
    duration_ps: int
    hbm_bytes: int | None
    launches: int = 1
    gap_ps: int = 0


@dataclass(frozen=True, slots=True)
class Work:
    """One occurrence of a group: *calls* times the services of one call, in order."""

    group: str
    calls: int
    services: tuple[Service, ...]

    @property
    def service_ps(self) -> int:
        """The standalone time of the occurrence without gaps and launches."""
        return self.calls * sum(service.duration_ps for service in self.services)

    @property
    def gaps_ps(self) -> int:
        """The gaps before the kernels of the occurrence."""
        return self.calls * sum(service.launches * service.gap_ps for service in self.services)

    @property
    def launches(self) -> int:
        """The kernels of the occurrence."""
        return self.calls * sum(service.launches for service in self.services)


class CostKind(Enum):
    """How a region reaches the device: one launch per kernel, one graph per occurrence, or one persistent launch."""

    STREAM = "stream"
    GRAPH = "graph"
    COOPERATIVE = "cooperative"


@dataclass(frozen=True, slots=True)
class DispatchCost:
    """What one launch costs. With *host_waits* the host part starts only when what the launch waits for is done."""

    kind: CostKind
    host_ps: int
    exposed_ps: int
    host_waits: bool


@dataclass(frozen=True, slots=True)
class RegionPlan:
    """A region ready to lower.

    A *persistent* one that *loops* keeps one launch over all consecutive steps that it holds whole; otherwise it is
    launched again for each step.
    """

    name: str
    groups: tuple[str, ...]
    persistent: bool
    dispatch: DispatchCost
    loops: bool = True
    cooperative: bool = True

    @property
    def is_streamed(self) -> bool:
        """Whether each kernel of the region is a launch of its own."""
        return not self.persistent and self.dispatch.kind is CostKind.STREAM


class Sharing(Enum):
    """How the regions share the GPU."""

    SERIAL = "serial"
    FIXED = "fixed"
    DYNAMIC = "dynamic"


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
    where there is no consumer. *cycle_steps* is how many steps one steady cycle has.
    """

    ready_step: int
    horizon_step: int
    publication: str | None = None
    cycle_steps: int = 1


@dataclass(frozen=True, slots=True)
class Composition:
    """Everything that decides a score: regions in order, who plays which role, works by group and phase, and capacities."""

    regions: tuple[RegionPlan, ...]
    admission: tuple[str, ...]
    producers: tuple[str, ...]
    consumers: tuple[str, ...]
    schedule: Schedule
    sharing: Sharing
    works: Mapping[tuple[str, Phase], Work]
    capacity: Capacity
    bandwidth_bytes_per_s: int

    def region_of(self, group: str) -> RegionPlan:
        """The region that runs *group*."""
        return next(region for region in self.regions if group in region.groups)
