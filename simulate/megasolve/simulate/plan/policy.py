"""Policies: how the regions of a cover share the GPU (paper, section IV-A)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from megasolve.contracts import GroupRole, Spec

from .cover import Cover, Region
from .sharing import Sharing

SIDES: tuple[GroupRole, GroupRole] = ("producer", "consumer")


@dataclass(frozen=True, slots=True)
class Policy:
    """Serial execution, or two sides beside each other: a split that gives X CTAs to the producers and Y to the consumers, and others.

    A fixed split holds from the start of production; a dynamic one starts when the first chunk is ready. Of partitions, which stand from
    the start of production, X and Y are the SMs; each side runs on its own, whatever it is launched as. On two streams, from step r on,
    kernels take what is free; X or Y is what the one launch of a side holds, 0 for a side of another make. With *waits_for_stream* the
    chunk waits for the whole next step, not for an event of step r. Two streams may also be inside of a role: what runs beside each other
    then are regions of one step that nothing joins.
    """

    sharing: Sharing
    producer_ctas: int = 0
    consumer_ctas: int = 0
    waits_for_stream: bool = False

    def __str__(self) -> str:
        if not self.is_shared:
            return self.sharing.value
        if self.is_inside:
            return f"{Sharing.STREAMS.value}:{self.sharing.value}"
        if self.is_streams:
            sides = f"{self.producer_ctas or 'c'}/{self.consumer_ctas or 'c'}" if self.producer_ctas or self.consumer_ctas else ""
            return ":".join(filter(None, (self.sharing.value, sides, "stream" * self.waits_for_stream)))
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
    def is_streams(self) -> bool:
        """Whether the two sides are launched on streams of their own."""
        return self.sharing is Sharing.STREAMS

    @property
    def is_inside(self) -> bool:
        """Whether regions of one role that no path joins run on two streams."""
        return self.sharing is Sharing.INSIDE

    @property
    def kind(self) -> str:
        """The policy of the spec that it belongs to."""
        return "streams" if self.is_inside else self.sharing.value

    @property
    def is_beside(self) -> bool:
        """Whether each side is an order of launches of its own."""
        return self.is_partition or self.is_streams

    @property
    def is_shared(self) -> bool:
        """Whether anything runs beside anything: producers and consumers, or regions of one role."""
        return self.sharing is not Sharing.SERIAL

    def applies_to(self, cover: Cover, spec: Spec) -> bool:
        """Whether the policy is attached to *cover*.

        Serial applies to every cover, and so do streams inside of roles. A split needs all producers in one megakernel region and all
        consumers in one megakernel region; a dynamic split needs them to be separate launches. Partitions and streams need no region
        with both; on streams a side that is one megakernel region has a budget, and stands beside conventional kernels.
        """
        return all(self.may_have(region, spec) for region in cover.regions)

    def may_have(self, region: Region, spec: Spec) -> bool:
        """Whether *region* can be part of a cover that the policy is attached to."""
        if not self.is_shared or self.is_inside:
            return True
        has = {*region.groups}
        makers, takers = ({group.name for group in spec.groups_of(role)} for role in SIDES)
        if self.is_beside:
            if not makers or not takers or (has & makers and has & takers):
                return False
            sides = ((makers, self.producer_ctas), (takers, self.consumer_ctas)) if self.is_streams else ()
            return all(self._is_side(region, role, ctas) for role, ctas in sides if has & role)
        if not makers or not takers or any(has & role and not (region.is_megakernel and role <= has) for role in (makers, takers)):
            return False
        return self.sharing is Sharing.FIXED or not (has & makers and has & takers)

    def _is_side(self, region: Region, role: set[str], ctas: int) -> bool:
        """Whether a region is what its side has on a stream: one launch of *ctas*, kernels beside such a launch, or else anything."""
        is_one_launch = region.is_megakernel and role <= {*region.groups}
        if self.producer_ctas or self.consumer_ctas:
            return is_one_launch if ctas else not region.is_megakernel
        return not is_one_launch


def has_own_host(spec: Spec) -> bool:
    """Whether another thread of the host than that of the producers issues the launches of the consumers."""
    makes, takes = ({host for host, issued in spec.hosts.items() for one in spec.groups_of(role) if one.name in issued} for role in SIDES)
    return makes != takes


def policies(spec: Spec) -> tuple[Policy, ...]:
    """Return the policies that the spec declares: serial, fixed and dynamic splits in the order of its pairs, partitions, streams."""
    declared = [Policy(Sharing.SERIAL)] if "serial" in spec.policies else []
    for sharing in (Sharing.FIXED, Sharing.DYNAMIC):
        if sharing.value in spec.policies:
            declared += [Policy(sharing, *pair.counts) for pair in spec.budget_pairs]
    if "partition" in spec.policies:
        declared += [Policy(Sharing.PARTITION, *pair.counts) for pair in spec.partition_pairs]
    if "streams" in spec.policies:
        declared += _on_streams(spec)
        declared += [Policy(Sharing.INSIDE)] if spec.streams.inside else []
    return tuple(declared)


def _on_streams(spec: Spec) -> Iterator[Policy]:
    """Yield the ways in which two streams share the device: no side is one launch, that of the producers is, or that of the consumers."""
    x, y = zip(*(pair.counts for pair in spec.budget_pairs), strict=True) if spec.budget_pairs else ((), ())
    sides = [(0, 0), *((ctas, 0) for ctas in dict.fromkeys(x)), *((0, ctas) for ctas in dict.fromkeys(y))]
    for waits_for in spec.streams.waits_for:
        for producer_ctas, consumer_ctas in sides:
            # One launch of the producers stays over the steps: nothing ends where the next step does.
            if waits_for == "step" or not producer_ctas:
                yield Policy(Sharing.STREAMS, producer_ctas, consumer_ctas, waits_for == "stream")
