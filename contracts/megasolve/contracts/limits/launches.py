"""Launch limits: why a device cannot run an entry at a budget, every cause of it, as plain facts."""

from __future__ import annotations

from ..model.contract import Contract
from ..model.device import Device
from .grids import budget_violations, cluster_violations, grid_violations
from .shapes import shape_violations
from .violations import Violation

__all__ = ["Violation", "launch_violations"]


def launch_violations(device: Device, contract: Contract, budget_ctas: int | None) -> tuple[Violation, ...]:
    """Return every reason why *device* cannot run *contract* at *budget_ctas*; empty if it can, as far as is known.

    A conventional entry runs in waves on the CTAs it gets, so its budget is not looked at. Limits that need threads or
    registers which the launch leaves `unverified` are skipped; `unverified_limits` names them.
    """
    return (
        *shape_violations(device, contract),
        *cluster_violations(device, contract),
        *budget_violations(device, contract, budget_ctas),
        *grid_violations(device, contract, budget_ctas),
    )
