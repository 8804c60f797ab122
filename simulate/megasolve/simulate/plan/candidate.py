"""Candidates: a cover together with one policy that applies to it, and the variants in which its entries can be chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from megasolve.contracts import Contract, Document, Spec, Study

from .cover import Cover, Region
from .covers import covers_of
from .policy import Policy, policies
from .region_graph import RegionGraph, region_graph


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cover together with one policy that applies to it."""

    cover: Cover
    policy: Policy

    def __str__(self) -> str:
        return f"{self.cover}@{self.policy}"


def candidates(spec: Spec, graph: RegionGraph | None = None) -> Iterator[Candidate]:
    """Yield every candidate, cover by cover and, within a cover, serial before fixed before dynamic splits; *graph* is that of *spec*."""
    declared = policies(spec)
    for cover in covers_of(graph or region_graph(spec)):
        for policy in declared:
            if policy.applies_to(cover, spec):
                yield Candidate(cover, policy)


@dataclass(frozen=True, slots=True)
class Choice:
    """The entries that run one region: one megakernel contract, or the conventional kernels of each group in order."""

    region: Region
    contracts: tuple[Document[Contract], ...]

    def __hash__(self) -> int:
        # A contract holds mappings (geometry, for one), which have no hash; without the entries all choices of a region would collide.
        return hash((self.region, self.entries))

    def __str__(self) -> str:
        return "+".join(self.entries)

    @property
    def entries(self) -> tuple[str, ...]:
        """The names of the compiled entries."""
        return tuple(contract.value.entry for contract in self.contracts)

    def contracts_of(self, group: str) -> tuple[Document[Contract], ...]:
        """The contracts that run *group*, in order."""
        return tuple(contract for contract in self.contracts if group in contract.value.members)


def contracts_by_members(study: Study) -> dict[frozenset[str], list[Document[Contract]]]:
    """Return the megakernels of *study* by the groups that they run."""
    found: dict[frozenset[str], list[Document[Contract]]] = {}
    for one in study.contracts:
        if one.value.backend == "megakernel":
            found.setdefault(frozenset(one.value.members), []).append(one)
    return found


def choices(
    study: Study, region: Region, megakernels: Mapping[frozenset[str], Sequence[Document[Contract]]] | None = None
) -> tuple[Choice, ...]:
    """Return the supported choices of entries for *region*, by entry name; none where an entry or a kernel is missing.

    *megakernels* are those of *study* by their groups, for who asks of many regions.
    """
    if region.is_megakernel:
        known = contracts_by_members(study) if megakernels is None else megakernels
        fitting = known.get(frozenset(region.groups), ())
        return tuple(Choice(region, (one,)) for one in sorted(fitting, key=lambda one: one.value.entry))
    per_group = [_implementations(study, group) for group in region.groups]
    return tuple(Choice(region, tuple(one for part in parts for one in part)) for parts in product(*per_group))


def _implementations(study: Study, group: str) -> list[tuple[Document[Contract], ...]]:
    kernels = [one for one in study.contracts if one.value.backend == "conventional" and one.value.members == (group,)]
    by_name: dict[str, list[Document[Contract]]] = {}
    for one in sorted(kernels, key=lambda one: (one.value.order or 0, one.value.entry)):
        by_name.setdefault(one.value.implementation or "", []).append(one)
    return [tuple(by_name[name]) for name in sorted(by_name)]
