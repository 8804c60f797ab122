"""Runnable candidates: a candidate with one choice of entries, as the planner chose it and as a device runs it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from megasolve.contracts import Backend as BackendName
from megasolve.contracts.measuring.runs import ExcludedRun

from .candidate import Candidate, Choice
from .cover import Region
from .sharing import Sharing


@dataclass(frozen=True, slots=True)
class RegionOfEntries:
    """A *region* with the *entries* that run it: a megakernel has one, a conventional one its kernels in order."""

    region: Region
    entries: tuple[str, ...]

    def __str__(self) -> str:
        return str(self.region)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that it runs."""
        return self.region.groups

    @property
    def is_persistent(self) -> bool:
        """Whether it is one launch that stays."""
        return self.region.is_megakernel

    @property
    def backend(self) -> BackendName:
        """The name of its backend, as files have it."""
        return "megakernel" if self.is_persistent else "conventional"


@dataclass(frozen=True, slots=True)
class RunnableCandidate:
    """A *candidate* with the *entries* of each of its regions."""

    candidate: Candidate
    entries: tuple[tuple[str, ...], ...]

    @property
    def id(self) -> str:
        """The candidate's canonical id."""
        return str(self.candidate)

    @property
    def regions(self) -> tuple[RegionOfEntries, ...]:
        """Its regions, each with its entries."""
        return tuple(map(RegionOfEntries, self.candidate.cover.regions, self.entries))

    @property
    def sharing(self) -> Sharing:
        """How its regions share the device."""
        return self.candidate.policy.sharing

    @property
    def producer_ctas(self) -> int:
        """The CTAs of the producers under a split."""
        return self.candidate.policy.producer_ctas

    @property
    def consumer_ctas(self) -> int:
        """The CTAs of the consumers under a split."""
        return self.candidate.policy.consumer_ctas


@dataclass(frozen=True, slots=True)
class WantedRuns:
    """Candidates by batch, those that are *excluded*, and splits to run at each of *batches*, in some *entries* or any."""

    candidates: Mapping[int, Sequence[RunnableCandidate]]
    excluded: tuple[ExcludedRun, ...]
    splits: tuple[tuple[int, int], ...]
    batches: tuple[int, ...]
    entries: Collection[str]


def runnable(candidate: Candidate, chosen: tuple[Choice, ...]) -> RunnableCandidate:
    """Return *candidate* with the choice *chosen* for each of its regions."""
    return RunnableCandidate(candidate, tuple(choice.entries for choice in chosen))
