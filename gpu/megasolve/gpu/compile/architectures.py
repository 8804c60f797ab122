"""The architectures that the kernels are compiled for, by the compute capability that a driver or a device file states."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import GpuError

ARCHITECTURES: Mapping[str, str] = {"8.0": "sm_80", "9.0": "sm_90a", "10.0": "sm_100a", "12.0": "sm_120"}
"""By compute capability. One ending in `a` runs on that capability only; the others are kept as exact, as nothing else is tested."""


def architecture_of(compute_capability: str) -> str:
    """Return the architecture to compile for.

    Raises
    ------
    GpuError
        The kernels are not made for this capability.
    """
    if compute_capability not in ARCHITECTURES:
        known = ", ".join(f"{capability} ({architecture})" for capability, architecture in ARCHITECTURES.items())
        raise GpuError(f"no kernels for compute capability {compute_capability}; they are compiled for {known}")
    return ARCHITECTURES[compute_capability]
