"""Small profiles of every format, drawn anew each time, as the trees that are changed."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from random import Random

from tests.fuzz.drawn.random_models import Files
from tests.fuzz.drawn.trees import Tree
from tests.support.profiles import kineto_traces, nsys, reports, step_traces

_GPU: dict[str, Tree] = json.loads(json.dumps(step_traces.GPU))
NAMES = (
    "gemm<int, 4>(int)", "norm", "void at::native::copy<float>(float*)", "triton_poi_fused_add_0", "ncclKernel_AllReduce",
    "prefill", "Memcpy DtoD", "_Z6decodePf", "Cijk_Ailk_Bljk_HHS_BH_MT64x64", "kernel\u00b5", "k" * 200,
)  # fmt: skip


def kineto(random: Random) -> Files:
    """Return a trace of some steps, on one GPU or two, launched one by one or as graphs."""
    events: list[Tree] = []
    steps, kernels = random.randint(1, 4), random.sample(NAMES, random.randint(1, 4))
    at, correlation = 0, 0
    for step in range(steps):
        if random.random() < 0.8:
            events.append(kineto_traces.annotation(f"ProfilerStep#{step}", at, 90))
        if random.random() < 0.3:
            events += [kineto_traces.annotation("prefill_1", at + 1, 30), kineto_traces.mirrored("prefill_1", at + 10, 30)]
        for position, name in enumerate(kernels):
            correlation += random.random() < 0.95
            events.append(kineto_traces.call(_launch_call(random), at + 1 + position, correlation))
            start = at + 10 + 10 * position + random.choice((0, 0, 0, 0.5, 0.125))
            events.append(_gpu_kernel(random, name, start, random.choice((1, 5, 9.999, 12)), correlation))
        at += 100
    if random.random() < 0.2:
        events += [
            kineto_traces.event("gpu_memcpy", "Memcpy HtoD", at, 5, process=0, thread=7),
            kineto_traces.event("cpu_op", "aten::mm", at, 5),
        ]
    one: Tree = {**_GPU}
    header: dict[str, Tree] = {"schemaVersion": 1, "deviceProperties": [one, {**_GPU, "id": 1}] if random.random() < 0.2 else [one]}
    header |= {"distributedInfo": {"rank": 0, "world_size": 2}} if random.random() < 0.1 else {}
    name = "trace.json" if random.random() < 0.9 else "trace.json.gz"
    return {name: {**header, "traceEvents": events, "traceName": "t.json"}}


def _launch_call(random: Random) -> str:
    return random.choice(
        ("cudaLaunchKernel", "cudaLaunchKernel", "cudaLaunchKernelExC", "cudaGraphLaunch", "hipLaunchKernel", "cudaStreamSynchronize")
    )


def _gpu_kernel(random: Random, name: str, at: float, dur: float, correlation: int) -> Tree:
    if random.random() < 0.05:
        return kineto_traces.rocm_kernel(name, at, dur, correlation=correlation)
    stream = random.choice((7, 7, 7, 7, 20))
    more = {"device": 1} if random.random() < 0.03 else {"graph node id": random.randint(1, 9)} if random.random() < 0.1 else {}
    return kineto_traces.kernel(name, at, dur, stream=stream, correlation=correlation, more=more)


def nsys_sqlite(random: Random) -> Files:
    """Return an export of some launches, with calls and ranges, now and then with replays of graphs."""
    export = nsys.Export()
    at = 1000
    for number in range(random.randint(1, 10)):
        if random.random() < 0.2:
            export.range(random.choice(("prefill", "step 1", "execute_1")), at - 500, at + 4000, process=nsys.PID)
        export.call(random.choice(("cudaLaunchKernel_v7000", "cudaGraphLaunch_v10000")), at - 100, at - 50, number)
        if random.random() < 0.1:
            export.replay(at, at + 2000, number)
        else:
            more = {"graphNodeId": 1 << 48 | number} if random.random() < 0.1 else {}
            export.kernel(random.choice(NAMES), at, at + random.choice((1, 1500, 2000)), number, **more)
        at += random.choice((1000, 2500, 100_000))
    if random.random() < 0.7:
        export.row("TARGET_INFO_GPU", id=0, name="NVIDIA H100 80GB HBM3", smCount=132, computeMajor=9, computeMinor=0)
    return {"run.sqlite": json.loads(json.dumps(export.rows))}


def nsys_csv(random: Random) -> Files:
    """Return one of the two reports of `nsys stats`."""
    if random.random() < 0.4:
        header: Tree = list(reports.SUM_HEADER.split(","))
        rows: list[Tree] = [
            _strings(reports.sum_row(random.choice((3000, 100)), random.randint(1, 5), name=name)) for name in _some(random)
        ]
    else:
        header = list(reports.TRACE_HEADER.split(","))
        rows = [_strings(reports.kernel_row(1000 + 700 * index, 500, name=name)) for index, name in enumerate(_some(random) * 2)]
        rows += [_strings(reports.memory_row())] if random.random() < 0.3 else []
    lead: list[Tree] = ["Processing [run.sqlite] with [cuda_gpu_trace.py]...", ""] if random.random() < 0.3 else []
    return {"report.csv": [*lead, header, *rows]}


def ncu_csv(random: Random) -> Files:
    """Return the details or the raw page of Nsight Compute."""
    if random.random() < 0.5:
        kernels = [[random.choice(("1,024.5", "0", "64", "n/a")) for _ in range(3)] for _ in range(random.randint(1, 3))]
        units = {"dram__bytes.sum": "Kbyte", "launch__registers_per_thread": "", "gpu__time_duration.sum": "us"}
        text = reports.raw_page(units, kernels)
    else:
        rows = [reports.metric_row(*metric, number=number) for number in range(random.randint(1, 3)) for metric in _metrics(random)]
        text = reports.quoted(reports.DETAILS_HEADER, [*rows, reports.rule_row()])
    return {"ncu.csv": [[*row] for row in csv.reader(io.StringIO(text))]}


def _metrics(random: Random) -> list[tuple[str, str, str]]:
    known = [
        ("dram__bytes_read.sum", "Mbyte", "2.33"),
        ("dram__bytes_write.sum", "Kbyte", "1.5"),
        ("Duration", "us", "6.75"),
        ("Registers Per Thread", "register/thread", "168"),
        ("Static Shared Memory Per Block", "byte/block", "1,024"),
        ("Cluster Size", "", "2"),
    ]
    return random.sample(known, random.randint(1, len(known)))


def tensorrt(random: Random) -> Files:
    """Return one of what trtexec exports: times of layers, the layers, or times of runs."""
    draw = random.random()
    if draw < 0.5:
        count: list[Tree] = [{"count": random.choice((1, 10, 200))}]
        return {"profile.json": count + [json.loads(json.dumps(reports.layer(name, 5.5, 0.55, medianMs=0.5))) for name in _some(random)]}
    if draw < 0.75:
        return {"layers.json": {"Layers": [name if random.random() < 0.5 else {"Name": name} for name in _some(random)], "Bindings": []}}
    run: Tree = {"startEnqMs": 1.0, "startComputeMs": 1.0, "endComputeMs": 1.873472, "computeMs": 0.873472, "latencyMs": 0.9}
    return {"times.json": [run] * random.randint(1, 4)}


def timeline_and_ncu(random: Random) -> Files:
    """Return a timeline with an Nsight Compute file beside it."""
    return {**random.choice((kineto, nsys_sqlite, nsys_csv))(random), **ncu_csv(random)}


def _some(random: Random) -> list[str]:
    return random.sample(NAMES, random.randint(1, 5))


def _strings(row: list[object]) -> list[Tree]:
    return [str(cell) for cell in row]


FORMATS: dict[str, Callable[[Random], Files]] = {
    "kineto": kineto,
    "nsys_sqlite": nsys_sqlite,
    "nsys_csv": nsys_csv,
    "ncu_csv": ncu_csv,
    "tensorrt": tensorrt,
    "two_profiles": timeline_and_ncu,
}
