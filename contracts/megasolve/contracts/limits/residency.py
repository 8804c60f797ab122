"""Co-residency: whether two entries can hold a device together, and the placement that the answer assumes."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.contract import Contract
from ..model.device import Device
from .grids import active_clusters
from .occupancy import sm_shortages, unknown_limits, unverified_limits
from .placement import PlacedSide, excludes, side_of, stuck


@dataclass(frozen=True, slots=True)
class CoResidency:
    """Whether two launches are resident together, in whatever order they start, counted in SMs.

    *sms_x* and *sms_y* are enough to hold them; *taken_x* and *taken_y* is what they take, the first launched first.
    *exclusive*: one CTA of each cannot share an SM, so the hardware itself keeps them apart. *mixed*: they fit only
    when every SM holds some of both. *assumption* is the placement that nothing enforces, or what a contract says enforces it;
    None where nothing is assumed. *because* is the arithmetic. *deadlocks*: they would fit, but not in every order.
    """

    fits: bool
    sms_x: int
    sms_y: int
    taken_x: int
    taken_y: int
    exclusive: bool
    mixed: bool
    assumption: str | None
    because: str
    deadlocks: bool = False


def co_residency(device: Device, x_contract: Contract, x_ctas: int, y_contract: Contract, y_ctas: int) -> CoResidency:
    """Return whether *x_ctas* CTAs of one entry and *y_ctas* of another hold *device* at the same time."""
    x, y = side_of(x_contract, x_ctas), side_of(y_contract, y_ctas)
    sms, together = device.usable_sms, x.least_sms + y.least_sms
    held = f"{x.least_sms} + {y.least_sms} = {together} SMs"
    if clash := _cluster_clash(device, x, y):
        return _answer(device, x, y, clash)
    # Too many to stand apart, even packed. They may still fit on the same SMs.
    if together > sms:
        mix = None if excludes(device, x, y) else _even_mix(device, x, y)
        if mix is None:
            return _answer(device, x, y, f"{held} > {sms} on {device.name}")
        because = f"{held} > {sms}, but every SM holds some of both"
        return _answer(device, x, y, because, fits=True, mixed=True, assumption=_joined(mix, _clusters_first(x, y)))
    # Packed they fit. The device packs nothing by itself, so they must fit however they are placed.
    if orders := tuple(stuck(device, x, y)):
        return _answer(device, x, y, f"{held} <= {sms} only if packed: {'; '.join(orders)}; {_repair(device, x, y)}", deadlocks=True)
    assumption = _joined(None if excludes(device, x, y) else _apart(device, x, y), _forced(device, x, y), _clusters_first(x, y))
    return _answer(device, x, y, f"{held} <= {sms}", fits=True, assumption=assumption)


def _answer(
    device: Device,
    x: PlacedSide,
    y: PlacedSide,
    because: str,
    *,
    fits: bool = False,
    mixed: bool = False,
    deadlocks: bool = False,
    assumption: str | None = None,
) -> CoResidency:
    exclusive, sms = excludes(device, x, y), device.usable_sms
    # Entries that could share SMs are assumed to be apart, each on as few SMs as it needs.
    taken_x = x.taken_sms(sms) if exclusive else x.least_sms
    taken_y = y.taken_sms(sms - taken_x) if exclusive else y.least_sms
    return CoResidency(fits, x.least_sms, y.least_sms, taken_x, taken_y, exclusive, mixed, assumption, because, deadlocks)


def _repair(device: Device, x: PlacedSide, y: PlacedSide) -> str:
    """Say that an order deadlocks, and which contracts may say that it never does."""
    dense = [side.name for side in (x, y) if side.per_sm > 1 and not side.packed]
    unknown = _unknown(device, x, y)
    shared = f"whether they could share an SM is unverified ({unknown}); " if unknown and not excludes(device, x, y) else ""
    return f"a deadlock in that order; {shared}lower one side, or state in `placement.packed` of {' or '.join(dense)} what packs its CTAs"


def _forced(device: Device, x: PlacedSide, y: PlacedSide) -> str | None:
    """Say what a contract states to pack its CTAs, where the pair rests on it."""
    if not any(stuck(device, x.unpacked(), y.unpacked())):
        return None
    stated = [(side, side.contract.placement) for side in (x, y) if side.per_sm > 1]
    reasons = (f"{side.name} is packed, {side.per_sm} CTAs on an SM: {placement.packed}" for side, placement in stated if placement)
    return _joined(*reasons)


def _apart(device: Device, x: PlacedSide, y: PlacedSide) -> str:
    """Say that separate SMs are assumed, and why nothing enforces them."""
    names = f"{x.name} and {y.name}"
    if unknown := _unknown(device, x, y):
        return f"{names} are placed on separate SMs; whether they could share one is unverified ({unknown})"
    return f"{names} are placed on separate SMs, although one CTA of each fits on the same SM of {device.name}"


def _unknown(device: Device, x: PlacedSide, y: PlacedSide) -> str:
    """Name the entries and the device that leave a limit open."""
    entries = (side.contract.entry for side in (x, y) if unverified_limits(side.contract.launch))
    return ", ".join((*entries, *(f"{limit}_per_sm of {device.name}" for limit in unknown_limits(device))))


def _even_mix(device: Device, x: PlacedSide, y: PlacedSide) -> str | None:
    """Say that an even mix is assumed, if an SM is known to hold it."""
    sms = device.usable_sms
    # Evenly over all SMs, rounded up: if the fullest SM of this mix holds its share, every SM does.
    x_per_sm, y_per_sm = -(-x.ctas // sms), -(-y.ctas // sms)
    launches = ((x.contract.launch, x_per_sm), (y.contract.launch, y_per_sm))
    if unknown_limits(device) or any(unverified_limits(launch) or count > launch.ctas_per_sm for launch, count in launches):
        return None
    if sm_shortages(device, launches):
        return None
    return f"every SM of {device.name} holds up to {x_per_sm} CTAs of {x.name} and {y_per_sm} of {y.name}"


def _cluster_clash(device: Device, x: PlacedSide, y: PlacedSide) -> str | None:
    """Say why clusters of one size on both sides are too many together, at one CTA per SM."""
    size = x.contract.launch.cluster_ctas
    # The counts of a device file are for clusters of one size at one CTA per SM; for a mixture nobody knows them.
    if size == 1 or y.contract.launch.cluster_ctas != size or {x.per_sm, y.per_sm} != {1}:
        return None
    active, asked = active_clusters(device, size), (x.ctas + y.ctas) // size
    if active is None or asked <= active:
        return None
    return f"{x.ctas // size} + {y.ctas // size} = {asked} clusters of {size} CTAs > {active} co-resident on {device.name}"


def _clusters_first(x: PlacedSide, y: PlacedSide) -> str | None:
    sizes = {side.contract.launch.cluster_ctas for side in (x, y)}
    return "the larger clusters are placed before the other CTAs" if len(sizes) > 1 else None


def _joined(*parts: str | None) -> str | None:
    return "; ".join(part for part in parts if part) or None
