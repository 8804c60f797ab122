"""Devices as the driver describes them, and the context that everything else is made in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from megasolve.contracts import Device as DeclaredDevice

from ..standin.driver_double import is_stand_in
from .calls import ask, bindings
from .guarded import Guarded

_ATTRIBUTES = {
    "sms": "MULTIPROCESSOR_COUNT",
    "ctas_per_sm": "MAX_BLOCKS_PER_MULTIPROCESSOR",
    "threads_per_sm": "MAX_THREADS_PER_MULTIPROCESSOR",
    "threads_per_cta": "MAX_THREADS_PER_BLOCK",
    "registers_per_sm": "MAX_REGISTERS_PER_MULTIPROCESSOR",
    "registers_per_cta": "MAX_REGISTERS_PER_BLOCK",
    "shared_bytes_per_sm": "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "shared_bytes_per_cta": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "shared_reserve_bytes": "RESERVED_SHARED_MEMORY_PER_BLOCK",
    "l2_bytes": "L2_CACHE_SIZE",
    "clock_khz": "CLOCK_RATE",
    "memory_clock_khz": "MEMORY_CLOCK_RATE",
}
_COMPARED = tuple(name for name in _ATTRIBUTES if name not in {"clock_khz", "memory_clock_khz"})


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """One device as its driver describes it. *fake* marks the stand-in that plays one: nothing that ran on it was measured."""

    ordinal: int
    name: str
    uuid: str
    compute_capability: str
    memory_bytes: int
    sms: int
    ctas_per_sm: int
    threads_per_sm: int
    threads_per_cta: int
    registers_per_sm: int
    registers_per_cta: int
    shared_bytes_per_sm: int
    shared_bytes_per_cta: int
    shared_reserve_bytes: int
    l2_bytes: int
    clock_khz: int
    memory_clock_khz: int
    launches_cooperatively: bool
    has_watchdog: bool
    fake: bool


def device_facts(ordinal: int) -> DeviceFacts:
    """Return what the driver says of device *ordinal*; the driver must have been initialized."""
    device = ask("cuDeviceGet", ordinal)
    name = ask("cuDeviceGetName", 256, device).split(b"\0")[0].decode()
    major, minor = _attribute(device, "COMPUTE_CAPABILITY_MAJOR"), _attribute(device, "COMPUTE_CAPABILITY_MINOR")
    return DeviceFacts(
        ordinal=ordinal,
        name=name,
        uuid=_uuid_text(bytes(ask("cuDeviceGetUuid", device).bytes)),
        compute_capability=f"{major}.{minor}",
        memory_bytes=ask("cuDeviceTotalMem", device),
        launches_cooperatively=_attribute(device, "COOPERATIVE_LAUNCH") == 1,
        has_watchdog=_attribute(device, "KERNEL_EXEC_TIMEOUT") == 1,
        fake=is_stand_in(name),
        **{field: _attribute(device, attribute) for field, attribute in _ATTRIBUTES.items()},
    )


def differences(facts: DeviceFacts, declared: DeclaredDevice) -> tuple[str, ...]:
    """Return in which figures this device is not the one that a spec *declared*; a device of the same architecture may differ."""
    return tuple(_differing(facts, declared))


def _differing(facts: DeviceFacts, declared: DeclaredDevice) -> Iterator[str]:
    for name in ("compute_capability", *_COMPARED):
        here, there = getattr(facts, name), getattr(declared, name)
        # A figure that the file leaves out is not compared: it says nothing, so nothing contradicts it.
        if there is not None and here != there:
            yield f"{name}: {_shown(here)} here, {_shown(there)} in {declared.name}"


class Context(Guarded):
    """The primary context of a device, current in the thread that opened it; *device* says what it runs on."""

    def __init__(self, ordinal: int = 0) -> None:
        ask("cuInit", 0)
        self.device = device_facts(ordinal)
        device = ask("cuDeviceGet", ordinal)
        # The primary context, shared with the libraries of the process; a second one would take turns with it on the device.
        context = ask("cuDevicePrimaryCtxRetain", device)
        super().__init__(device, "cuDevicePrimaryCtxRelease")
        # Guarded by now: a context that cannot be made current is released all the same.
        ask("cuCtxSetCurrent", context)

    def synchronize(self) -> None:
        """Wait until everything in the context is done. Without a deadline: never call it while a kernel may spin."""
        ask("cuCtxSynchronize")

    def free_bytes(self) -> int:
        """Return the memory of the device that is not in use, by any process."""
        free, _ = ask("cuMemGetInfo")
        return int(free)


def _attribute(device: object, name: str) -> int:
    attribute = getattr(bindings().CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
    return int(ask("cuDeviceGetAttribute", attribute, device))


def _uuid_text(raw: bytes) -> str:
    """Return the form that nvidia-smi and NVML use."""
    digits = raw.hex()
    return f"GPU-{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _shown(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else value
