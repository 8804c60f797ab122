"""Large profiles for the benchmark of the importers: each maker writes a file of about the size that is asked for."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TextIO

KERNELS = 5_000
"""The kernels of a Kineto trace, whatever its size: at 16 MiB about 3 KiB for each, as is usual; beyond, the events of the host grow."""

PROCESS = 1 << 24
"""The process and its first thread in the serialized form of Nsight Systems."""

NAMES = tuple(f"void layer{number}::gemm<(int)128, (bool)1, std::array<char *, 3>>(float const *, int)" for number in range(40))

TRACE_HEADER = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),"
    "Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name"
)
DETAILS_HEADER = (
    "ID,Process ID,Process Name,Host Name,Kernel Name,Context,Stream,Block Size,Grid Size,Device,CC,Section Name,"
    "Metric Name,Metric Unit,Metric Value"
)
DETAILS_METRICS = (
    ("dram__bytes.sum", "Mbyte", "2.33"),
    ("gpu__time_duration.sum", "us", "6.75"),
    ("Registers Per Thread", "register/thread", "168"),
    ("Static Shared Memory Per Block", "byte/block", "1,024"),
    ("Dynamic Shared Memory Per Block", "Kbyte/block", "49.15"),
    *((f"sm__inst_executed_pipe_{number}.sum", "inst", "1,275,068") for number in range(20)),
)
RUN_MOMENTS = ("startEnqMs", "endEnqMs", "startH2dMs", "endH2dMs", "startComputeMs", "endComputeMs", "startD2hMs", "endD2hMs")
SQLITE_TABLES: Mapping[str, str] = MappingProxyType(
    {
        "META_DATA_EXPORT": "name, value",
        "StringIds": "id, value",
        "CUPTI_ACTIVITY_KIND_KERNEL": (
            "start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid, demangledName, shortName, mangledName,"
            " launchType, cacheConfig, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory,"
            " dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, gridId, sharedMemoryExecuted, graphNodeId,"
            " sharedMemoryLimitConfig, qmdBulkReleaseDone, qmdPreexitDone, qmdLastCtaDone, graphId, clusterX, clusterY, clusterZ,"
            " clusterSchedulingPolicy, maxPotentialClusterSize, maxActiveClusters, sharedMemoryRequestedPercentage"
        ),
        "CUPTI_ACTIVITY_KIND_RUNTIME": "start, end, eventClass, globalTid, correlationId, nameId, returnValue, callchainId",
        "NVTX_EVENTS": (
            "start, end, eventType, rangeId, category, color, text, globalTid, endGlobalTid, textId, domainId, uint64Value, int64Value,"
            " doubleValue, uint32Value, int32Value, floatValue, jsonTextId, jsonText, binaryData"
        ),
    }
)
"""The tables that an import needs, with their columns in the export of Nsight Systems 2026.1."""


def write_kineto(path: Path, size: int) -> None:
    """Write a trace of `KERNELS` kernels and their launch calls among as many host events as fill *size* bytes."""
    host = {"ph": "X", "cat": "python_function", "pid": 1, "tid": 1, "args": {"Python id": 7, "Python parent id": 6}}
    filler = json.dumps({**host, "name": "torch/nn/modules/linear.py(116): forward", "ts": 1000000.125, "dur": 3.5})
    per_kernel = max(1, size // KERNELS // (len(filler) + 2) - 1)
    with path.open("w", encoding="utf-8") as stream:
        stream.write('{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}], "traceEvents": [\n')
        for number in range(KERNELS):
            stream.writelines(f"{json.dumps(event)},\n" for event in _kineto_launch(number))
            stream.writelines([filler, ",\n"] * per_kernel)
        stream.write(f'{filler}],\n"traceName": "trace.json"}}\n')


def write_gpu_trace(path: Path, size: int) -> None:
    """Write a cuda_gpu_trace report of about *size* bytes."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(TRACE_HEADER.split(","))
        number = 0
        while _grows(stream, size, number):
            place = ("", "", "", "", "NVIDIA H100 (0)", 1, "", 7)
            shape = (132, 1 + number % 8, 1, 256, 1, 1, 64, "0.000", "0.049")
            writer.writerow((10**9 + 4000 * number, 3000 + number % 999, number, *shape, *place, NAMES[number % 40]))
            number += 1


