"""What a call inside an assumed megakernel takes: its kernels' own times at some efficiency, and one wait behind each of them.

On fewer CTAs a kernel slows by whole waves, while its bytes keep their time (`simulate/events/waves.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil

from megasolve.contracts import PS_PER_SECOND, Device
from megasolve.contracts.model.contract import Assumption
from megasolve.simulate.events.waves import opaque_ps

from .kernels import KernelToday


@dataclass(frozen=True, slots=True)
class CallTime:
    """One call: its time and, where all its kernels say it, the bytes that it moves."""

    time_ps: int
    hbm_bytes: int | None


def call_time(
    device: Device, assumption: Assumption, kernels: Sequence[KernelToday], workers: int, *, is_first: bool, kept_bytes: int = 0
) -> CallTime:
    """Return what one call of *kernels* takes on *workers* CTAs.

    The call that *is_first* in its region waits for nothing before it; *kept_bytes* stay on chip, so that nobody stores or loads them.
    """
    efficiency = Fraction(assumption.efficiency) if isinstance(assumption.efficiency, Decimal) else Fraction(1)
    spent = sum((_on(device, kernel, workers) for kernel in kernels), Fraction(0)) / efficiency
    kept_ps = Fraction(kept_bytes * PS_PER_SECOND, device.hbm_sustained_bytes_per_s)
    waits = sum(kernel.contract.value.kernels for kernel in kernels) - is_first
    known = [kernel.hbm_bytes for kernel in kernels if kernel.hbm_bytes is not None]
    moved = max(sum(known) - kept_bytes, 0) if len(known) == len(kernels) else None
    return CallTime(max(ceil(max(spent - kept_ps, Fraction(0))) + waits * assumption.wait_ps, 1), moved)


def _on(device: Device, kernel: KernelToday, workers: int) -> Fraction:
    """Return what *kernel* takes on *workers* CTAs, of which the device held as many as it has SMs when it was timed."""
    whole = device.usable_sms
    if workers >= whole:
        return Fraction(kernel.time_ps)
    # A grid that nobody states is as wide as the device.
    grid, bandwidth = kernel.contract.value.grid_ctas or whole, device.hbm_sustained_bytes_per_s
    moved, resident = kernel.hbm_bytes or 0, min(grid, whole)
    return Fraction(opaque_ps(kernel.time_ps, moved, bandwidth, grid_ctas=grid, workers=workers, resident_ctas=resident))
