"""What an importer of an Nsight Systems export has to tell the user beside the kernels; and why there may be none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ...model.wording import counted
from ..recognizing.databases import database_reason
from .calls import CALLS, KERNELS, kernel_launches
from .database import Database
from .diagnostics import Diagnostics, diagnostics

_NODE_LEVEL = "record with --cuda-graph-trace=node"
_UNDELIVERED = (
    "but the activities of the device were not delivered, as happens under WSL and where nsys is older than the driver:"
    " record with a newer Nsight Systems, or outside of WSL"
)
_CONTENTS = (
    ("GPU_METRICS", "GPU metrics"),
    ("CUPTI_ACTIVITY_KIND_MEMCPY", "copies"),
    ("CUPTI_ACTIVITY_KIND_MEMSET", "fills"),
    (CALLS, "CUDA calls"),
    ("NVTX_EVENTS", "NVTX events"),
    ("OSRT_API", "calls of OS libraries"),
    ("SAMPLING_CALLCHAINS", "CPU samples"),
    ("SCHED_EVENTS", "thread states"),
    ("VULKAN_API", "Vulkan calls"),
    ("DX12_API", "Direct3D calls"),
    ("OPENGL_API", "OpenGL calls"),
)


@dataclass(frozen=True, slots=True)
class ExportCounts:
    """What was counted while an export was read."""

    kernels: int
    replayed_kernels: int
    replays: int
    hidden_launches: int
    unmatched: int
    unclosed_ranges: int
    has_ranges: bool
    is_node_level: bool
    has_conditional_graphs: bool
    shared_devices: tuple[int, ...]
    schema: str | None
    diagnostics: Diagnostics


def notes(found: ExportCounts) -> Iterator[str]:
    """Yield one sentence for each thing that a reader of the profile must know."""
    if found.diagnostics.said:
        yield f"kernels may be missing, as the recording says: {found.diagnostics.text}; {found.diagnostics.remedy}"
    if found.replays:
        yield f"{counted(found.replays, 'CUDA graph replay')} in one row each, with hidden kernels: busy time, not idle; {_NODE_LEVEL}"
    if found.hidden_launches:
        yield _hidden(found)
    if found.replayed_kernels:
        yield (
            f"{counted(found.replayed_kernels, 'kernel')} recorded inside CUDA graph replays (node level), which lengthens the replays: "
            "compare with the span of a run at graph level (--cuda-graph-trace=graph)"
        )
    if found.has_conditional_graphs:
        yield "the program builds conditional CUDA graphs: of a while node only the first iteration is recorded, so kernels may be missing"
    if found.unmatched:
        yield f"{found.unmatched:,} of {counted(found.kernels, 'kernel')} without a launch call in the file" + (
            ", so no NVTX range" if found.has_ranges else ""
        )
    if found.unclosed_ranges:
        yield f"{counted(found.unclosed_ranges, 'NVTX range')} never closed, so taken to last until the end of the file"
    if found.shared_devices:
        yield (
            f"several processes ran on device {', '.join(map(str, found.shared_devices))}, which may be several GPUs: "
            "CUDA_VISIBLE_DEVICES gives every process numbers of its own, and the file does not map them"
        )
    if found.schema is not None and _major(found.schema) > 3:
        yield f"the export has schema {found.schema}, newer than the ones known (2.9 to 3.25): what it names differently is missing here"


def nothing_ran(database: Database, untimed: int, graph_launches: int) -> str:
    """Return why an export without kernels and replays is refused: what is there instead, and how to record kernels."""
    if not database.tables & {"StringIds", "META_DATA_EXPORT", "EXPORT_META_DATA"}:
        return database_reason(database.tables)
    if untimed:
        return f"holds no kernels with times: start and end are 0 (not collected) in {counted(untimed, 'row')}; record it again"
    contents = [words for table, words in _CONTENTS if database.has_rows(table)]
    state = "is empty" if database.table(KERNELS) else "is absent"
    graphs = f" ({counted(graph_launches, 'launch', 'launches')} of CUDA graphs among them: {_NODE_LEVEL})" if graph_launches else ""
    there = f"there are only {' and '.join(contents)}{graphs}" if contents else "nothing was recorded"
    remedies = _remedies(database, has_graphs=graph_launches > 0)
    return "; ".join([f"holds no kernels: table {KERNELS} {state}, {there}", *islice(remedies, 1)])


def _remedies(database: Database, *, has_graphs: bool) -> Iterator[str]:
    """Yield why kernels are missing and what to do, most telling sign first: nothing is asked for that was done."""
    told = diagnostics(database)
    if told.said:
        yield f"the recording says why: {told.text}; {told.remedy}"
    launches, failed = kernel_launches(database)
    if launches:
        yield f"{counted(launches, 'launch was', 'launches were')} traced, {_UNDELIVERED}"
    if has_graphs:
        # What to do stands beside their number.
        return
    if failed:
        yield f"{counted(failed, 'launch', 'launches')} failed, so no kernel ran: mend the program first"
    if told.other_errors:
        yield f"the recording has {counted(told.other_errors, 'error')} of its own in table DIAGNOSTIC_EVENT: read them there"
    if database.has_rows(CALLS):
        yield "CUDA was traced, and no call launches a kernel: record the part of the program that computes"
    if told.used_no_cuda:
        yield "the recording says that CUDA was traced and no process used it: record the process that computes"
    yield "record with --trace=cuda,nvtx and export all tables"


def _hidden(found: ExportCounts) -> str:
    launches = f"{counted(found.hidden_launches, 'launch', 'launches')} of CUDA graphs with neither kernels nor a replay in the file"
    if found.is_node_level:
        return f"{launches}: graphs of copies alone, or kernels that were not recorded"
    return f"{launches}: kernels are hidden; {_NODE_LEVEL}"


def _major(schema: str) -> int:
    major = schema.partition(".")[0]
    return int(major) if major.isascii() and major.isdigit() else 0
