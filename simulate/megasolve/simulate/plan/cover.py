"""Covers: ordered partitions of the groups into regions, each with a backend (paper, section IV-A)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum


class Backend(Enum):
    """What runs a region; the value is its letter in a candidate's id."""

    CONVENTIONAL = "c"
    MEGAKERNEL = "m"


@dataclass(frozen=True, slots=True)
class Region:
    """Contiguous groups that one backend runs."""

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
    """Regions in the order of the groups that they partition."""

    regions: tuple[Region, ...]

    def __str__(self) -> str:
        return "/".join(map(str, self.regions))

    def region_of(self, group: str) -> Region:
        """The region that runs *group*."""
        return next(region for region in self.regions if group in region.groups)

    def extended_by(self, group: str) -> Iterator[Cover]:
        """Yield the covers that *group* makes of this one: it joins the last region or opens one with either backend."""
        *before, last = self.regions
        yield Cover((*before, Region(last.backend, (*last.groups, group))))
        for backend in Backend:
            yield Cover((*self.regions, Region(backend, (group,))))


def covers(groups: Sequence[str]) -> Iterator[Cover]:
    """Yield every cover of *groups* in a fixed order; there are ``2 * 3 ** (len(groups) - 1)``."""
    first, *rest = groups
    partial = [Cover((Region(backend, (first,)),)) for backend in Backend]
    for group in rest:
        partial = [grown for cover in partial for grown in cover.extended_by(group)]
    yield from partial
