"""What a trace lacks is explained by the vendor whose profiler wrote it, and by no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.profiles.kineto_traces import Event, call, event, kernel, noted, read_trace, rocm_kernel

OF_AMD = "no grid for 1 of 1 kernel: AMD's profiler knows it only for launches that it saw, outside of graphs"
OF_INTEL = "no grid for 1 of 1 kernel: Intel's profiler writes none"
OF_NVIDIA = "no grid for 1 of 1 kernel: NVIDIA's profiler writes it for every kernel, so whatever rewrote the trace left it out"
UNKNOWN = "no grid for 1 of 1 kernel"


def bare_kernel(**args: object) -> Event:
    return {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 1, "ts": 10, "dur": 5, "args": args}


@pytest.mark.parametrize(
    ("events", "header", "said"),
    [
        ([rocm_kernel()], {}, OF_AMD),
        ([bare_kernel(hsa_queue=1)], {}, OF_AMD),
        ([bare_kernel()], {"hip_runtime_version": 60443483}, OF_AMD),
        ([bare_kernel()], {"deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X"}]}, OF_AMD),
        ([call("hipGraphLaunch", 1, 1), bare_kernel(correlation=1)], {}, OF_AMD),
        ([bare_kernel(**{"sycl queue": 64, "l0 queue": "0x17"})], {}, OF_INTEL),
        ([bare_kernel()], {"deviceProperties": [{"id": 0, "name": "Intel(R) Arc(TM) B580 Graphics"}]}, OF_INTEL),
        ([event("xpu_runtime", "urEnqueueKernelLaunch", 1, 1), bare_kernel()], {}, OF_INTEL),
        ([bare_kernel(**{"registers per thread": 32})], {}, OF_NVIDIA),
        ([bare_kernel()], {"deviceProperties": [{"id": 0, "name": "Tesla V100-SXM2-16GB"}]}, OF_NVIDIA),
        ([call("cudaLaunchKernel", 1, 1), bare_kernel(correlation=1)], {}, OF_NVIDIA),
        ([bare_kernel()], {}, UNKNOWN),
        ([bare_kernel()], {"deviceProperties": [{"id": 0, "name": "Ascend910B"}]}, UNKNOWN),
        ([event("privateuse1_runtime", "launchKernel", 1, 1), bare_kernel()], {}, UNKNOWN),
        ([bare_kernel(**{"l0 queue": "0x1"})], {"cupti_version": 26}, UNKNOWN),
        ([bare_kernel(kind=["Dispatch Kernel"])], {"deviceProperties": [{"id": 0, "name": 7}]}, UNKNOWN),
    ],
)
def test_each_vendor_has_a_reason_of_its_own_and_an_unknown_one_none(
    tmp_path: Path, events: list[Event], header: dict[str, Any], said: str
) -> None:
    assert said in read_trace(tmp_path, *events, **header).notes


def test_a_kernel_with_its_grid_needs_no_reason(tmp_path: Path) -> None:
    assert not noted(read_trace(tmp_path, kernel()), "grid")
