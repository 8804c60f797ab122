"""Which tool wrote a JSON file, from the keys at the top of its first 64 KiB; the rest may be broken or gigabytes long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..errors import ProfileRefused
from ..execution import Format

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[{}\[\]]', re.DOTALL)

_KINETO_KEYS = frozenset(
    {
        "baseTimeNanoseconds",
        "cuda_driver_version",
        "cuda_runtime_version",
        "cupti_version",
        "deviceProperties",
        "displayTimeUnit",
        "distributedInfo",
        "schemaVersion",
        "traceEvents",
        "traceName",
        "with_stack",
    }
)
_ROCPROF = "is a rocprofv3 profile, which is not read: record the ROCm program with torch.profiler and import that trace"
_TREX = "is a metadata file of TensorRT Engine Explorer, not a profile: import the .profile.json, .graph.json or .timing.json beside it"
_NSYS_LINES = "is the jsonlines export of nsys, which is not read: run `nsys export --type sqlite REPORT` and import what that writes"
_NSYS_STATS = "is the JSON of nsys stats, which is not read: export with --format csv, or with `nsys export --type sqlite`"
_OURS = "is a file of megasolve, not a profile"
_OTHERS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"megasolve"}), _OURS),
    (frozenset({"rocprofiler-sdk-tool"}), _ROCPROF),
    (frozenset({"CudaEvent", "NvtxEvent", "TraceProcessEvent", "GpuInfo"}), _NSYS_LINES),
    (frozenset({"performance_summary", "model_options", "build_options", "inference_options", "ComputeCapability"}), _TREX),
    (frozenset({"Start (ns)", "Time (%)", "Total Time (ns)"}), _NSYS_STATS),
)
_IN_ENTRIES: tuple[tuple[frozenset[str], Format], ...] = (
    (frozenset({"count", "timeMs", "averageMs"}), Format.TENSORRT_PROFILE),
    (frozenset({"computeMs", "latencyMs", "startComputeMs"}), Format.TENSORRT_TIMES),
    (frozenset({"ph", "ts"}), Format.KINETO),
)


@dataclass(slots=True)
class _Outline:
    """The keys at the two outer levels, and how many documents stand one behind the other."""

    documents: int = 0
    outer: list[str] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)


def recognize_json(file: str, head: str) -> Format:
    """Return the format of the JSON that begins with *head*, or raise ProfileRefused with what it is."""
    outline = _outline(head)
    outer, inner = set(outline.outer), set(outline.inner)
    is_array = head.startswith("[")
    for keys, reason in _OTHERS:
        if keys & (inner if is_array else outer):
            raise ProfileRefused(file, reason)
    if is_array:
        return _array(file, head, inner)
    if "Layers" in outer:
        return Format.TENSORRT_LAYERS
    if outer & _KINETO_KEYS:
        return Format.KINETO
    if outline.documents > 1:
        raise ProfileRefused(file, _NSYS_LINES if "Type" in outer else "is JSON lines of no known tool")
    raise ProfileRefused(file, f"is JSON of no known tool: it has none of traceEvents, Layers{_having(outline.outer)}")


def _array(file: str, head: str, inner: set[str]) -> Format:
    for keys, of in _IN_ENTRIES:
        if keys & inner:
            return of
    if not head[1:].strip(" \t\r\n]"):
        raise ProfileRefused(file, "is an empty JSON array: nothing was recorded")
    raise ProfileRefused(file, "is a JSON array of no known tool: its entries are neither trace events nor layers or times of trtexec")


def _having(keys: list[str]) -> str:
    return f", only {', '.join(' '.join(key.split())[:40] for key in keys[:5])}" if keys else ""


def _outline(head: str) -> _Outline:
    outline, depth = _Outline(), 0
    for text, is_key in _tokens(head):
        if text in {"{", "["} and not is_key:
            outline.documents += depth == 0
            depth += 1
        elif text in {"}", "]"} and not is_key:
            depth -= 1
        elif depth == 1:
            outline.outer.append(text)
        elif depth == 2:
            outline.inner.append(text)
    return outline


def _tokens(head: str) -> Iterator[tuple[str, bool]]:
    """Yield brackets, and keys marked as such."""
    for match in _TOKEN.finditer(head):
        if match[2]:
            yield match[1], True
        elif match[1] is None:
            yield match[0], False
