"""What stands against a region: the launch shape that its kernels would share, narrow stages, and waits in the place of gaps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from megasolve.contracts import Device
from megasolve.contracts.limits.occupancy import occupancy
from megasolve.contracts.model.contract import Launch

from .today import Today


@dataclass(frozen=True, slots=True)
class SharedShape:
    """The largest of each among the kernels of a region, and the CTAs of it that one SM holds; None where a kernel does not say."""

    threads: int | None
    registers: int | None
    shared_bytes: int
    ctas_per_sm: int | None


@dataclass(frozen=True, slots=True)
class Against:
    """*narrow* of the *stages* have fewer CTAs than there are SMs; *narrowest_ctas* is the smallest grid.

    *waits* are those between the stages of one occurrence, which take the place of *gaps_ps*.
    """

    shape: SharedShape
    stages: int
    narrow: int
    narrowest_ctas: int | None
    waits: int
    gaps_ps: int

    @property
    def gap_per_wait_ps(self) -> int | None:
        """What one wait may take before all waits take more than the gaps that they replace; None where there is no wait."""
        return self.gaps_ps // self.waits if self.waits else None


def against(today: Today, device: Device) -> Against:
    """Return what stands against the region of *today*."""
    contracts = today.contracts
    grids = [one.grid_ctas for one in contracts if one.grid_ctas is not None]
    narrow = sum(one.kernels for one in contracts if one.grid_ctas is not None and one.grid_ctas < device.usable_sms)
    stages = sum(one.kernels for one in contracts)
    waits = max(today.kernels - 1, 0)
    return Against(_shape(today, device), stages, narrow, min(grids, default=None), waits, today.gaps_ps + today.waits_ps)


def _shape(today: Today, device: Device) -> SharedShape:
    launches = [one.launch for one in today.contracts]
    threads = _largest(_threads(launch) for launch in launches)
    registers = _largest(_registers(launch) for launch in launches)
    shared_bytes = max(launch.shared_bytes for launch in launches)
    if threads is None or registers is None:
        return SharedShape(threads, registers, shared_bytes, None)
    fits = occupancy(device, Launch(threads=threads, registers=registers, shared_bytes=shared_bytes))
    return SharedShape(threads, registers, shared_bytes, fits.ctas_per_sm)


def _threads(launch: Launch) -> int | None:
    return sum(role.threads for role in launch.roles) if launch.roles else launch.threads


def _registers(launch: Launch) -> int | None:
    return max(role.registers for role in launch.roles) if launch.roles else launch.registers


def _largest(figures: Iterable[int | None]) -> int | None:
    known = list(figures)
    stated = [one for one in known if one is not None]
    return max(stated, default=None) if len(stated) == len(known) else None
