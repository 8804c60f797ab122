"""What a Kineto trace says beside its events: devices, versions, and which rank of how many it is."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..execution import ObservedDevice, ObservedLimits
from .fields import positive, printable, whole

# What tells one trace from another: twice in one file, and two traces were written into it.
IDENTITY = frozenset({"baseTimeNanoseconds", "deviceProperties", "distributedInfo", "schemaVersion", "traceEvents", "traceName"})

_VERSIONS: Mapping[str, str] = MappingProxyType(
    {
        "schemaVersion": "Kineto schema",
        "cupti_version": "CUPTI",
        "cuda_runtime_version": "CUDA runtime",
        "cuda_driver_version": "CUDA driver",
        "roctracer_version": "roctracer",
        "rocprofiler_version": "rocprofiler",
        "hip_runtime_version": "HIP runtime",
        "hip_driver_version": "HIP driver",
    }
)
_DEVICES = ("deviceProperties", "computeProperties")

# The only members of a trace that are looked at: the others hold host and user names, job names, logs and paths.
KEPT = frozenset({*_VERSIONS, *_DEVICES, "distributedInfo"})


def devices_of(header: Mapping[str, Any]) -> tuple[ObservedDevice, ...]:
    """Return the devices that *header* describes; in early 2021 they stood under another key, with other names."""
    described = next((header[key] for key in _DEVICES if isinstance(header.get(key), list)), ())
    devices = (_device(properties) for properties in described if isinstance(properties, dict))
    return tuple(device for device in devices if device is not None)


def versions_of(header: Mapping[str, Any]) -> dict[str, str]:
    """Return the versions of the tools, by name; CUDA's as people write them (12040 is 12.4)."""
    versions = {name: header[key] for key, name in _VERSIONS.items() if isinstance(header.get(key), int | str)}
    return {name: _cuda(found) if name in {"CUDA runtime", "CUDA driver"} else printable(str(found)) for name, found in versions.items()}


def rank_of(header: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return the rank and the number of ranks that *header* states."""
    distributed = header.get("distributedInfo")
    if not isinstance(distributed, dict):
        return None, None
    return whole(distributed.get("rank")), positive(distributed.get("world_size"))


def _device(properties: Mapping[str, Any]) -> ObservedDevice | None:
    number = whole(properties.get("id"))
    if number is None:
        return None
    name = properties.get("name")
    return ObservedDevice(
        number=number,
        name=printable(name) if isinstance(name, str) and name else None,
        sms=positive(properties.get("numSms", properties.get("multiProcessorCount"))),
        compute_capability=_compute_capability(properties),
        limits=_limits(properties),
    )


def _limits(properties: Mapping[str, Any]) -> ObservedLimits:
    """Return the limits in *properties*: CUDA and HIP name some of them differently."""
    major, minor = (
        whole(properties.get("computeMajor", properties.get("major"))),
        whole(properties.get("computeMinor", properties.get("minor"))),
    )
    registers = positive(properties.get("regsPerBlock"))
    shared = positive(properties.get("sharedMemPerBlockOptin")) or positive(properties.get("sharedMemPerBlock"))
    per_sm = positive(properties.get("sharedMemPerMultiprocessor")) or positive(properties.get("maxSharedMemoryPerMultiProcessor"))
    return ObservedLimits(
        generation=None if major is None or minor is None else f"{major}.{minor}",
        threads_per_warp=positive(properties.get("warpSize")),
        threads_per_sm=positive(properties.get("maxThreadsPerMultiprocessor")),
        threads_per_cta=positive(properties.get("maxThreadsPerBlock")),
        registers_per_sm=positive(properties.get("regsPerMultiprocessor")) or registers,
        registers_per_cta=registers,
        shared_bytes_per_sm=per_sm,
        shared_bytes_per_cta=shared,
        memory_bytes=positive(properties.get("totalGlobalMem")),
    )


def _compute_capability(properties: Mapping[str, Any]) -> str | None:
    major = whole(properties.get("computeMajor", properties.get("major")))
    minor = whole(properties.get("computeMinor", properties.get("minor")))
    # AMD puts the generation of its architecture in the same fields; its waves are of 64 lanes.
    if major is None or minor is None or whole(properties.get("warpSize")) == 64:
        return None
    return f"{major}.{minor}"


def _cuda(version: int | str) -> str:
    number = whole(version)
    return printable(str(version)) if number is None else f"{number // 1000}.{number % 1000 // 10}"
