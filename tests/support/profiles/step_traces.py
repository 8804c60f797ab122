"""A small trace of marked steps on an H100, for the commands that read profiles."""

from __future__ import annotations

from pathlib import Path

from tests.support.disk.files import write
from tests.support.profiles.kineto_traces import annotation, call, kernel, trace_text

GPU = {"id": 0, "name": "NVIDIA H100 80GB HBM3", "numSms": 132, "computeMajor": 9, "computeMinor": 0}


def trace(folder: Path, *, steps: int = 3, name: str = "trace.json", **header: object) -> str:
    """Write a trace of *steps* marked steps: a gemm of 10 microseconds and a norm of 2, with a gap of 1 before the norm."""
    events = []
    for step in range(steps):
        start = 100 * step
        events += [annotation(f"ProfilerStep#{step}", start, 90)]
        for number, (kernel_name, at, dur) in enumerate((("gemm", 10, 10), ("norm", 21, 2))):
            correlation = 10 * step + number + 1
            events += [call("cudaLaunchKernel", start + 1 + number, correlation)]
            events += [kernel(kernel_name, start + at, dur, correlation=correlation)]
    return write(folder, name, trace_text(*events, **{"deviceProperties": [GPU], **header}))


def waiting_trace(folder: Path, *, wait_us: int, cold_us: int = 50, steps: int = 4, name: str = "trace.json") -> str:
    """Write a trace of *steps* marked steps, with *wait_us* before each but the first: a gemm of 50 microseconds, 1 later a norm of 9.

    The gemm of the first step lasts *cold_us*.
    """
    events, at = [], 100
    for step in range(steps):
        marked_us, begins = at - 60, at
        for number, (kernel_name, dur) in enumerate((("gemm", 50 if step else cold_us), ("norm", 9)), 2 * step + 1):
            events += [call("cudaLaunchKernel", begins - 50 + number % 2, number), kernel(kernel_name, at, dur, correlation=number)]
            at += dur + 1
        events.append(annotation(f"ProfilerStep#{step}", marked_us, 20))
        at += wait_us
    return write(folder, name, trace_text(*events, deviceProperties=[GPU]))
