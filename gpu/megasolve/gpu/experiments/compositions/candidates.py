"""Candidates as plain values: what the planner's ids stand for, without the planner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from megasolve.contracts import Backend, Contract, Study

from ...errors import GpuError
from ...workloads.named import require_programs

Sharing = Literal["serial", "fixed", "dynamic"]


@dataclass(frozen=True, slots=True)
class RegionOfEntries:
    """Contiguous *groups* that one backend runs: a megakernel has one entry, conventional *entries* are kernels in order."""

    backend: Backend
    groups: tuple[str, ...]
    entries: tuple[str, ...]

    @property
    def is_persistent(self) -> bool:
        """Whether the region is one launch that stays."""
        return self.backend == "megakernel"

    def __str__(self) -> str:
        return f"{self.backend[0]}:{'+'.join(self.groups)}"


@dataclass(frozen=True, slots=True)
class RunnableCandidate:
    """A candidate with one choice of entries. Under a split the producers have *producer_ctas*, the consumers *consumer_ctas*."""

    id: str
    regions: tuple[RegionOfEntries, ...]
    sharing: Sharing
    producer_ctas: int = 0
    consumer_ctas: int = 0

    def region_of(self, group: str) -> RegionOfEntries:
        """Return the region that runs *group*.

        Raises
        ------
        GpuError
            None does.
        """
        found = [region for region in self.regions if group in region.groups]
        if not found:
            raise GpuError(f"{self.id}: no region runs group '{group}'")
        return found[0]

    def as_json(self) -> dict[str, Any]:
        """Return the candidate as values of JSON."""
        return asdict(self)


def candidate_from(values: Mapping[str, Any]) -> RunnableCandidate:
    """Return what `as_json` wrote."""
    regions = (RegionOfEntries(one["backend"], tuple(one["groups"]), tuple(one["entries"])) for one in values["regions"])
    return RunnableCandidate(**{**values, "regions": tuple(regions)})


def contracts_of(study: Study, region: RegionOfEntries) -> tuple[Contract, ...]:
    """Return the contracts of the entries of *region*, in their order.

    Raises
    ------
    GpuError
        The spec has no contract of an entry, or its kernels run no program.
    """
    known = {document.value.entry: document.value for document in study.contracts}
    missing = [entry for entry in region.entries if entry not in known]
    if missing:
        raise GpuError(f"spec '{study.spec.value.name}' has no contract of '{missing[0]}'")
    found = tuple(known[entry] for entry in region.entries)
    require_programs(study, found)
    return found
