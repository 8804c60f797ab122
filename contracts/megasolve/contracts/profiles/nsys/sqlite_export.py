"""The importer of SQLite exports of Nsight Systems, from 2022 (schema 2.9) to 2026 (schema 3.25).

It reads kernels, graph replays, CUDA calls, NVTX, overheads, GPUs and graph nodes, of the metadata only the versions and the graph
tracing mode, and of the diagnostics only known sentences and codes. Whatever tells about the machine and its users (environment, host,
user, command line, files, processes) is never read.
Source of the schema: docs.nvidia.com/nsight-systems, "SQLite Schema Reference", and exports of six releases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from types import MappingProxyType

from ..execution import Execution, Format, Granularity, Site
from ..text.source import ProfileSource
from .annotations import nvtx_annotations
from .calls import (
    REPLAYS,
    LaunchKey,
    called,
    calls_at_launch,
    captures,
    graph_launches,
    makes_conditional_graphs,
    synchronizations,
)
from .copies import copies
from .database import Database, opened
from .diagnostics import diagnostics
from .gpus import Gpus, Sites, gpus
from .graphs import ReplayRows, captured_nodes, replay_rows, trace_modes
from .kernels import KernelRows, Launches, kernel_rows
from .notes import ExportCounts, notes, nothing_ran
from .nvtx import Annotations
from .overheads import overheads

_VERSIONS = MappingProxyType({"EXPORT_PRODUCT_VERSION": "Nsight Systems", "EXPORT_SCHEMA_VERSION": "schema"})
_METADATA = ("EXPORT_META_DATA", "META_DATA_EXPORT")
_GRAPH_TRACE = "graph trace"


def read_nsys_sqlite(source: ProfileSource) -> Execution:
    """Return what ran, from an export of Nsight Systems.

    A kernel's ranges are those around its launch call on the host; all kernels of a graph replay have the ranges of the graph's launch.
    Where graphs were recorded as wholes the granularity is GRAPH, and their replays stand apart from the kernels.

    Raises
    ------
    ProfileRefused
        It is no database, a damaged one, no export of Nsight Systems, has neither kernels nor replays, or a time that cannot be.
    """
    with opened(source) as database:
        return _execution(database, source)


@dataclass(frozen=True, slots=True)
class _Contents:
    """What was read from one export; *graphs* are the launches of CUDA graphs, *hidden* those of them that nothing came of."""

    rows: KernelRows
    replayed: ReplayRows
    ranges: Annotations
    graphs: Set[LaunchKey]
    hidden: Set[LaunchKey]
    versions: Mapping[str, str]

    @property
    def is_node_level(self) -> bool:
        return self.versions.get(_GRAPH_TRACE) == "Node" or any(kernel.graph for kernel in self.rows.kernels)

    @property
    def granularity(self) -> Granularity:
        return Granularity.GRAPH if self.replayed.replays or (self.hidden and not self.is_node_level) else Granularity.KERNEL


def _execution(database: Database, source: ProfileSource) -> Execution:
    known = gpus(database)
    contents = _contents(database, Sites(database, known))
    rows, replayed = contents.rows, contents.replayed
    if not rows.kernels and not replayed.replays:
        raise database.refused(nothing_ran(database, rows.untimed + replayed.untimed, len(contents.graphs)))
    captured = captures(database)
    return Execution(
        file=source.file,
        sha256=source.sha256,
        format=Format.NSYS_SQLITE,
        granularity=contents.granularity,
        kernels=rows.kernels,
        replays=replayed.replays,
        annotations=contents.ranges.spans(),
        captures=captured,
        overheads=overheads(database),
        devices=known.devices({site.device for site in _sites(contents)}),
        versions=contents.versions,
        dropped={reason: count for reason, count in _dropped(contents) if count},
        notes=tuple(notes(_counts(database, known, contents))),
        copies=copies(database, known),
        synchronizations=synchronizations(database),
        called=called(database, captured),
    )


def _contents(database: Database, sites: Sites) -> _Contents:
    ranges = nvtx_annotations(database)
    launches = Launches(calls_at_launch(database, ranges), captured_nodes(database))
    rows, graphs = kernel_rows(database, sites, launches), graph_launches(database)
    has_graphs = bool(graphs) or database.has_rows(REPLAYS)
    listed = {(launches.process(kernel.site.process), kernel.correlation) for kernel in rows.kernels} if has_graphs else set()
    replayed = replay_rows(database, sites, listed)
    return _Contents(rows, replayed, ranges, graphs, graphs - listed - replayed.launched, _versions(database))


def _sites(contents: _Contents) -> set[Site]:
    return {kernel.site for kernel in contents.rows.kernels} | {replay.site for replay in contents.replayed.replays}


def _versions(database: Database) -> dict[str, str]:
    # Only these keys: others of the same table name the host, the user and their files.
    where = f"WHERE name IN ({', '.join('?' * len(_VERSIONS))})"
    cells = [cell for table in _METADATA for cell in database.select(table, ("name", "value"), where, tuple(_VERSIONS))]
    versions = {_VERSIONS[name]: str(value) for name, value in cells if value}
    modes = trace_modes(database)
    return versions | {_GRAPH_TRACE: ", ".join(modes)} if modes else versions


def _dropped(contents: _Contents) -> Iterator[tuple[str, int]]:
    yield "kernels without times", contents.rows.untimed
    yield "graph replays without times", contents.replayed.untimed
    yield "NVTX ranges that end before they start", contents.ranges.backward


def _counts(database: Database, known: Gpus, contents: _Contents) -> ExportCounts:
    kernels = contents.rows.kernels
    return ExportCounts(
        kernels=len(kernels),
        replayed_kernels=sum(kernel.graph is not None for kernel in kernels),
        replays=len(contents.replayed.replays),
        hidden_launches=len(contents.hidden),
        unmatched=contents.rows.unmatched,
        unclosed_ranges=contents.ranges.unclosed,
        has_ranges=bool(contents.ranges.stacked or contents.ranges.free),
        is_node_level=contents.is_node_level,
        has_conditional_graphs=makes_conditional_graphs(database),
        shared_devices=() if known.numbers else _shared_devices(_sites(contents)),
        schema=contents.versions.get("schema"),
        diagnostics=diagnostics(database),
    )


def _shared_devices(sites: Iterable[Site]) -> tuple[int, ...]:
    processes: dict[int, set[int | None]] = defaultdict(set)
    for site in sites:
        if site.device is not None:
            processes[site.device].add(site.process)
    return tuple(sorted(device for device, users in processes.items() if len(users) > 1))
