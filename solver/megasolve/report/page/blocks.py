"""A design drawn as blocks over the groups of a model: what is fused, what stays, and who has how many CTAs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..text.tables import one_line

if TYPE_CHECKING:
    from megasolve.solver import Candidate

COLORS = 8


@dataclass(frozen=True, slots=True)
class DrawnRegion:
    """A region: its groups, each with the number of its colour, and whether it is a megakernel."""

    groups: tuple[tuple[str, int], ...]
    is_megakernel: bool

    @property
    def label(self) -> str:
        """What the region is, in words."""
        return f"{'megakernel' if self.is_megakernel else 'conventional'} {'+'.join(name for name, _ in self.groups)}"


@dataclass(frozen=True, slots=True)
class DrawnDesign:
    """The regions of a design in order; *sharing* says in words how they share the GPU."""

    blocks: tuple[DrawnRegion, ...]
    sharing: str

    @property
    def groups(self) -> int:
        """How many groups it has."""
        return sum(len(block.groups) for block in self.blocks)


def color_of(group: str, groups: Sequence[str]) -> int:
    """Return the number of the colour of *group*; they are used again beyond eight."""
    return groups.index(group) % COLORS if group in groups else 0


def design(candidate: Candidate, groups: Sequence[str]) -> DrawnDesign:
    """Return *candidate* as blocks; *groups* are those of the model, in the order of their colours."""
    regions = [(region.is_megakernel, region.groups) for region in candidate.cover.regions]
    return _design(regions, str(candidate.policy), groups)


def design_of_id(name: str, groups: Sequence[str]) -> DrawnDesign:
    """Return the candidate that the id *name* stands for as blocks."""
    cover, _, policy = name.partition("@")
    regions = [(backend == "m", tuple(members.split("+"))) for backend, _, members in (one.partition(":") for one in cover.split("/"))]
    return _design(regions, policy, groups)


def groups_of_id(name: str) -> tuple[str, ...]:
    """Return the groups that the id *name* has, in its order."""
    return tuple(group for one in name.partition("@")[0].split("/") for group in one.partition(":")[2].split("+"))


def _design(regions: Sequence[tuple[bool, Sequence[str]]], policy: str, groups: Sequence[str]) -> DrawnDesign:
    blocks = tuple(
        DrawnRegion(tuple((one_line(group), color_of(one_line(group), groups)) for group in members), is_megakernel)
        for is_megakernel, members in regions
    )
    return DrawnDesign(blocks, sharing_words(policy))


_ON_STREAMS = {
    "": "On two streams once the first chunk is ready: kernels take the SMs that are free, megakernels hold what they hold.",
    "stream": "On two streams, the consumer's behind all of the next step: kernels take the SMs that are free.",
    "inside": "One step after the other; in each, regions that do not wait for each other run on two streams and take free SMs.",
}


def sharing_words(policy: str) -> str:
    """Return how the regions of a design share the GPU, by its *policy* as ids have it."""
    sharing, _, sides = policy.partition(":")
    producer, _, consumer = sides.partition("/")
    if sharing == "serial":
        return "One after the other, each on the whole GPU."
    begins = {"fixed": "from the start on", "dynamic": "once the first chunk is ready"}.get(sharing)
    if begins is not None:
        return f"Side by side {begins}: {producer} CTAs make, {consumer} CTAs take."
    if sharing == "partition":
        return f"Side by side on partitions from the start on: {producer} SMs make, {consumer} SMs take."
    if sharing == "streams":
        return _ON_STREAMS.get(sides, _ON_STREAMS[""])
    return f"Side by side, as the policy {one_line(policy)} says."
