"""The small kernels of `tests/gpu/fixtures`, on the CPU and as cubins, and the devices that run them."""

from __future__ import annotations

import functools
import struct
from pathlib import Path
from typing import Any

from megasolve.contracts import Device, read_document, shipped_specs
from megasolve.gpu.compile.compiler import compile_cubin
from megasolve.gpu.compile.kernels_source import kernel_sources
from megasolve.gpu.standin.host_build import build_kernels

_FIXTURES = Path(__file__).resolve().parents[2] / "gpu/fixtures"
THREADS = 128
_DEFINES = (f"MS_THREADS={THREADS}",)
_REGISTER_COUNT = 0x2F


def probe_library(*bugs: str, sanitizer: bool = False) -> Path:
    """Return the probes for the CPU, with *bugs* planted."""
    return build_kernels("probe.cu", _probe_sources(), defines=(*_DEFINES, *bugs), sanitizer=sanitizer)


def rules_library() -> Path:
    """Return the kernels that look at the rules of the runtime."""
    return build_kernels("rules.cpp", {"rules.cpp": (_FIXTURES / "rules.cpp").read_text(encoding="utf-8")})


@functools.cache
def probe_cubin(architecture: str = "sm_90a") -> bytes:
    """Return the probes for a GPU."""
    return compile_cubin("probe.cu", _probe_sources(), architecture, _DEFINES).image


@functools.cache
def wide_cubin(architecture: str, registers: int) -> bytes:
    """Return a kernel `wide` for up to 1,024 threads that claims so many registers."""
    source = 'extern "C" __global__ void __launch_bounds__(1024) wide(float* out) { out[threadIdx.x] = 1.f; }'
    return with_registers(compile_cubin("wide.cu", {"wide.cu": source}, architecture).image, registers)


def with_registers(image: bytes, registers: int) -> bytes:
    """Return a cubin that claims so many registers for each of its kernels."""
    changed = bytearray(image)
    sections, count = struct.unpack_from("<Q", image, 40)[0], struct.unpack_from("<H", image, 60)[0]
    for i in range(count):
        _, _, _, _, start, size, _, _, _, entry = struct.unpack_from("<IIQQQQIIQQ", image, sections + 64 * i)
        if entry == 0:
            _rewrite(changed, start, start + size, registers)
    return bytes(changed)


def _rewrite(image: bytearray, at: int, end: int, registers: int) -> None:
    """Attributes are (format 4, kind, size) and a value; that of a register count is a symbol and the count."""
    while at + 12 <= end and image[at] == 4:
        kind, size = struct.unpack_from("<BH", image, at + 1)
        if (kind, size) == (_REGISTER_COUNT, 8):
            struct.pack_into("<I", image, at + 8, registers)
        at += 4 + size


def shipped_device(device: str, **changes: Any) -> Device:
    """Return a shipped device, or one that differs from it in *changes*."""
    document, _ = read_document(shipped_specs() / "devices" / f"{device}.yaml")
    assert document is not None
    assert isinstance(document.value, Device)
    return document.value.model_copy(update=changes)


def _probe_sources() -> dict[str, str]:
    return {**kernel_sources(), "probe.cu": (_FIXTURES / "probe.cu").read_text(encoding="utf-8")}
