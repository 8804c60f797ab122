"""A design drawn as blocks over the groups of a model: what is fused, what stays, and who has how many CTAs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..text.tables import one_line

if TYPE_CHECKING:
    from megasolve.solver import Candidate, Policy

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


def color_of(group: str, groups: Sequence[str]) -> int:
    """Return the number of the colour of *group*; they are used again beyond eight."""
    return groups.index(group) % COLORS if group in groups else 0


def design(candidate: Candidate, groups: Sequence[str]) -> DrawnDesign:
    """Return *candidate* as blocks; *groups* are those of the model, in the order of their colours."""
    blocks = tuple(
        DrawnRegion(tuple((one_line(group), color_of(one_line(group), groups)) for group in region.groups), region.is_megakernel)
        for region in candidate.cover.regions
    )
    return DrawnDesign(blocks, _sharing(candidate.policy))


def _sharing(policy: Policy) -> str:
    if not policy.is_split:
        return "One after the other, each on the whole GPU."
    begins = {"fixed": "from the start on", "dynamic": "once the first chunk is ready"}.get(policy.sharing.value, policy.sharing.value)
    return f"Side by side {begins}: {policy.producer_ctas} CTAs make, {policy.consumer_ctas} CTAs take."
