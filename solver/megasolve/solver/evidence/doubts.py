"""What times that are derived from a contract cannot know of the planned device, or have from another one, which can turn a decision."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from megasolve.contracts import PS_PER_US, Contract, Study
from megasolve.contracts.limits.workers import unknown_l2, unlimited_loads
from megasolve.contracts.model.contract import DataCosts, Synchronization
from megasolve.simulate.expand.setup import Mechanisms


def doubts_of(study: Study, contract: Contract, mechanisms: Mechanisms) -> Iterator[str]:
    """Yield a sentence for each of *mechanisms* that lacks a figure of the device of *study*, or has that of another."""
    device = study.device.value
    if mechanisms.synchronization and (note := _foreign_wait_cost(study, contract)):
        yield note
    if mechanisms.in_flight and (note := unlimited_loads(contract, device)):
        yield note
    if mechanisms.l2 and (note := unknown_l2(contract, device)):
        yield note


def _foreign_wait_cost(study: Study, contract: Contract) -> str | None:
    """Say that a time derived from *contract* rests on a wait cost of another device than the planned one; None where it does not.

    A contract that does not say where its cost was measured is taken to mean the device that the spec names.
    """
    synchronization = contract.synchronization
    if synchronization is None or not (synchronization.cost_ps or synchronization.prices_edges):
        return None
    planned = study.device.value.name
    origin = synchronization.measured_on or ("" if _is_own_device(study) else f"the spec's own device, {study.spec.value.device}")
    if origin in ("", planned):
        return None
    cost = _cost(synchronization)
    return f"the synchronization cost of '{contract.entry}' ({cost}) is from {origin}, not from {planned}: it may turn the decision"


def _cost(synchronization: Synchronization) -> str:
    if not synchronization.prices_edges:
        return f"{_us(synchronization.cost_ps)} us a wait"
    data = synchronization.data_ps
    by_hand_off = data.model_dump(exclude_none=True) if isinstance(data, DataCosts) else {"": data or 0}
    waits = ", ".join(f"{_us(cost)} us a wait for data{f' by {name}' if name else ''}" for name, cost in by_hand_off.items())
    return f"{waits}, {_us(synchronization.queue_ps or 0)} us to the next task and {_us(synchronization.task_ps or 0)} us a task"


def _us(cost_ps: int) -> str:
    return f"{cost_ps / PS_PER_US:g}"


def _is_own_device(study: Study) -> bool:
    """Whether the planned device is the one that the spec names, by name or by file."""
    named, device = study.spec.value.device, study.device
    return named == device.value.name or Path(study.spec.file).parent / named == Path(device.file)
