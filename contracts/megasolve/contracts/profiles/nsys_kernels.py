"""The kernels of an Nsight Systems export: one row each, also for those that a CUDA graph replayed at node level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from operator import attrgetter
from typing import Any

from .execution import Dim3, GraphNode, Kernel, KernelShape, Span
from .nsys_calls import KERNELS, LaunchKey
from .nsys_database import Database
from .nsys_gpus import SITE, Sites
from .nsys_graphs import NodeKey

_NAMES = ("demangledName", "mangledName", "shortName")
_NUMBERS = (
    *("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "clusterX", "clusterY", "clusterZ"),
    *("registersPerThread", "staticSharedMemory", "dynamicSharedMemory"),
)
_COLUMNS = ("rowid", "start", "end", "correlationId", "graphId", "graphNodeId", *SITE, *_NAMES, *_NUMBERS)
_SITE_ENDS = 6 + len(SITE)


@dataclass(frozen=True, slots=True)
class Launches:
    """What the host says about the kernels: the ranges around each launch call, and the node that each replayed node was captured as.

    *sole_process* stands in for the process of kernels that do not say theirs, where the calls know only one.
    """

    ranges: Mapping[LaunchKey, tuple[Span, ...]]
    captured: Mapping[NodeKey, int]
    sole_process: int | None

    def process(self, stated: int | None) -> int | None:
        """Return the process to look a kernel up with."""
        return self.sole_process if stated is None else stated

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
    shapes = _Shapes(database)
    nodes: dict[tuple[Any, ...], GraphNode | None] = {}
    for cells in database.select(KERNELS, _COLUMNS):
        row, start, end, correlation, graph, node = cells[:6]
        correlation = database.whole(KERNELS, row, "correlationId", correlation)
        interval = database.interval_ps(KERNELS, row, start, end)
        if interval is None:
            untimed += 1
            continue
        site = sites.at(KERNELS, row, cells[6:_SITE_ENDS])
        process = launches.process(site.process)
        ranges = launches.ranges.get((process, correlation))
        unmatched += ranges is None
        replayed = (process, graph, node)
        if replayed not in nodes:
            numbers = (database.whole(KERNELS, row, *cell) for cell in (("graphId", graph), ("graphNodeId", node)))
            nodes[replayed] = launches.node(process, *numbers)
        shape = shapes.of(row, cells[_SITE_ENDS:])
        kernels.append(Kernel(shape, site, *interval, row, correlation, nodes[replayed], ranges or ()))
    kernels.sort(key=attrgetter("start_ps"))
    return KernelRows(tuple(kernels), unmatched, untimed)


class _Shapes:
    """The shapes of kernels, one object for each."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._by_cells: dict[tuple[Any, ...], KernelShape] = {}
        self._shapes: dict[KernelShape, KernelShape] = {}

    def of(self, row: int, cells: tuple[Any, ...]) -> KernelShape:
        """Return the shape that the cells of a row describe."""
        return self._by_cells.get(cells) or self._by_cells.setdefault(cells, self._shape(row, cells))

    def _shape(self, row: int, cells: tuple[Any, ...]) -> KernelShape:
        numbers = [self._database.whole(KERNELS, row, *named) for named in zip(_NUMBERS, cells[len(_NAMES) :], strict=True)]
        grid, block, cluster = (_dim3(*numbers[at : at + 3]) for at in (0, 3, 6))
        registers, static_bytes, dynamic_bytes = numbers[9:]
        shape = KernelShape(
            name=self._name(row, cells[: len(_NAMES)]),
            grid=grid,
            block=block,
            registers=registers,
            static_shared_bytes=static_bytes,
            dynamic_shared_bytes=dynamic_bytes,
            shared_bytes=None if static_bytes is None or dynamic_bytes is None else static_bytes + dynamic_bytes,
            cluster_ctas=None if cluster is None else prod(cluster),
        )
        return self._shapes.setdefault(shape, shape)

    def _name(self, row: int, numbers: tuple[Any, ...]) -> str:
        # The short name comes last: one stands for many kernels.
        name = next(filter(None, map(self._database.string, numbers)), None)
        if name is None:
            raise self._database.refused(
                f"{KERNELS} row {row}: the kernel's name is not in StringIds; export the report again, with all tables"
            )
        return name


def _dim3(x: int | None, y: int | None, z: int | None) -> Dim3 | None:
    return (x, y, z) if x and y and z else None
