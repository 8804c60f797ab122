"""Lighter launches: what a launch would have to shrink to so that an SM holds a number of its CTAs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..model.contract import Launch
from ..model.device import Device
from .occupancy import ctas_by_registers, occupancy, rounded_down


def what_would_fit(device: Device, launch: Launch, ctas: int) -> str:
    """Return up to which figures of *launch* an SM of *device* holds *ctas* CTAs, each that is too large now, as one phrase."""
    if ctas > device.most_ctas_per_sm:
        return f"no launch has more than {device.most_ctas_per_sm} CTAs per SM on {device.name}"
    needed = list(_needed(device, launch, ctas))
    if None in needed:
        return f"no launch of this kind reaches {ctas} CTAs per SM on {device.name}"
    return f"{ctas} per SM need {_listed([str(phrase) for phrase in needed])}" if needed else f"{ctas} per SM fit"


def _listed(phrases: Sequence[str]) -> str:
    """Return *phrases* as people list them: with commas, and `and` before the last."""
    *others, last = phrases
    return f"{', '.join(others)} and {last}" if others else last


def _needed(device: Device, launch: Launch, ctas: int) -> Iterator[str | None]:
    """Yield a phrase for each figure that is too large; None where no value of it is small enough."""
    by = occupancy(device, launch).by
    threads = launch.threads
    if threads is not None and by["threads"] < ctas:
        threads = threads_for(device, ctas)
        yield f"blocks of at most {threads:,} threads" if threads else None
    if threads and launch.registers is not None and ctas_by_registers(device, threads, launch.registers) < ctas:
        # A smaller count is another build: the compiler spills when it compiles, never when the kernel is launched.
        registers = registers_for(device, threads, ctas)
        yield f"a compiled entry with at most {registers} registers" if registers else None
    if by["shared"] < ctas:
        shared_bytes = shared_bytes_for(device, ctas)
        yield None if shared_bytes is None else f"at most {shared_bytes:,} B of shared memory a CTA"


def threads_for(device: Device, ctas: int) -> int:
    """Return the largest block of which an SM holds *ctas*, registers and shared memory aside; 0 if none is small enough."""
    warps = device.warps_per_sm // ctas
    return min(warps * device.threads_per_warp, device.threads_per_cta)


def registers_for(device: Device, threads: int, ctas: int) -> int:
    """Return the most registers per thread at which an SM holds *ctas* CTAs of *threads* threads; 0 if none are few enough."""
    legal = (one for one in range(device.registers_per_thread, 0, -1) if ctas_by_registers(device, threads, one) >= ctas)
    return next(legal, 0)


def shared_bytes_for(device: Device, ctas: int) -> int | None:
    """Return the most shared memory of a CTA at which an SM holds *ctas* of them; None where the reserves alone are too much."""
    share = rounded_down(device.shared_bytes_per_sm // ctas - device.shared_reserve_bytes, device.shared_unit_bytes)
    return None if share < 0 else min(share, device.shared_bytes_per_cta)
