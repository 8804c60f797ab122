"""Grids: why the CTAs of a persistent or cooperative launch are not all resident, and what waits for ever then."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.contract import Contract
from ..model.device import Device
from ..model.findings import Fault
from ..model.rules import Rule, RuleKind, check
from .occupancy import rounded_down
from .subjects import ABOUT_BUDGET, SHAPE

GRID = Rule("LIM-12", "grid-exceeds-device", "A persistent or cooperative grid is resident as a whole.", RuleKind.LIMIT)
CLUSTERS = Rule("LIM-13", "clusters-not-co-resident", "The clusters of a grid are known to be resident together.", RuleKind.LIMIT)
OVERSUBSCRIBED = Rule("SYN-02", "oversubscribed-grid", "CTAs that wait never keep the ones they wait for from starting.", RuleKind.LIMIT)


def resident_ctas(device: Device, contract: Contract) -> int:
    """Return the largest grid that is resident as a whole: the declared CTAs per SM on every SM that is visible."""
    return contract.launch.ctas_per_sm * device.usable_sms


def largest_legal_grid(device: Device, contract: Contract) -> int:
    """Return the most CTAs, in whole clusters, that are resident together as far as the device file says."""
    size = contract.launch.cluster_ctas
    whole = rounded_down(resident_ctas(device, contract), size)
    active = active_clusters(device, size) if size > 1 else None
    return whole if active is None else min(whole, active * size)


def active_clusters(device: Device, cluster_ctas: int) -> int | None:
    """Return how many clusters of this size are co-resident at one CTA per SM; None where the device file does not say.

    SMs over cluster size is no answer: a cluster never straddles GPCs, whose sizes are uneven and differ from chip to chip.
    """
    return next((limit.active_clusters for limit in device.clusters if limit.cluster_ctas == cluster_ctas), None)


def budget_faults(device: Device, contract: Contract, budget_ctas: int | None) -> tuple[Fault, ...]:
    """Return every reason why *budget_ctas* CTAs of a persistent entry cannot be resident together."""
    if budget_ctas is None or contract.backend != "megakernel":
        return ()
    return (*_budget(device, contract, budget_ctas), *_cluster_count(device, contract, budget_ctas))


@check(on=SHAPE)
def clusters_uncounted(device: Device, contract: Contract) -> Iterator[Fault]:
    """Yield why the clusters of *contract* cannot be counted on *device*, whatever the budget."""
    size = contract.launch.cluster_ctas
    if size == 1 or not _is_resident_as_a_whole(contract) or active_clusters(device, size) is not None:
        return
    because = f"clusters of {size} CTAs: how many are co-resident is unknown, needs the device's max_active_clusters"
    yield Fault(CLUSTERS, ("launch", "cluster_ctas"), f"{because}; give `clusters` in the file of {device.name}")


def grid_faults(device: Device, contract: Contract, budget_ctas: int | None) -> tuple[Fault, ...]:
    """Return why the grid that *contract* launches cannot start, or can wait for ever, on the CTAs that it gets."""
    grid_ctas = contract.grid_ctas
    if grid_ctas is None:
        return ()
    # The driver refuses such a launch; below, one that the driver accepts and that may then wait for ever.
    if contract.launch.cooperative and grid_ctas > resident_ctas(device, contract):
        return (Fault(GRID, ("grid_ctas",), _too_large(device, contract, grid_ctas, "cooperative grid")),)
    slots = resident_ctas(device, contract)
    resident = slots if budget_ctas is None else min(budget_ctas, slots)
    if contract.backend != "megakernel" or grid_ctas <= resident or _never_blocks(contract):
        return ()
    return (Fault(OVERSUBSCRIBED, ("grid_ctas",), _deadlock(contract, grid_ctas, resident)),)


def _is_resident_as_a_whole(contract: Contract) -> bool:
    return contract.backend == "megakernel" or contract.launch.cooperative


def _budget(device: Device, contract: Contract, budget_ctas: int) -> Iterator[Fault]:
    if budget_ctas > resident_ctas(device, contract):
        because = _too_large(device, contract, budget_ctas, "budget") + _stuck(device, contract, budget_ctas)
        yield Fault(GRID, ABOUT_BUDGET, because)


def _too_large(device: Device, contract: Contract, ctas: int, what: str) -> str:
    """Say what the largest grid is, and never take it instead: another grid is another kernel with other times."""
    resident, size = resident_ctas(device, contract), contract.launch.cluster_ctas
    clusters = f"{ctas // size:,} clusters x {size} = " if size > 1 else ""
    return (
        f"{what} of {clusters}{ctas:,} CTAs > {contract.launch.ctas_per_sm} per SM x {_sms_text(device)} = {resident:,} on {device.name}; "
        f"the largest legal grid is {largest_legal_grid(device, contract):,} CTAs, a budget with records of its own"
    )


def _sms_text(device: Device) -> str:
    if device.mps_active_thread_percentage is None:
        return f"{device.sms} SMs"
    return f"{device.usable_sms} SMs (MPS: {device.mps_active_thread_percentage} % of {device.sms}, rounded down)"


def _stuck(device: Device, contract: Contract, ctas: int) -> str:
    if not _has_grid_barrier(contract) or contract.launch.cooperative:
        return ""
    resident = resident_ctas(device, contract)
    return f"; its grid barrier is a deadlock: {ctas - resident:,} CTAs never start while {resident:,} wait"


def _has_grid_barrier(contract: Contract) -> bool:
    return contract.synchronization is not None and contract.synchronization.kind == "grid_barrier"


def _cluster_count(device: Device, contract: Contract, budget_ctas: int) -> Iterator[Fault]:
    size = contract.launch.cluster_ctas
    active = active_clusters(device, size)
    if size == 1 or active is None or budget_ctas <= active * size:
        return
    because = (
        f"budget of {budget_ctas:,} CTAs = {-(-budget_ctas // size)} clusters of {size} > {active} co-resident on {device.name}; "
        f"the largest legal grid is {active} x {size} = {active * size} CTAs"
    )
    yield Fault(CLUSTERS, ABOUT_BUDGET, because)


def _never_blocks(contract: Contract) -> bool:
    """Tell whether no CTA that waits can hold the slot of one that it waits for. At a grid barrier order is no help."""
    synchronization = contract.synchronization
    if synchronization is None:
        return False
    return synchronization.kind == "none" or (synchronization.kind == "counters" and synchronization.ordered)


def _deadlock(contract: Contract, grid_ctas: int, resident: int) -> str:
    facts = f"a grid of {grid_ctas:,} CTAs on {resident:,} resident slots: {grid_ctas - resident:,} cannot start while those wait for them"
    legal = rounded_down(resident, contract.launch.cluster_ctas)
    if _has_grid_barrier(contract):
        return f"deadlock: {facts}; launch at most {legal:,}"
    ordered = "or say `ordered: true` where waiting CTAs are dispatched after the ones they wait for"
    return f"possible deadlock: {facts}; launch at most {legal:,}, {ordered}"
