"""Tables of other tools, told by the names of their columns, and why each is no profile that a plan can be made from."""

from __future__ import annotations

from collections.abc import Collection

from .remedies import RECORD, ROCM, TRACE

_ROCPROF = f"is a rocprof CSV, which is not read: {ROCM}"
_TRACELENS = f"is a table of TraceLens, which sums a trace up: {TRACE}"
_HTA = f"is a table of Holistic Trace Analysis (HTA), which sums traces up: {TRACE}"
_SMI = f"is a log of nvidia-smi, which has loads of the GPU and no kernels: {RECORD}"
_DCGM = f"is a log of DCGM, which has counters of the GPU and no kernels: {RECORD}"
_VTUNE = f"is a table of Intel VTune or unitrace, which is not read: {RECORD}"

# A table is the first whose columns are all there.
_COLUMNS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"Kernel_Name", "Start_Timestamp"}), _ROCPROF),
    (frozenset({"Kernel_Name", "Dispatch_ID"}), _ROCPROF),
    (frozenset({"KernelName"}), _ROCPROF),
    (frozenset({"TotalDurationNs"}), _ROCPROF),
    (frozenset({"Parent cpu_op"}), _TRACELENS),
    (frozenset({"Kernel duration (µs)_sum"}), _TRACELENS),
    (frozenset({"Kernel Time (µs)_sum"}), _TRACELENS),
    (frozenset({"total_direct_kernel_time_sum"}), _TRACELENS),
    (frozenset({"type", "time ms", "percent"}), _TRACELENS),
    (frozenset({"sum (us)", "mean (us)"}), _HTA),
    (frozenset({"kernel_type", "percentage"}), _HTA),
    (frozenset({"idle_category"}), _HTA),
    (frozenset({"idle_time(us)"}), _HTA),
    (frozenset({"comp_comm_overlap_pctg"}), _HTA),
    (frozenset({"Task Type", "Hardware Event ID"}), _VTUNE),
    (frozenset({"Computing Task", "Total Time"}), _VTUNE),
    (frozenset({"Type", "Time(%)", "Calls", "Avg"}), f"is output of nvprof, which is not read: {RECORD}"),
)
_STARTS: tuple[tuple[str, str], ...] = (
    ("utilization.gpu", _SMI),
    ("power.draw", _SMI),
    ("memory.used", _SMI),
    ("clocks.", _SMI),
    ("temperature.gpu", _SMI),
    ("DCGM_FI_", _DCGM),
)


def table_reason(columns: Collection[str]) -> str | None:
    """Return why a table with *columns* is refused, None where it is of no known tool."""
    named = set(columns)
    for signature, reason in _COLUMNS:
        if signature <= named:
            return reason
    return next((reason for start, reason in _STARTS if any(column.startswith(start) for column in named)), None)
