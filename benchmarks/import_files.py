"""Large profiles for the benchmark of the importers: each maker writes a file of about the size that is asked for."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TextIO

KERNELS = 20_000
"""The kernels of a Kineto trace, whatever its size: what grows with the length of a recording is mostly the host's events."""

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
RUN_KEYS = ("startEnqMs", "endEnqMs", "startH2dMs", "endH2dMs", "startComputeMs", "endComputeMs", "startD2hMs", "endD2hMs")
KERNEL_COLUMNS = (
    "start",
    "end",
    "deviceId",
    "contextId",
    "streamId",
    "correlationId",
    "globalPid",
    "demangledName",
    "shortName",
    "registersPerThread",
    "gridX",
    "gridY",
    "gridZ",
    "blockX",
    "blockY",
    "blockZ",
    "staticSharedMemory",
    "dynamicSharedMemory",
)


def write_kineto(path: Path, size: int) -> None:
    """Write a trace of `KERNELS` kernels among as many host events as fill *size* bytes."""
    host = {"ph": "X", "cat": "python_function", "pid": 1, "tid": 1, "args": {"Python id": 7, "Python parent id": 6}}
    filler = json.dumps({**host, "name": "torch/nn/modules/linear.py(116): forward", "ts": 1000000.125, "dur": 3.5})
    per_kernel = max(1, size // KERNELS // (len(filler) + 2) - 1)
    with path.open("w", encoding="utf-8") as stream:
        stream.write('{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}], "traceEvents": [\n')
        for number in range(KERNELS):
            stream.write(_kineto_kernel(number) + ",\n")
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
            times = ", ".join(
                f'"{key}" : {2.5 + number * 0.873472:.6g}' for key in ("startEnqMs", "endEnqMs", "startComputeMs", "endComputeMs")
            )
            stream.write(f'{{ {times}, "h2dMs" : 0, "computeMs" : 0.87{number % 1000:03}, "d2hMs" : 0, "latencyMs" : 0.873472 }}\n')
            number += 1
        stream.write("]\n")


def write_sqlite(path: Path, size: int) -> None:
    """Write an nsys export of about *size* bytes, without calls or ranges."""
    rows = (_kernel_row(number) for number in range(size // 70))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)")
        connection.execute("INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.24.14')")
        connection.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
        connection.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(NAMES))
        declared = ", ".join(f"{column} INTEGER" for column in KERNEL_COLUMNS)
        connection.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({declared})")
        marks = ", ".join("?" * len(KERNEL_COLUMNS))
        while chunk := list(islice(rows, 10_000)):
            connection.executemany(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({marks})", chunk)
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


def _kineto_kernel(number: int) -> str:
    shape = {"registers per thread": 64, "shared memory": 49152, "grid": [132, 1, 1], "block": [256, 1, 1]}
    place = {"device": 0, "context": 1, "stream": 7, "correlation": number}
    event = {"ph": "X", "cat": "kernel", "name": NAMES[number % 40], "pid": 0, "tid": 7, "dur": 3.25, "args": {**place, **shape}}
    return json.dumps({**event, "ts": 1_000_000 + number * 4 + 0.125})


def _kernel_row(number: int) -> tuple[int, ...]:
    start = 10**9 + 4000 * number
    name = number % 40
    return (start, start + 3000, 0, 1, 7, number, 1 << 24, name, name, 64, 132, 1, 1, 256, 1, 1, 0, 49152)
