"""How a megakernel that nobody built would be launched: at what cost, and how long one launch stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from megasolve.contracts import Device, Spec
from megasolve.simulate import DispatchCost
from megasolve.simulate.plan.launches import Persistent

from ..assuming.costs import KINDS, declared_cost

EACH_REPEAT, ALL_REPEATS = "each repeat", "all repeats"


@dataclass(frozen=True, slots=True)
class LaunchAssumed:
    """What one launch of a new megakernel is taken to cost, and *because* of what; *is_known* says whether somebody states it.

    *wait_ps* is what one wait between two stages is said to take, None where nobody says it.
    """

    cost: DispatchCost
    because: str
    is_known: bool = True
    wait_ps: int | None = None


@dataclass(frozen=True, slots=True)
class Staying:
    """One way in which a launch stays: over the *repeats* of a block, or once for each of them; *words* is empty where it has only one."""

    repeats: bool
    words: str = ""

    def launching(self, cost: DispatchCost) -> Persistent:
        """Return the launch; it is made again for each step, unless somebody says that it loops."""
        return Persistent(cost, loops=False, repeats=self.repeats)


def launch_assumed(device: Device, launch_ps: int | None = None) -> LaunchAssumed:
    """Return what a launch costs: *launch_ps* exposed where that is asked for, else as the device says of the first kind that it knows."""
    if launch_ps is not None:
        return LaunchAssumed(DispatchCost(0, launch_ps, host_waits=False), "as asked for with --launch")
    for kind in KINDS:
        if (cost := declared_cost(device, kind)) is not None:
            return LaunchAssumed(cost, f"a {kind} launch of {device.name}")
    return LaunchAssumed(DispatchCost(0, 0, host_waits=False), f"{device.name} states no launch cost", is_known=False)


def words_of(spec: Spec, groups: Sequence[str], launching: Persistent) -> str:
    """Return how often *launching* is made, where it could be either."""
    is_block = any({*groups} == {*block.groups} for block in spec.repeats)
    return (ALL_REPEATS if launching.repeats else EACH_REPEAT) if is_block else ""


def stayings(spec: Spec, groups: Sequence[str]) -> tuple[Staying, ...]:
    """Return the ways in which a launch of *groups* can stay: of a whole block both, of more than a block only one."""
    if any({*groups} == {*block.groups} for block in spec.repeats):
        return Staying(repeats=False, words=EACH_REPEAT), Staying(repeats=True, words=ALL_REPEATS)
    return (Staying(repeats=True),)
