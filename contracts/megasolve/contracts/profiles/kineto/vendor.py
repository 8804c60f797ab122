"""Whose GPU a Kineto trace is of, and why its profiler leaves out what another vendor's writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from ..execution import ObservedDevice


class Vendor(Enum):
    """The makers of GPUs that PyTorch's profiler records."""

    AMD = "AMD"
    INTEL = "Intel"
    NVIDIA = "NVIDIA"


_CALLS = (
    (re.compile(r"hip[A-Z]"), Vendor.AMD),
    (re.compile(r"ur[A-Z]|ze[A-Z]|sycl"), Vendor.INTEL),
    (re.compile(r"cuda|cu[A-Z]"), Vendor.NVIDIA),
)
_ARGUMENTS = {"hsa_queue": Vendor.AMD, "l0 queue": Vendor.INTEL, "sycl queue": Vendor.INTEL, "registers per thread": Vendor.NVIDIA}
_DISPATCHES = ("Dispatch Kernel", "Dispatch Task")
_VERSIONS = {
    "roctracer_version": Vendor.AMD,
    "rocprofiler_version": Vendor.AMD,
    "hip_runtime_version": Vendor.AMD,
    "hip_driver_version": Vendor.AMD,
    "cupti_version": Vendor.NVIDIA,
    "cuda_runtime_version": Vendor.NVIDIA,
    "cuda_driver_version": Vendor.NVIDIA,
}
_DEVICES = (
    (re.compile(r"\b(?:AMD|Instinct|Radeon|gfx\d+)\b", re.IGNORECASE), Vendor.AMD),
    (re.compile(r"\bIntel\b", re.IGNORECASE), Vendor.INTEL),
    (re.compile(r"\b(?:NVIDIA|GeForce|Tesla|Quadro)\b", re.IGNORECASE), Vendor.NVIDIA),
)

WHY_NO_GRID: Mapping[Vendor, str] = MappingProxyType(
    {
        Vendor.AMD: "AMD's profiler knows it only for launches that it saw, outside of graphs",
        Vendor.INTEL: "Intel's profiler writes none",
        Vendor.NVIDIA: "NVIDIA's profiler writes it for every kernel, so whatever rewrote the trace left it out",
    }
)


@lru_cache(maxsize=4096)
def vendor_of_call(name: str) -> Vendor | None:
    """Return whose runtime has the call *name*, None where it is of none of them."""
    return next((vendor for spelling, vendor in _CALLS if spelling.match(name)), None)


def vendor_of_arguments(arguments: Mapping[str, Any]) -> Vendor | None:
    """Return whose profiler writes the arguments of a kernel, None where all do."""
    if arguments.get("kind") in _DISPATCHES:
        return Vendor.AMD
    return next((vendor for name, vendor in _ARGUMENTS.items() if name in arguments), None)


def vendor_of(header: Mapping[str, Any], devices: Iterable[ObservedDevice], told: Iterable[Vendor]) -> Vendor | None:
    """Return the vendor that everything in a trace agrees on, None where nothing tells it or several are named.

    *told* is what its calls and kernels tell.
    """
    found = {vendor for key, vendor in _VERSIONS.items() if key in header} | set(told)
    for device in devices:
        found.update(vendor for spelling, vendor in _DEVICES if device.name and spelling.search(device.name))
    return found.pop() if len(found) == 1 else None
