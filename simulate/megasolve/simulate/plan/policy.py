"""Policies: how the regions of a cover share the GPU (paper, section IV-A)."""

from __future__ import annotations

from dataclasses import dataclass

from megasolve.contracts import GroupRole, Spec

from .cover import Cover, Region
from .sharing import Sharing

SIDES: tuple[GroupRole, GroupRole] = ("producer", "consumer")


@dataclass(frozen=True, slots=True)
class Policy:
    """Serial execution, or two sides beside each other: a split that gives X CTAs to the producers and Y to the consumers, or partitions.

    A fixed split holds from the start of production; a dynamic one starts when the first chunk is ready. Of partitions, which stand from
    the start of production, X and Y are the SMs; each side runs on its own, whatever it is launched as.
    """

    sharing: Sharing
    producer_ctas: int = 0
    consumer_ctas: int = 0

    def __str__(self) -> str:
        if not self.is_shared:
            return self.sharing.value
        return f"{self.sharing.value}:{self.producer_ctas}/{self.consumer_ctas}"

    @property
    def is_split(self) -> bool:
        """Whether two persistent launches, or two pools of one, hold a part of the CTAs each."""
        return self.sharing in (Sharing.FIXED, Sharing.DYNAMIC)

    @property
    def is_partition(self) -> bool:
        """Whether each side has SMs of its own."""
        return self.sharing is Sharing.PARTITION

    @property
    def is_shared(self) -> bool:
        """Whether producers and consumers run beside each other."""
        return self.sharing is not Sharing.SERIAL

    def applies_to(self, cover: Cover, spec: Spec) -> bool:
        """Whether the policy is attached to *cover*.

        Serial applies to every cover. A split needs all producers in one megakernel region and all consumers in one
        megakernel region; a dynamic split needs them to be separate launches. Partitions need no region with both.
        """
        return all(self.may_have(region, spec) for region in cover.regions)

    def may_have(self, region: Region, spec: Spec) -> bool:
        """Whether *region* can be part of a cover that the policy is attached to."""
        if not self.is_shared:
            return True
        has = {*region.groups}
        makers, takers = ({group.name for group in spec.groups_of(role)} for role in SIDES)
        if self.is_partition:
            return bool(makers and takers) and not (has & makers and has & takers)
        if not makers or not takers or any(has & role and not (region.is_megakernel and role <= has) for role in (makers, takers)):
            return False
        return self.sharing is Sharing.FIXED or not (has & makers and has & takers)


def policies(spec: Spec) -> tuple[Policy, ...]:
    """Return the policies that the spec declares: serial, fixed and dynamic splits in the order of its pairs, and then its partitions."""
    declared = [Policy(Sharing.SERIAL)] if "serial" in spec.policies else []
    for sharing in (Sharing.FIXED, Sharing.DYNAMIC):
        if sharing.value in spec.policies:
            declared += [Policy(sharing, *pair.counts) for pair in spec.budget_pairs]
    if "partition" in spec.policies:
        declared += [Policy(Sharing.PARTITION, *pair.counts) for pair in spec.partition_pairs]
    return tuple(declared)
