"""An event graph as the plain lists that the engine's loop reads, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from megasolve.contracts.model.errors import MegasolveError

from .arithmetic import EXACT, Arithmetic, Time
from .graph import EventGraph, HeldLaunch, KernelGrid, Node, NodeKind

OPEN_POOL = 0
MAX_SCALE_BITS = 256


class GraphError(MegasolveError, ValueError):
    """An event graph that means nothing: an index out of range, a negative time, a node that outlives its launch."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The lists of one graph in one arithmetic.

    Behind the nodes stands one extra entry per launch: the return of its CTAs, a successor of its release node. Pool 0 is
    always open and unlimited; it serves nodes without a launch, and release nodes. Each launch then has its own pools and
    one unlimited pool for its nodes that are not tasks. Demands are scaled by *demand_scale*, to ints where that is cheap.
    """

    arithmetic: Arithmetic
    work: list[Time]
    demand: list[Time]
    bandwidth: Time
    demand_scale: Fraction
    successors: list[list[int]]
    missing: list[int]
    pool_of: list[int]
    slots: list[int]
    launch_of_pool: list[int]
    pools_of: list[range]


def tables_of(graph: EventGraph, arithmetic: Arithmetic = EXACT) -> Tables:
    """Check *graph* and lay it out for the loop.

    Raises
    ------
    GraphError
        If an index is out of range, or a duration, a demand or a capacity is negative.
    """
    _check(graph)
    demands = [node.demand for node in graph.nodes]
    scale = _demand_scale({*demands, graph.bandwidth_bytes_per_s}) if arithmetic is EXACT else Fraction(1)
    scaled = {demand: arithmetic.number(demand * scale) for demand in set(demands)}
    zeros: list[Time] = [0] * len(graph.launches)
    pools_of, slots, launch_of_pool = _pools(graph)
    successors, missing = _edges(graph)
    return Tables(
        arithmetic=arithmetic,
        work=[*_works(graph, arithmetic), *zeros],
        demand=[*(scaled[demand] for demand in demands), *zeros],
        bandwidth=arithmetic.number(graph.bandwidth_bytes_per_s * scale),
        demand_scale=scale,
        successors=successors,
        missing=missing,
        pool_of=_pool_of_nodes(graph, pools_of),
        slots=slots,
        launch_of_pool=launch_of_pool,
        pools_of=pools_of,
    )


def _works(graph: EventGraph, arithmetic: Arithmetic) -> list[Time]:
    if arithmetic is EXACT:
        return [node.duration_ps for node in graph.nodes]
    return [float(node.duration_ps) for node in graph.nodes]


def _demand_scale(demands: set[int | Fraction]) -> Fraction:
    """Return a factor that makes all demands small ints, or 1 where their common denominator is huge.

    Rates are ratios of demands, so a common factor changes nothing but the cost of the sums.
    """
    denominator = lcm(*(demand.denominator for demand in demands))
    if denominator.bit_length() > MAX_SCALE_BITS:
        return Fraction(1)
    return Fraction(denominator, gcd(*(int(demand * denominator) for demand in demands)) or 1)


def _edges(graph: EventGraph) -> tuple[list[list[int]], list[int]]:
    count = len(graph.nodes)
    successors: list[list[int]] = [[] for _ in range(count + len(graph.launches))]
    for index, before in enumerate(graph.predecessors):
        for other in before:
            successors[other].append(index)
    for launch, release in enumerate(graph.releases):
        # The CTAs come back as a node of zero duration, so that all completions of an instant come before them.
        successors[release].append(count + launch)
    return successors, [*map(len, graph.predecessors), *(1 for _ in graph.launches)]


def _pools(graph: EventGraph) -> tuple[list[range], list[int], list[int]]:
    """Return each launch's pools, and for each pool its slots and its launch."""
    # More slots than nodes: never full, and the loop needs no second case.
    unlimited = len(graph.nodes) + 1
    slots, launch_of_pool, pools_of = [unlimited], [-1], []
    for index, launch in enumerate(graph.launches):
        pools_of.append(range(len(slots), len(slots) + len(launch.pools) + 1))
        slots.extend((*launch.pools, unlimited))
        launch_of_pool.extend([index] * len(pools_of[-1]))
    return pools_of, slots, launch_of_pool


def _pool_of_nodes(graph: EventGraph, pools_of: list[range]) -> list[int]:
    pool_of = [
        OPEN_POOL if node.launch is None else pools_of[node.launch][node.pool if node.kind is NodeKind.TASK else -1] for node in graph.nodes
    ]
    for release in graph.releases:
        pool_of[release] = OPEN_POOL
    return pool_of + [OPEN_POOL] * len(graph.launches)


def _check(graph: EventGraph) -> None:
    for launch in graph.launches:
        _check_launch(launch)
    for node in graph.nodes:
        if node.duration_ps < 0 or node.demand < 0:
            raise GraphError(f"node {node.name!r}: a duration and a demand are at least 0")
        if node.launch is not None:
            _check_membership(node, graph.launches)
        if node.grid is not None:
            _check_grid(node, node.grid)
    _check_indices(graph)
    if graph.bandwidth_bytes_per_s <= 0:
        raise GraphError(f"bandwidth_bytes_per_s is {graph.bandwidth_bytes_per_s}, expected more than 0")


def _check_launch(launch: HeldLaunch) -> None:
    if not _is_count(launch.holds):
        raise GraphError(f"launch {launch.name!r} holds {launch.holds} CTAs, expected a whole number, at least 0")


def _check_membership(node: Node, launches: tuple[HeldLaunch, ...]) -> None:
    launch = node.launch
    if launch is None or not 0 <= launch < len(launches):
        raise GraphError(f"node {node.name!r} names launch {launch}, of {len(launches)} launches")
    if not 0 <= node.pool < len(launches[launch].pools):
        raise GraphError(f"node {node.name!r} names pool {node.pool}; launch {launches[launch].name!r} has {len(launches[launch].pools)}")


def _check_grid(node: Node, grid: KernelGrid) -> None:
    if min(grid.ctas, grid.per_sm, grid.resident_ctas) < 1 or not node.duration_ps:
        raise GraphError(f"node {node.name!r}: a kernel takes time, and its counts of CTAs are at least 1")
    if node.launch is not None:
        raise GraphError(f"node {node.name!r} has a grid of its own and is in launch {node.launch}")


def _check_indices(graph: EventGraph) -> None:
    count = len(graph.nodes)
    named = {index for before in graph.predecessors for index in before} | set(graph.releases)
    if len(graph.predecessors) != count or len(graph.releases) != len(graph.launches):
        raise GraphError("a graph has one tuple of predecessors per node and one release node per launch")
    if named and not (min(named) >= 0 and max(named) < count):
        raise GraphError(f"predecessors and release nodes are node indices from 0 to {count - 1}")
    if not _is_count(graph.capacity_ctas):
        raise GraphError(f"capacity_ctas is {graph.capacity_ctas}, expected a whole number, at least 0")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and value >= 0
