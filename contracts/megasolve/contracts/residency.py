"""Co-residency: whether two entries can hold a device together, and the placement that the answer assumes."""

from __future__ import annotations

from dataclasses import dataclass

from .contract import Contract
from .device import Device
from .grids import active_clusters
from .occupancy import sm_shortages, sms_of, unverified_limits


@dataclass(frozen=True, slots=True)
class CoResidency:
    """Whether two launches are resident together, counted in SMs.

    *exclusive*: one CTA of each cannot share an SM, so the hardware itself keeps them apart. *mixed*: they fit only
    when every SM holds some of both. *assumption* is the placement that nothing enforces, None where nothing is assumed.
    *because* is the arithmetic.
    """

    fits: bool
    sms_x: int
    sms_y: int
    exclusive: bool
    mixed: bool
    assumption: str | None
    because: str


def co_residency(device: Device, x_contract: Contract, x_ctas: int, y_contract: Contract, y_ctas: int) -> CoResidency:
    """Return whether *x_ctas* CTAs of one entry and *y_ctas* of another hold *device* at the same time."""
    sms_x, sms_y = sms_of(x_contract, x_ctas), sms_of(y_contract, y_ctas)
    exclusive = bool(sm_shortages(device, ((x_contract.launch, 1), (y_contract.launch, 1))))
    sms = device.usable_sms
    held = f"{sms_x} + {sms_y} = {sms_x + sms_y} SMs"
    if clash := _cluster_clash(device, x_contract, x_ctas, y_contract, y_ctas):
        return CoResidency(False, sms_x, sms_y, exclusive, False, None, clash)
    if sms_x + sms_y <= sms:
        assumption = _joined(None if exclusive else _apart(device, x_contract, y_contract), _clusters_first(x_contract, y_contract))
        return CoResidency(True, sms_x, sms_y, exclusive, False, assumption, f"{held} <= {sms}")
    if not exclusive and (mix := _even_mix(device, x_contract, x_ctas, y_contract, y_ctas)):
        assumption = _joined(mix, _clusters_first(x_contract, y_contract))
        return CoResidency(True, sms_x, sms_y, exclusive, True, assumption, f"{held} > {sms}, but every SM holds some of both")
    return CoResidency(False, sms_x, sms_y, exclusive, False, None, f"{held} > {sms} on {device.name}")


def _apart(device: Device, x_contract: Contract, y_contract: Contract) -> str:
    """Say that separate SMs are assumed, and why nothing enforces them."""
    names = f"'{x_contract.entry}' and '{y_contract.entry}'"
    unknown = [contract.entry for contract in (x_contract, y_contract) if unverified_limits(contract.launch)]
    if unknown:
        return f"{names} are placed on separate SMs; whether they could share one is unverified ({', '.join(unknown)})"
    return f"{names} are placed on separate SMs, although one CTA of each fits on the same SM of {device.name}"


def _even_mix(device: Device, x_contract: Contract, x_ctas: int, y_contract: Contract, y_ctas: int) -> str | None:
    """Say that an even mix is assumed, if an SM is known to hold it."""
    sms = device.usable_sms
    x_per_sm, y_per_sm = -(-x_ctas // sms), -(-y_ctas // sms)
    launches = ((x_contract.launch, x_per_sm), (y_contract.launch, y_per_sm))
    if any(unverified_limits(launch) or count > launch.ctas_per_sm for launch, count in launches) or sm_shortages(device, launches):
        return None
    return f"every SM of {device.name} holds up to {x_per_sm} CTAs of '{x_contract.entry}' and {y_per_sm} of '{y_contract.entry}'"


def _cluster_clash(device: Device, x_contract: Contract, x_ctas: int, y_contract: Contract, y_ctas: int) -> str | None:
    """Say why clusters of one size on both sides are too many together, at one CTA per SM."""
    size = x_contract.launch.cluster_ctas
    if size == 1 or y_contract.launch.cluster_ctas != size or {x_contract.launch.ctas_per_sm, y_contract.launch.ctas_per_sm} != {1}:
        return None
    active, asked = active_clusters(device, size), (x_ctas + y_ctas) // size
    if active is None or asked <= active:
        return None
    return f"{x_ctas // size} + {y_ctas // size} = {asked} clusters of {size} CTAs > {active} co-resident on {device.name}"


def _clusters_first(x_contract: Contract, y_contract: Contract) -> str | None:
    sizes = {x_contract.launch.cluster_ctas, y_contract.launch.cluster_ctas}
    return "the larger clusters are placed before the other CTAs" if len(sizes) > 1 else None


def _joined(*parts: str | None) -> str | None:
    return "; ".join(part for part in parts if part) or None
