"""CUDA graphs in an Nsight Systems export: how finely they were traced, which captured node a kernel is, and opaque replays."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from operator import attrgetter

from ..execution import GraphReplay
from .calls import REPLAYS, LaunchKey
from .database import Database, process_of
from .gpus import SITE, Sites

_CAPTURE_OPTIONS = "META_DATA_CAPTURE"
_NODE_TABLES = ("CUDA_GRAPH_NODE_EVENTS", "CUDA_GRAPH_EVENTS")
_COLUMNS = ("rowid", "start", "end", "correlationId", "graphId", *SITE)

NodeKey = tuple[int | None, int]
"""A process and a node's number."""


@dataclass(frozen=True, slots=True)
class ReplayRows:
    """The opaque replays in order of start, the launches that they came from, and how many were left out as they have no times."""

    replays: tuple[GraphReplay, ...]
    launched: frozenset[LaunchKey]
    untimed: int


def trace_modes(database: Database) -> tuple[str, ...]:
    """Return the granularity that graphs were recorded at ("Graph" or "Node"), per process where the options are; empty where unsaid."""
    where = "WHERE name LIKE '%CUDA_GRAPH_TRACE_OPTIONS:MODE'"
    return tuple(sorted({str(value) for (value,) in database.select(_CAPTURE_OPTIONS, ("value",), where) if value}))


def captured_nodes(database: Database) -> dict[NodeKey, int]:
    """Map every node of an instantiated or cloned graph to the node that was captured.

    Up to schema 2.9 the table of nodes had the name that now belongs to the table of graphs: it is known by its columns.
    """
    tables = [table for table in _NODE_TABLES if database.has_column(table, "originalGraphNodeId")]
    rows = [row for table in tables for row in database.select(table, ("globalTid", "graphNodeId", "originalGraphNodeId"))]
    parents = {(process_of(thread), node): parent for thread, node, parent in rows if isinstance(node, int) and isinstance(parent, int)}
    return {key: _root(parents, key) for key in parents}


def replay_rows(database: Database, sites: Sites, listed: Collection[LaunchKey]) -> ReplayRows:
    """Return the replays whose kernels are in no table; those of a launch among the *listed* have their kernels one by one."""
    replays: list[GraphReplay] = []
    launched: set[LaunchKey] = set()
    untimed = 0
    for row, start, end, correlation, graph, *place in database.select(REPLAYS, _COLUMNS):
        interval = database.interval_ps(REPLAYS, row, start, end)
        site = sites.at(REPLAYS, row, tuple(place))
        launch = (site.process, correlation)
        if interval is None:
            untimed += 1
        elif launch not in listed:
            replays.append(GraphReplay(site, *interval, row, database.whole(REPLAYS, row, "graphId", graph) or None))
            launched.add(launch)
    return ReplayRows(tuple(sorted(replays, key=attrgetter("start_ps"))), frozenset(launched), untimed)


def _root(parents: Mapping[NodeKey, int], key: NodeKey) -> int:
    process, node = key
    passed = {node}
    while (parent := parents.get((process, node))) and parent not in passed:
        passed.add(parent)
        node = parent
    return node
