"""What one launch of a megakernel that nobody built costs."""

from __future__ import annotations

from megasolve.contracts import Device
from megasolve.contracts.model.contract import AssumedDispatch
from megasolve.simulate import DispatchCost

KINDS = ("cooperative", "stream", "graph")


def assumed_cost(device: Device, dispatch: AssumedDispatch | None) -> DispatchCost:
    """Return the cost of a launch: as *dispatch* says, else the device of its kind, else of the first kind that it knows; else nothing."""
    kinds = KINDS if dispatch is None else (dispatch.kind,)
    known = next((one for one in (declared_cost(device, kind) for kind in kinds) if one is not None), DispatchCost(0, 0, host_waits=False))
    if dispatch is None:
        return known
    host_ps, exposed_ps = (
        said if said is not None else own for said, own in ((dispatch.host_ps, known.host_ps), (dispatch.exposed_ps, known.exposed_ps))
    )
    return DispatchCost(host_ps, exposed_ps, dispatch.host_waits)


def declared_cost(device: Device, kind: str) -> DispatchCost | None:
    """Return what *device* says that one launch of *kind* costs, with the gap of a graph in its exposed part; None where it is silent."""
    declared = getattr(device.launch, kind)
    if declared is None or declared.host_ps is None or declared.exposed_ps is None:
        return None
    gap_ps = (declared.gap_ps or 0) if kind == "graph" else 0
    return DispatchCost(declared.host_ps, declared.exposed_ps + gap_ps, host_waits=False)
