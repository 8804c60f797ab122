"""Small reports of profilers, built row by row: `nsys stats` CSV, the two pages of Nsight Compute, what trtexec exports."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

TRACE_HEADER = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),"
    "Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name"
)
EXEC_HEADER = (
    "API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur (ns),Total Dur (ns),"
    "PID,TID,DevId,API Function,GridXYZ,BlockXYZ,Kernel Name"
)
SUM_HEADER = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"
GPU = "NVIDIA H100 NVL (0)"

DETAILS_HEADER = (
    "ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC",
    "Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type", "Rule Description",
)  # fmt: skip
OLD_DETAILS_HEADER = (
    "ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time", "Context", "Stream",
    "Section Name", "Metric Name", "Metric Unit", "Metric Value",
)  # fmt: skip
IDENTITY = ("1234", "server", "host", "1", "7", "(128, 1, 1)", "(264, 2, 1)", "0", "9.0")


def kernel_row(
    start: object = 1000,
    duration: object = 500,
    *,
    name: str = "gemm<int, 4>(int)",
    correlation: object = 11,
    grid: Sequence[object] = (132, 2, 1),
    block: Sequence[object] = (256, 1, 1),
    registers: object = 64,
    static: object = "0.002",
    dynamic: object = "0.049",
    device: str = GPU,
    stream: object = 7,
) -> list[object]:
    """Return a kernel's row of cuda_gpu_trace under `TRACE_HEADER`."""
    return [start, duration, correlation, *grid, *block, registers, static, dynamic, "", "", "", "", device, 1, "", stream, name]


def memory_row(start: object = 10, *, name: str = "[CUDA memcpy Host-to-Device]") -> list[object]:
    """Return a memory operation's row of cuda_gpu_trace, whose grid is blank."""
    return [start, 300, 10, *[""] * 9, "0.004", "13.3", "Pageable", "Device", GPU, 1, "", 7, name]


def exec_row(
    called: object = 100,
    start: object = 1000,
    duration: object = 500,
    *,
    name: str = "gemm<int, 4>(int)",
    api: str = "cudaLaunchKernel",
    process: object = 41,
    device: object = 0,
) -> list[object]:
    """Return a row of cuda_kern_exec_trace under `EXEC_HEADER`, of a kernel that did not wait in a queue."""
    return [called, 20, "", "", start, duration, 1400, process, 41, device, api, " 132    2    1", " 256    1    1", name]


def sum_row(total: object = 3000, instances: object = 3, *, name: str = "gemm<int, 4>(int)", share: object = "100.0") -> list[object]:
    """Return a row of cuda_gpu_kern_sum under `SUM_HEADER`."""
    return [share, total, instances, "1000.0", "900.5", 800, 1300, "216.0", name]


def table(header: str | Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a CSV table as `nsys stats` writes it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header.split(",") if isinstance(header, str) else header)
    writer.writerows(rows)
    return text.getvalue()


def quoted(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a CSV table as Nsight Compute writes it, with every cell in quotes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def metric_row(
    metric: str, unit: str, value: str, *, number: int = 0, name: str = "gemm<4>(int)", identity: Sequence[str] = IDENTITY
) -> list[str]:
    """Return a row of the details page under `DETAILS_HEADER`, without the cells of a rule."""
    process, program, host, *rest = identity
    return [str(number), process, program, host, name, *rest, "Section", metric, unit, value]


def rule_row(*, number: int = 0, name: str = "gemm<4>(int)") -> list[str]:
    """Return a row of the details page that has a rule and no metric."""
    process, program, host, *rest = IDENTITY
    return [str(number), process, program, host, name, *rest, "Occupancy", "", "", "", "Rule", "INF", "text, with commas"]


def old_metric_row(metric: str, unit: str, value: str, *, number: int = 0, name: str = "gemm<4>(int)") -> list[str]:
    """Return a row under `OLD_DETAILS_HEADER`, which has neither grid nor device."""
    return [str(number), "1234", "server", "host", name, "2022-Nov-17 14:13:26", "1", "7", "Section", metric, unit, value]


def raw_page(metrics: Mapping[str, str], kernels: Iterable[Sequence[str]], *, names: Iterable[str] = ()) -> str:
    """Return a raw page: *metrics* are columns with their units, *kernels* the values of each kernel."""
    identity = DETAILS_HEADER[: DETAILS_HEADER.index("CC") + 1]
    process, program, host, *rest = IDENTITY
    titles = list(names)
    rows = [
        [str(number), process, program, host, titles[number] if titles else "gemm<4>(int)", *rest, *values]
        for number, values in enumerate(kernels)
    ]
    return quoted([*identity, *metrics], [["" for _ in identity] + list(metrics.values()), *rows])


def trt_profile(layers: Iterable[Mapping[str, object]], *, count: object = 10) -> str:
    """Return what trtexec --exportProfile writes."""
    return json.dumps([{"count": count}, *layers])


def layer(name: str, total_ms: object = 5.5, average_ms: object = 0.55, **more: object) -> dict[str, object]:
    """Return a layer of a profile."""
    return {"name": name, "timeMs": total_ms, "averageMs": average_ms, "percentage": 1.0, **more}


def written(folder: Path, text: str, name: str = "profile") -> Path:
    """Write *text* to *folder* under a name that says nothing about its format, and return its path."""
    path = folder / name
    path.write_bytes(text.encode())
    return path
