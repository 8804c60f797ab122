"""Placement: on which SMs the CTAs of a launch start, and what that leaves for the launch beside it.

The hardware gives each CTA to the emptiest SM. Entries with several CTAs per SM therefore spread over all SMs before any SM
is full, unless their contract states what packs them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..model.contract import Contract
from ..model.device import Device
from .occupancy import sm_shortages, sms_of, unknown_limits, unverified_limits


@dataclass(frozen=True, slots=True)
class PlacedSide:
    """One of two launches beside each other: so many *ctas* of *contract*; whether they are *packed*, by the contract or by a partition."""

    contract: Contract
    ctas: int
    packed: bool

    @property
    def name(self) -> str:
        """The entry, quoted."""
        return f"'{self.contract.entry}'"

    @property
    def per_sm(self) -> int:
        """The CTAs that one SM holds."""
        return self.contract.launch.ctas_per_sm

    @property
    def least_sms(self) -> int:
        """The SMs that are enough to hold all CTAs."""
        return sms_of(self.contract, self.ctas)

    def taken_sms(self, free_sms: int) -> int:
        """Return how many of *free_sms* empty SMs have a CTA once all have started."""
        # The emptiest SM first: no SM has two CTAs before each has one.
        return self.least_sms if self.packed else min(self.ctas, free_sms)

    def unpacked(self) -> PlacedSide:
        """Return the side as it would be placed if nothing packed it."""
        return replace(self, packed=False)


def side_of(contract: Contract, ctas: int) -> PlacedSide:
    """Return the launch of *ctas* CTAs of *contract*, placed as it states."""
    in_partition = contract.partition is not None and contract.partition.mechanism == "green_context"
    return PlacedSide(contract, ctas, packed=contract.placement is not None or in_partition)


def excludes(device: Device, first: PlacedSide, second: PlacedSide) -> bool:
    """Whether one CTA of each cannot share an SM, as far as the launches state what they need."""
    return bool(sm_shortages(device, ((first.contract.launch, 1), (second.contract.launch, 1))))


def room_after(device: Device, first: PlacedSide, second: PlacedSide) -> int:
    """Return how many CTAs of *second* can start once those of *first* have; SMs that they might share count only if verified."""
    sms = device.usable_sms
    if first.packed:
        return (sms - first.least_sms) * second.per_sm
    # Spread evenly: some SMs hold one CTA more than the others, and the second launch meets both kinds.
    on_each, on_some_more = divmod(first.ctas, sms)
    return sum(
        among * _beside(device, first, count, second) for among, count in ((on_some_more, on_each + 1), (sms - on_some_more, on_each))
    )


def _beside(device: Device, first: PlacedSide, count: int, second: PlacedSide) -> int:
    """Return how many CTAs of *second* one SM is known to hold beside *count* of *first*."""
    if not count:
        return second.per_sm
    launches = (first.contract.launch, second.contract.launch)
    # What no contract and no device file states is not taken to fit: room that is not known is no room.
    if unknown_limits(device) or any(unverified_limits(launch) for launch in launches):
        return 0
    fitting = (held for held in range(second.per_sm, 0, -1) if not sm_shortages(device, ((launches[0], count), (launches[1], held))))
    return next(fitting, 0)


def stuck(device: Device, first: PlacedSide, second: PlacedSide) -> Iterator[str]:
    """Yield, for each order of the two launches in which the later one can never start as a whole, how that comes about."""
    # Both orders, because nothing fixes which launch starts first. Where they exclude each other on an SM this is the law
    # min(Y, SMs) + ceil(X/kx) <= SMs and its mirror image; where they can share SMs, what fits beside counts, too.
    for earlier, later in ((first, second), (second, first)):
        room = room_after(device, earlier, later)
        if room < later.ctas:
            taken = earlier.taken_sms(device.usable_sms)
            spread = f"launched first, {earlier.name} takes {taken} of {device.usable_sms} SMs with its {earlier.ctas} CTAs"
            yield f"{spread} and leaves room for {room} of the {later.ctas} of {later.name}"
