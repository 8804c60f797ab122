"""The GPUs of an Nsight Systems export, and which of them a process means by the number of a CUDA device."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..execution import ObservedDevice, ObservedLimits, Site
from .database import Database, process_of

SITE = ("globalPid", "deviceId", "contextId", "streamId")

_GPUS = "TARGET_INFO_GPU"
_CUDA_DEVICES = "TARGET_INFO_CUDA_DEVICE"
_LIMITS = {
    "threadsPerWarp": "threads_per_warp",
    "maxWarpsPerSm": "warps_per_sm",
    "maxBlocksPerSm": "ctas_per_sm",
    "maxThreadsPerBlock": "threads_per_cta",
    "maxRegistersPerSm": "registers_per_sm",
    "maxRegistersPerBlock": "registers_per_cta",
    "maxShmemPerSm": "shared_bytes_per_sm",
    "maxShmemPerBlockOptin": "shared_bytes_per_cta",
    "l2CacheSize": "l2_bytes",
    "totalMemory": "memory_bytes",
    "memoryBandwidth": "memory_bytes_per_s",
}
_DESCRIPTION = ("id", "cuDevice", "name", "smCount", "computeMajor", "computeMinor")


@dataclass(frozen=True, slots=True)
class Gpus:
    """What an export says about its GPUs; *described* is by number.

    *numbers* maps (process, CUDA device) to a GPU, as CUDA_VISIBLE_DEVICES gives every process its own numbers; without that table the
    CUDA device's number stands for the GPU.
    """

    described: Mapping[int, ObservedDevice]
    numbers: Mapping[tuple[int | None, int], int]

    def devices(self, used: Collection[int | None]) -> tuple[ObservedDevice, ...]:
        """Return the descriptions of the *used* GPUs, as far as there are any, by number."""
        return tuple(self.described[number] for number in sorted(self.described) if number in used)


class Sites:
    """The places where kernels ran, one object for each."""

    def __init__(self, database: Database, gpus: Gpus) -> None:
        self._database = database
        self._gpus = gpus
        self._known: dict[tuple[Any, ...], Site] = {}

    def at(self, table: str, row: int, cells: tuple[Any, ...]) -> Site:
        """Return the site that the SITE *cells* of a row name; ProfileRefused where one is not a number."""
        return self._known.get(cells) or self._known.setdefault(cells, self._site(table, row, cells))

    def _site(self, table: str, row: int, cells: tuple[Any, ...]) -> Site:
        numbers = [self._database.whole(table, row, column, cell) for column, cell in zip(SITE, cells, strict=True)]
        process_id, device, context, stream = numbers
        process = process_of(process_id)
        gpu = None if device is None else self._gpus.numbers.get((process, device), device)
        return Site(gpu, context, stream, process)


def gpus(database: Database) -> Gpus:
    """Return what *database* says about its GPUs, which may be nothing."""
    pairs = database.select(_CUDA_DEVICES, ("pid", "cudaId", "gpuId"))
    numbers = {(pid, cuda): gpu for pid, cuda, gpu in pairs if isinstance(cuda, int) and isinstance(gpu, int)}
    described = {}
    for (number, cuda, name, sms, major, minor), limits in zip(database.select(_GPUS, _DESCRIPTION), _limits(database), strict=True):
        shown = number if numbers or cuda is None else cuda
        capability = f"{major}.{minor}" if isinstance(major, int) and isinstance(minor, int) else None
        if isinstance(shown, int):
            known = replace(limits, generation=capability)
            described[shown] = ObservedDevice(shown, name or None, sms if isinstance(sms, int) and sms > 0 else None, capability, known)
    return Gpus(described, numbers)


def _limits(database: Database) -> list[ObservedLimits]:
    """Return the limits of each GPU, in the order of the table; what an older export does not have is unknown."""
    found = []
    for row in database.select(_GPUS, tuple(_LIMITS)):
        known: dict[str, Any] = {key: cell for key, cell in zip(_LIMITS.values(), row, strict=True) if isinstance(cell, int) and cell > 0}
        threads = known.pop("warps_per_sm", 0) * known.get("threads_per_warp", 0)
        found.append(ObservedLimits(**known, threads_per_sm=threads or None))
    return found
