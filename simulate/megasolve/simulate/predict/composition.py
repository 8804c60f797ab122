"""A composition: one candidate with its evidence, reduced to what an event graph needs.

The solver builds it from a candidate, its entries and their service records; nothing here knows a file or a rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..plan.launches import Launching, Persistent
from ..plan.sharing import Phase, Sharing
from ..plan.works import Work


@dataclass(frozen=True, slots=True)
class RegionPlan:
    """A region ready to lower: what it runs, and how it reaches the device."""

    name: str
    groups: tuple[str, ...]
    launching: Launching

    @property
    def persistent(self) -> bool:
        """Whether the region is one persistent launch."""
        return isinstance(self.launching, Persistent)

    @property
    def loops(self) -> bool:
        """Whether one launch of the region goes on over the steps."""
        return isinstance(self.launching, Persistent) and self.launching.loops

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
