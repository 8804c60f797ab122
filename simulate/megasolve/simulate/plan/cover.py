"""A cover: an ordered partition of the groups into regions, each with a backend (paper, section IV-A)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Backend(Enum):
    """What runs a region; the value is its letter in a candidate's id."""

    CONVENTIONAL = "c"
    MEGAKERNEL = "m"


@dataclass(frozen=True, slots=True)
class Region:
    """Groups that one backend runs, connected and convex in the region graph; in the order of the spec."""

    backend: Backend
    groups: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.backend.value}:{'+'.join(self.groups)}"

    @property
    def is_megakernel(self) -> bool:
        """Whether the region is one persistent launch."""
        return self.backend is Backend.MEGAKERNEL


@dataclass(frozen=True, slots=True)
class Cover:
    """Regions in the order in which they run."""

    regions: tuple[Region, ...]

    def __str__(self) -> str:
        return "/".join(map(str, self.regions))

    def region_of(self, group: str) -> Region:
        """The region that runs *group*."""
        return next(region for region in self.regions if group in region.groups)
