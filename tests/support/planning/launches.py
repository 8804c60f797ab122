"""Devices, launches and contracts for tests about launch limits; each argument replaces one figure."""

from __future__ import annotations

from typing import Any

from megasolve.contracts.check.rules import limit, partition, synchronization
from megasolve.contracts.check.subjects import CONTRACT
from megasolve.contracts.limits.launches import launch_faults
from megasolve.contracts.model.contract import Contract, Launch
from megasolve.contracts.model.device import Device
from megasolve.contracts.model.findings import Fault
from megasolve.contracts.model.rules import checks_in

_H100: dict[str, Any] = {
    "megasolve": "device/v1",
    "name": "h100",
    "title": "H100, 132 SMs",
    "compute_capability": "9.0",
    "sms": 132,
    "ctas_per_sm": 32,
    "threads_per_sm": 2048,
    "threads_per_cta": 1024,
    "registers_per_sm": 65536,
    "registers_per_cta": 65536,
    "registers_per_thread": 255,
    "register_unit_per_warp": 256,
    "warp_unit_per_sm": 4,
    "shared_bytes_per_sm": 233472,
    "shared_bytes_per_cta": 232448,
    "shared_reserve_bytes": 1024,
    "shared_unit_bytes": 128,
    "hbm_peak_bytes_per_s": 3938 * 10**9,
    "hbm_sustained_bytes_per_s": 3500 * 10**9,
    "launch": {},
    "sources": {},
}
# The rules of AMD's CDNA 3 for a compute unit: wavefronts of 64, four SIMDs with 512 registers a lane, no reserve.
WAVEFRONTS: dict[str, Any] = {
    "name": "cdna3",
    "compute_capability": "9.4",
    "sms": 304,
    "threads_per_warp": 64,
    "registers_per_sm": 131072,
    "registers_per_cta": 131072,
    "registers_per_thread": 512,
    "register_unit_per_warp": 512,
    "shared_bytes_per_sm": 65536,
    "shared_bytes_per_cta": 65536,
    "shared_reserve_bytes": 0,
    "shared_unit_bytes": 512,
}
SMALL_SHARED = {"shared_bytes_per_sm": 102400, "shared_bytes_per_cta": 101376, "threads_per_sm": 1536}


def device(**figures: Any) -> Device:
    """Return a device of compute capability 9.0 with 132 SMs, but for the *figures* given."""
    return Device.model_validate(_H100 | figures)


def launch(threads: int | None = 256, registers: int | None = 64, **figures: Any) -> Launch:
    """Return a launch of *threads* threads at *registers* registers each."""
    return Launch.model_validate({"threads": threads, "registers": registers, **figures})


def megakernel(shape: Launch | None = None, **fields: Any) -> Contract:
    """Return the contract of a megakernel entry with this launch shape."""
    given = {
        "megasolve": "contract/v1",
        "entry": "mk",
        "backend": "megakernel",
        "members": ("B",),
        "launch": shape or launch(),
        "dispatch": {"kind": "stream", "host_waits": False},
        **fields,
    }
    return Contract.model_validate(given)


def conventional(shape: Launch | None = None, **fields: Any) -> Contract:
    """Return the contract of a conventional kernel with this launch shape."""
    return megakernel(shape, backend="conventional", **fields)


def codes(faults: tuple[Fault, ...]) -> list[str]:
    """Return the rule codes, in order."""
    return [fault.rule.code for fault in faults]


def budget_codes(on: Device, contract: Contract, budget_ctas: int) -> list[str]:
    """Return the rule codes of what keeps *contract* from running at a budget."""
    return codes(launch_faults(on, contract, budget_ctas))


def limit_faults(contract: Contract) -> list[Fault]:
    """Return what the rules about launches say of *contract* without a device."""
    return [fault for check in checks_in((limit, partition, synchronization)) if check.on is CONTRACT for fault in check(contract)]
