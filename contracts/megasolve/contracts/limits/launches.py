"""Launch limits: why a device cannot run an entry at a budget, every cause of it, as plain facts."""

from __future__ import annotations

from ..model.contract import Contract
from ..model.device import Device
from ..model.findings import Fault
from ..model.rules import checks_in
from . import grids, shapes
from .subjects import SHAPE

_SHAPE_CHECKS = tuple(check for check in checks_in((shapes, grids)) if check.on is SHAPE)


def launch_faults(device: Device, contract: Contract, budget_ctas: int | None) -> tuple[Fault, ...]:
    """Return every reason why *device* cannot run *contract* at *budget_ctas*; empty if it can, as far as is known.

    A conventional entry runs in waves on the CTAs it gets, so its budget is not looked at. Limits that need threads or
    registers which the launch leaves `unverified` are skipped; `unverified_limits` names them.
    """
    return (
        *shape_faults(device, contract),
        *grids.budget_faults(device, contract, budget_ctas),
        *grids.grid_faults(device, contract, budget_ctas),
    )


def shape_faults(device: Device, contract: Contract) -> tuple[Fault, ...]:
    """Return every reason why *device* cannot hold the launch shape of *contract*; what the launch leaves open is skipped."""
    return tuple(fault for check in _SHAPE_CHECKS for fault in check(device, contract))
