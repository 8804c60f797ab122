"""Synchronization costs that come from another device: a constant carried between GPUs can turn a decision."""

from __future__ import annotations

from pathlib import Path

from megasolve.contracts import PS_PER_US, Contract, Study


def foreign_wait_cost(study: Study, contract: Contract) -> str | None:
    """Say that a time derived from *contract* rests on a wait cost of another device than the planned one; None where it does not.

    A contract that does not say where its cost was measured is taken to mean the device that the spec names.
    """
    synchronization = contract.synchronization
    if synchronization is None or not synchronization.cost_ps:
        return None
    planned = study.device.value.name
    origin = synchronization.measured_on or ("" if _is_own_device(study) else f"the spec's own device, {study.spec.value.device}")
    if origin in ("", planned):
        return None
    cost = f"{synchronization.cost_ps / PS_PER_US:g} us a wait"
    return f"the synchronization cost of '{contract.entry}' ({cost}) is from {origin}, not from {planned}: it may turn the decision"


def _is_own_device(study: Study) -> bool:
    """Whether the planned device is the one that the spec names, by name or by file."""
    named, device = study.spec.value.device, study.device
    return named == device.value.name or Path(study.spec.file).parent / named == Path(device.file)