def write_details(path: Path, size: int) -> None:
    """Write a details page of Nsight Compute of about *size* bytes."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(DETAILS_HEADER.split(","))
        number = 0
        while _grows(stream, size, number):
            identity = (number, 1, "program", "host", NAMES[number % 40], 1, 7, "(256, 1, 1)", "(132, 1, 1)", 0, "9.0", "Section")
            writer.writerows((*identity, *metric) for metric in DETAILS_METRICS)
            number += 1


def write_times(path: Path, size: int) -> None:
    """Write what trtexec --exportTimes writes, of about *size* bytes."""
    with path.open("w", encoding="utf-8") as stream:
        number = 0
        while _grows(stream, size, number):
            stream.write("[\n" if number == 0 else ", ")
            times = ", ".join(f'"{key}" : {2.5 + number * 0.873472:.6g}' for key in RUN_MOMENTS)
            stream.write(f'{{ {times}, "h2dMs" : 0, "computeMs" : 0.87{number % 1000:03}, "d2hMs" : 0, "latencyMs" : 0.873472 }}\n')
            number += 1
        stream.write("]\n")


def write_sqlite(path: Path, size: int) -> None:
    """Write an nsys export of about *size* bytes: two calls and two ranges for each kernel, layers inside steps around them."""
    with closing(sqlite3.connect(path)) as connection:
        for table, columns in SQLITE_TABLES.items():
            connection.execute(f"CREATE TABLE {table} ({columns})")
        _insert(connection, "META_DATA_EXPORT", [("EXPORT_SCHEMA_VERSION", "3.24.14")])
        _insert(connection, "StringIds", enumerate((*NAMES, "cudaLaunchKernel_v7000", "cudaEventRecord_v3020")))
        written = 0
        while path.stat().st_size < size:
            numbers = range(written, written := written + 5_000)
            _insert(connection, "CUPTI_ACTIVITY_KIND_KERNEL", map(_kernel_row, numbers))
            _insert(connection, "CUPTI_ACTIVITY_KIND_RUNTIME", chain.from_iterable(map(_call_rows, numbers)))
            _insert(connection, "NVTX_EVENTS", chain.from_iterable(map(_range_rows, numbers)))
            connection.commit()


MAKERS: Mapping[str, Callable[[Path, int], None]] = MappingProxyType(
    {
        "Kineto trace": write_kineto,
        "nsys sqlite": write_sqlite,
        "nsys cuda_gpu_trace CSV": write_gpu_trace,
        "ncu details CSV": write_details,
        "TensorRT times": write_times,
    }
)


def _grows(stream: TextIO, size: int, number: int) -> bool:
    """Return whether *stream* is still below *size*, asking only now and then."""
    return number % 1000 != 0 or stream.tell() < size


def _kineto_launch(number: int) -> Iterator[dict[str, object]]:
    """Yield a launch call and its kernel."""
    name, at_us = NAMES[number % 40], 1_000_000 + number * 4 + 0.125
    args = {"External id": number, "cbid": 211, "correlation": number}
    yield {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at_us, "dur": 2.5, "args": args}
    shape = {"registers per thread": 64, "shared memory": 49152, "grid": [132, 1, 1], "block": [256, 1, 1]}
    place = {"device": 0, "context": 1, "stream": 7, "correlation": number}
    yield {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at_us + 9, "dur": 3.25, "args": {**place, **shape}}


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[tuple[object, ...]]) -> None:
    """Insert *rows*, each filled up with NULL."""
    width = len(SQLITE_TABLES[table].split(","))
    filled = ((*row, *[None] * (width - len(row))) for row in rows)
    connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * width)})", filled)


def _kernel_row(number: int) -> tuple[object, ...]:
    start, name = 10**9 + 4000 * number, number % 40
    place, shape = (0, 1, None, 7, 2 * number, PROCESS), (1, 1, 64, 132, 1, 1, 256, 1, 1, 0, 49152)
    return (start, start + 3000, *place, name, name, None, *shape, 0, 250871808, number, 65536, None, 0, None, None, None, None, 0, 0, 0, 1)


def _call_rows(number: int) -> Iterator[tuple[object, ...]]:
    start = 10**9 + 4000 * number - 8000
    yield (start, start + 2000, 0, PROCESS + 1, 2 * number, len(NAMES), 0)
    yield (start + 2500, start + 2900, 0, PROCESS + 1, 2 * number + 1, len(NAMES) + 1, 0)


def _range_rows(number: int) -> Iterator[tuple[object, ...]]:
    start = 10**9 + 4000 * number - 8500
    if number % 40 == 0:
        yield (start - 100, start + 159_000, 59, None, None, None, f"step {number // 40}", PROCESS + 1, None, None, 0)
    yield (start, start + 3800, 59, None, None, None, f"aten::linear, seq = {number}, op_id = {2 * number}", PROCESS + 1, None, None, 0)
    yield (start + 100, start + 3700, 59, None, None, None, None, PROCESS + 1, None, number % 40, 0)
