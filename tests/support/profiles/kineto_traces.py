"""Small Kineto traces of our own making: events as the profiler writes them, and the file around them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts.profiles import Execution, ProfileRefused
from megasolve.contracts.profiles.kineto.trace import read_kineto
from megasolve.contracts.profiles.text.source import source

PROCESS = 100

Event = dict[str, Any]


def kernel(
    name: str = "k",
    ts: object = 10,
    dur: object = 5,
    *,
    stream: int = 7,
    correlation: int | None = 1,
    more: Mapping[str, object] | None = None,
    **args: object,
) -> Event:
    """Return a kernel as Kineto has written it for NVIDIA GPUs since 2023; *args* and *more* replace or add arguments."""
    known = {"device": 0, "context": 1, "stream": stream, "correlation": correlation, "registers per thread": 32, "shared memory": 1024}
    shape = {"grid": [4, 1, 1], "block": [128, 1, 1]}
    every = {**known, **shape, **args, **(more or {})}
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": ts, "dur": dur, "args": every}


def rocm_kernel(name: str = "k", ts: object = 10, dur: object = 5, *, correlation: int = 1, **args: object) -> Event:
    """Return a kernel as Kineto writes it for AMD GPUs: no registers, no shared memory, and a grid only in *args*."""
    known = {"device": 2, "stream": 0, "correlation": correlation, "kind": "Dispatch Kernel"}
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 2, "tid": 0, "ts": ts, "dur": dur, "args": {**known, **args}}


def call(name: str, ts: object, correlation: int, *, dur: object = 1, thread: object = 1, process: object = PROCESS) -> Event:
    """Return a call of the runtime."""
    args = {"cbid": 211, "correlation": correlation}
    return {"ph": "X", "cat": "cuda_runtime", "name": name, "pid": process, "tid": thread, "ts": ts, "dur": dur, "args": args}


def annotation(name: str, ts: object, dur: object, *, thread: object = 1, external: int = 0) -> Event:
    """Return an annotation of the host."""
    args = {"External id": external}
    return {"ph": "X", "cat": "user_annotation", "name": name, "pid": PROCESS, "tid": thread, "ts": ts, "dur": dur, "args": args}


def mirrored(name: str, ts: object, dur: object, *, stream: int = 7, external: int = 0) -> Event:
    """Return the mirror of an annotation on a stream of device 0."""
    args = {"External id": external}
    return {"ph": "X", "cat": "gpu_user_annotation", "name": name, "pid": 0, "tid": stream, "ts": ts, "dur": dur, "args": args}


def event(category: str, name: str, ts: object, dur: object, *, process: object = PROCESS, thread: object = 1) -> Event:
    """Return a complete event of any category."""
    return {"ph": "X", "cat": category, "name": name, "pid": process, "tid": thread, "ts": ts, "dur": dur, "args": {}}


def launched(name: str, ts: int, correlation: int, *, after: int = 10) -> tuple[Event, Event]:
    """Return the launch call of a kernel at *ts*, and the kernel *after* that many microseconds."""
    return call("cudaLaunchKernel", ts, correlation), kernel(name, ts + after, correlation=correlation)


def trace_text(*events: Event, **header: object) -> str:
    """Return the text of a trace; "#1.250#" among the values of an event becomes the number 1.250."""
    whole: Mapping[str, object] = {"schemaVersion": 1, **header, "traceEvents": list(events), "traceName": "t.json"}
    return json.dumps(whole).replace('"#', "").replace('#"', "")


def written(folder: Path, text: str | bytes, name: str = "trace.json") -> Path:
    """Write *text* as a file of *folder*."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def read_trace(folder: Path, *events: Event, name: str = "trace.json", recover: bool = False, **header: object) -> Execution:
    """Write a trace into *folder* and import it."""
    return read_kineto(source(written(folder, trace_text(*events, **header), name)), recover=recover)


def refusal(folder: Path, *events: Event) -> str:
    """Write a trace into *folder* and return why its import is refused."""
    with pytest.raises(ProfileRefused) as caught:
        read_trace(folder, *events)
    return caught.value.reason


def noted(execution: Execution, *parts: str) -> bool:
    """Whether one note of *execution* has all of *parts*."""
    return any(all(part in note for part in parts) for note in execution.notes)
