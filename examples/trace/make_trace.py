"""Write decoder.json.gz: what a PyTorch profiler would record of four decode steps of a small language model, run eagerly.

The model does not exist, and neither do these times: each kernel takes its bytes at 60 % of the bandwidth of an H100 plus 1.5 us, and the
host calls for one every 5 us. It is here so that the guide has a trace to begin with, small enough to be read by eye.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BATCH, TOKENS, STEPS, LAYERS = 4, 512, 4, 6
WIDTH, HEADS, KV_HEADS, HEAD_DIM, HIDDEN, VOCABULARY = 1024, 16, 4, 64, 2816, 32_000
BYTES_PER_US, FIXED_US, CALL_US = 3.35e12 * 0.6 / 1e6, 1.5, 5.0

Event = dict[str, Any]


@dataclass(frozen=True)
class Kernel:
    """One kernel of a step: the operator that calls for it, its operands (all of bf16 but for indices), its name and its launch."""

    operator: str
    operands: list[list[int]]
    name: str
    grid: int
    threads: int
    registers: int
    shared_bytes: int = 0
    types: str = "c10::BFloat16"
    concrete: tuple[str, ...] = ()

    @property
    def time_us(self) -> float:
        """How long it takes: its operands once, and what every kernel has."""
        elements = sum(_product(sides) for sides in self.operands)
        return round(2 * elements / BYTES_PER_US + FIXED_US, 3)


def _product(sides: list[int]) -> int:
    product = 1 if sides else 0
    for side in sides:
        product *= side
    return product


def _gemm(rows: int, inner: int, columns: int) -> Kernel:
    return Kernel("aten::mm", [[rows, inner], [inner, columns]], "gemm_bf16_64x128", columns // 128, 256, 128, 98_304)


def _norm() -> Kernel:
    return Kernel("vllm::rms_norm", [[BATCH, WIDTH], [BATCH, WIDTH], [WIDTH]], "rms_norm", BATCH, 256, 32)


def _layer() -> Iterator[Kernel]:
    query = HEADS * HEAD_DIM
    yield _norm()
    yield _gemm(BATCH, WIDTH, query + 2 * KV_HEADS * HEAD_DIM)
    sides = [[BATCH, HEADS, 1, HEAD_DIM], [BATCH, KV_HEADS, TOKENS, HEAD_DIM], [BATCH, KV_HEADS, TOKENS, HEAD_DIM]]
    causal = ("", "", "", "0.", "False")
    yield Kernel("aten::_scaled_dot_product_flash_attention", sides, "flash_decode", BATCH * KV_HEADS, 128, 120, 65_536, concrete=causal)
    yield _gemm(BATCH, query, WIDTH)
    yield Kernel("aten::add", [[BATCH, WIDTH], [BATCH, WIDTH]], "add", BATCH, 256, 16)
    yield _norm()
    yield _gemm(BATCH, WIDTH, 2 * HIDDEN)
    yield Kernel("vllm::silu_and_mul", [[BATCH, HIDDEN], [BATCH, 2 * HIDDEN]], "silu_and_mul", BATCH, 512, 32)
    yield _gemm(BATCH, HIDDEN, WIDTH)
    yield Kernel("aten::add", [[BATCH, WIDTH], [BATCH, WIDTH]], "add", BATCH, 256, 16)


def _step() -> Iterator[Kernel]:
    for _ in range(LAYERS):
        yield from _layer()
    yield _norm()
    yield _gemm(BATCH, WIDTH, VOCABULARY)


@dataclass
class Recording:
    """The events so far, the time of the host, and the time until which the device is busy."""

    events: list[Event] = field(default_factory=list)
    host_us: float = 1_000.0
    busy_until_us: float = 0.0
    launches: int = 0

    def launch(self, kernel: Kernel) -> None:
        """Record the operator, its launch call and its kernel."""
        self.launches += 1
        number = {"External id": self.launches, "correlation": self.launches}
        shapes = {"Input Dims": kernel.operands, "Input type": [kernel.types] * len(kernel.operands), "Concrete Inputs": [*kernel.concrete]}
        self._add("cpu_op", kernel.operator, self.host_us, CALL_US - 0.5, {"External id": self.launches, **shapes})
        self._add("cuda_runtime", "cudaLaunchKernel", self.host_us + 1, 2.5, {"cbid": 211, **number})
        begun_us = max(self.host_us + 4, self.busy_until_us + 0.8)
        launched = {
            "device": 0,
            "context": 1,
            "stream": 7,
            "grid": [kernel.grid, 1, 1],
            "block": [kernel.threads, 1, 1],
            "registers per thread": kernel.registers,
            "shared memory": kernel.shared_bytes,
        }
        self._add("kernel", kernel.name, begun_us, kernel.time_us, {**launched, **number})
        self.host_us += CALL_US
        self.busy_until_us = begun_us + kernel.time_us

    def step(self, number: int) -> None:
        """Record one step, with the mark that the profiler sets around it, and the wait of the host for its end."""
        begun_us = self.host_us
        for kernel in _step():
            self.launch(kernel)
        self.host_us = max(self.host_us, self.busy_until_us) + 20
        self._add("user_annotation", f"ProfilerStep#{number}", begun_us, self.host_us - begun_us, {})

    def _add(self, category: str, name: str, start_us: float, time_us: float, details: Event) -> None:
        process, thread = (0, 7) if category == "kernel" else (100, 100)
        start, time = round(start_us, 3), round(time_us, 3)
        event = {"ph": "X", "cat": category, "name": name, "pid": process, "tid": thread, "ts": start, "dur": time, "args": details}
        self.events.append(event)


def main() -> None:
    """Write the trace beside this file."""
    recording = Recording()
    for number in range(STEPS):
        recording.step(number + 1)
    device = {"id": 0, "name": "NVIDIA H100 80GB HBM3", "computeMajor": 9, "computeMinor": 0, "numSms": 132}
    trace = {"schemaVersion": 1, "deviceProperties": [device], "traceEvents": recording.events, "traceName": "decoder.json"}
    packed = gzip.compress(json.dumps(trace, separators=(",", ":")).encode(), mtime=0)
    (Path(__file__).parent / "decoder.json.gz").write_bytes(packed)


if __name__ == "__main__":
    main()
