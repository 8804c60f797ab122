"""The kernels of an Nsight Systems export: one row each, also for those that a CUDA graph replayed at node level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from operator import attrgetter
from typing import Any, NamedTuple

from ..execution import Dim3, GraphNode, Kernel, KernelShape, Site
from .calls import KERNELS, AtLaunches
from .database import Database
from .gpus import SITE, Sites
from .graphs import NodeKey

_GRAPH = ("graphId", "graphNodeId")
_NAMES = ("demangledName", "mangledName", "shortName")
_NUMBERS = (
    *("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "clusterX", "clusterY", "clusterZ"),
    *("registersPerThread", "staticSharedMemory", "dynamicSharedMemory"),
)
_OWN = ("rowid", "start", "end", "correlationId")
_SHARED = (*SITE, *_GRAPH, *_NAMES, *_NUMBERS)


@dataclass(frozen=True, slots=True)
class Launches:
    """What the host says about the kernels: each launch call with its ranges, and the node that each replayed node was captured as."""

    calls: Mapping[int | None, AtLaunches]
    captured: Mapping[NodeKey, int]

    def process(self, stated: int | None) -> int | None:
        """Return the process to look a kernel up with; the only one that launched anything stands in for one that is not stated."""
        return next(iter(self.calls)) if stated is None and len(self.calls) == 1 else stated

    def node(self, process: int | None, graph: int | None, node: int | None) -> GraphNode | None:
        """Return the captured node of a kernel; None where it was not replayed, which newer exports write as 0."""
        captured = self.captured.get((process, node), node) if node else None
        return GraphNode(graph or None, captured) if graph or captured else None


@dataclass(frozen=True, slots=True)
class KernelRows:
    """The kernels in order of start; *unmatched* counts those without a launch call, *untimed* those left out as they have no times."""

    kernels: tuple[Kernel, ...]
    unmatched: int
    untimed: int


def kernel_rows(database: Database, sites: Sites, launches: Launches) -> KernelRows:
    """Return every kernel of *database*; copies and fills are none."""
    kernels: list[Kernel] = []
    untimed = unmatched = 0
    kinds = _Kinds(database, sites, launches)
    for cells in database.select(KERNELS, (*_OWN, *_SHARED)):
        row, start, end, correlation = cells[: len(_OWN)]
        interval = database.interval_ps(KERNELS, row, start, end)
        if interval is None:
            untimed += 1
            continue
        start_ps, duration_ps = interval
        number = database.whole(KERNELS, row, "correlationId", correlation)
        shape, site, node, launches_of = kinds.of(row, cells[len(_OWN) :])
        at_launch = launches_of.get(number)
        if at_launch is None:
            unmatched += 1
        ranges, call = at_launch or ((), None)
        kernels.append(Kernel(shape, site, start_ps, duration_ps, row, number, node, ranges, call=call))
    kernels.sort(key=attrgetter("start_ps"))
    return KernelRows(tuple(kernels), unmatched, untimed)


class _Kind(NamedTuple):
    """What all kernels with the same cells share; *launches* are the launch calls of their process."""

    shape: KernelShape
    site: Site
    node: GraphNode | None
    launches: AtLaunches


class _Kinds:
    """The kinds of kernels, one object for each."""

    def __init__(self, database: Database, sites: Sites, launches: Launches) -> None:
        self._database = database
        self._sites = sites
        self._launches = launches
        self._known: dict[tuple[Any, ...], _Kind] = {}
        self._shapes: dict[KernelShape, KernelShape] = {}
        self._nodes: dict[GraphNode | None, GraphNode | None] = {}

    def of(self, row: int, cells: tuple[Any, ...]) -> _Kind:
        """Return what the _SHARED *cells* of a row describe."""
        return self._known.get(cells) or self._known.setdefault(cells, self._kind(row, cells))

    def _kind(self, row: int, cells: tuple[Any, ...]) -> _Kind:
        named = dict(zip(_SHARED, cells, strict=True))
        site = self._sites.at(KERNELS, row, tuple(named[column] for column in SITE))
        process = self._launches.process(site.process)
        node = self._launches.node(process, *self._numbers(row, _GRAPH, named))
        shape = _shape(self._name(row, named), self._numbers(row, _NUMBERS, named))
        calls = self._launches.calls.get(process, {})
        return _Kind(self._shapes.setdefault(shape, shape), site, self._nodes.setdefault(node, node), calls)

    def _numbers(self, row: int, columns: tuple[str, ...], named: Mapping[str, Any]) -> list[int | None]:
        return [self._database.whole(KERNELS, row, column, named[column]) for column in columns]

    def _name(self, row: int, named: Mapping[str, Any]) -> str:
        # The short name comes last: one stands for many kernels.
        name = next(filter(None, (self._database.string(named[column]) for column in _NAMES)), None)
        if name is None:
            raise self._database.refused(
                f"{KERNELS} row {row}: the kernel's name is not in StringIds; export the report again, with all tables"
            )
        return name


def _shape(name: str, numbers: list[int | None]) -> KernelShape:
    grid, block, cluster = (_dim3(*numbers[at : at + 3]) for at in (0, 3, 6))
    registers, static_bytes, dynamic_bytes = numbers[9:]
    return KernelShape(
        name=name,
        grid=grid,
        block=block,
        registers=registers or None,
        static_shared_bytes=static_bytes,
        dynamic_shared_bytes=dynamic_bytes,
        shared_bytes=None if static_bytes is None or dynamic_bytes is None else static_bytes + dynamic_bytes,
        cluster_ctas=None if cluster is None else prod(cluster),
    )


def _dim3(x: int | None, y: int | None, z: int | None) -> Dim3 | None:
    return (x, y, z) if x and y and z else None
