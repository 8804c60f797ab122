"""JSON of other tools, told by its keys, and why each is no profile that a plan can be made from."""

from __future__ import annotations

from collections.abc import Collection

from .remedies import RECORD, ROCM, SQLITE, TORCH_TRACE

_CPU = f"which has samples of the CPU and no kernels: {RECORD}"
_ROCPROF = f"is a rocprofv3 profile, which is not read: {ROCM}"
_TREX = "is a metadata file of TensorRT Engine Explorer, not a profile: import the .profile.json, .graph.json or .timing.json beside it"
_NSYS_LINES = f"is the jsonlines export of nsys, which is not read: {SQLITE}"
_SNAPSHOT = f"is a memory snapshot of PyTorch, which has allocations and no kernels: {TORCH_TRACE}"
_PROTON = f"is a profile of Triton's Proton (hatchet), which has sums by call path: {TORCH_TRACE}"
_BENCHMARK = f"is the result of a serving benchmark, which has latencies and no kernels: {RECORD}"
_MODEL = f"is the configuration of a model, not a profile of its run: {RECORD}"

# A file is the first any of whose keys are there, or where several stand in one entry, all of them.
_ANY: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"megasolve"}), "is a file of megasolve, not a profile"),
    (frozenset({"rocprofiler-sdk-tool"}), _ROCPROF),
    (frozenset({"CudaEvent", "NvtxEvent", "TraceProcessEvent", "GpuInfo"}), _NSYS_LINES),
    (frozenset({"performance_summary", "model_options", "build_options", "inference_options", "ComputeCapability"}), _TREX),
    (
        frozenset({"Start (ns)", "Time (%)", "Total Time (ns)"}),
        "is the JSON of nsys stats, which is not read: export with --format csv, or with `nsys export --type sqlite`",
    ),
)
_ALL: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"segments", "device_traces"}), _SNAPSHOT),
    (frozenset({"frame", "metrics", "children"}), _PROTON),
    (
        frozenset({"file", "batch_size", "mode"}),
        "is the list of an engine's capture traces, not a trace: import the trace of the run beside it",
    ),
    (frozenset({"nodes", "samples", "timeDeltas"}), f"is a profile of JavaScript, {_CPU}"),
    (frozenset({"profiles", "shared"}), f"is a profile of speedscope, {_CPU}"),
    (frozenset({"schema", "nodes", "pid"}), f"is an execution trace of PyTorch (Chakra), which has operators and no times: {TORCH_TRACE}"),
    (frozenset({"cells", "nbformat"}), f"is a notebook, not the profile of its run: {RECORD}"),
    (frozenset({"architectures", "model_type"}), _MODEL),
    (frozenset({"metadata", "weight_map"}), _MODEL),
    (frozenset({"hidden_size", "num_hidden_layers"}), _MODEL),
    (frozenset({"mean_ttft_ms"}), _BENCHMARK),
    (frozenset({"request_throughput"}), _BENCHMARK),
    (frozenset({"context", "benchmarks"}), f"is the result of Google Benchmark, which has no kernels: {RECORD}"),
    (frozenset({"machine_info", "benchmarks"}), f"is the result of pytest-benchmark, which has no kernels: {RECORD}"),
    (frozenset({"resourceSpans"}), f"is traces of OpenTelemetry, which have requests and no kernels: {RECORD}"),
)


def json_reason(keys: Collection[str]) -> str | None:
    """Return why JSON with *keys* at its top, or in the entries of its array, is refused; None where it is of no known tool."""
    named = set(keys)
    for signature, reason in _ANY:
        if signature & named:
            return reason
    return next((reason for signature, reason in _ALL if signature <= named), None)
