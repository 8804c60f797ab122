"""Covers: every partition of the groups into regions that can run one after the other, each with a backend (paper, section IV-A)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from megasolve.contracts import region_sets

from .cover import Backend, Cover, Region
from .region_graph import RegionGraph, chain

Opened = tuple[tuple[Backend, int], ...]


def covers(groups: Sequence[str]) -> Iterator[Cover]:
    """Yield every cover of a chain of *groups* in a fixed order; there are ``2 * 3 ** (len(groups) - 1)``."""
    yield from covers_of(chain(groups))


def covers_of(graph: RegionGraph) -> Iterator[Cover]:
    """Yield every cover of *graph* once.

    Group by group, in the order of the spec: each joins a region that is there, the youngest first, or opens one, conventional first.
    """
    yield from _Growing(graph).grown((), 0)


@dataclass(slots=True)
class _Growing:
    """Grows covers group by group; regions that none can come of are given up at once."""

    graph: RegionGraph
    parts: list[frozenset[int]] = field(init=False)

    def __post_init__(self) -> None:
        masks = region_sets(self.graph.dependences)
        # What regions look like as far as the groups up to each place: what is none of these becomes no region any more.
        self.parts = [frozenset(mask & (2 << place) - 1 for mask in masks) for place in range(len(self.graph.groups))]

    def grown(self, opened: Opened, place: int) -> Iterator[Cover]:
        """Yield the covers that *opened*, the regions of the groups before *place*, can become."""
        if place == len(self.graph.groups):
            yield from self._cover(opened)
            return
        for more in _with(opened, 1 << place):
            if all(mask in self.parts[place] for _, mask in more):
                yield from self.grown(more, place + 1)

    def _cover(self, opened: Opened) -> Iterator[Cover]:
        backends = {self.graph.dependences.names(mask): backend for backend, mask in opened}
        if (ordered := self.graph.in_order(backends)) is not None:
            yield Cover(tuple(Region(backends[groups], groups) for groups in ordered))


def _with(opened: Opened, group: int) -> Iterator[Opened]:
    for index in reversed(range(len(opened))):
        backend, mask = opened[index]
        yield (*opened[:index], (backend, mask | group), *opened[index + 1 :])
    for backend in Backend:
        yield (*opened, (backend, group))
