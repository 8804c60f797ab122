"""Candidates: a cover together with one policy that applies to it, and the variants in which its entries can be chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
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
    """The *entries* that run one region by name: one megakernel contract, or the conventional kernels of each group in order."""

    region: Region
    contracts: tuple[Document[Contract], ...]
    entries: tuple[str, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "entries", tuple(contract.value.entry for contract in self.contracts))

    def __hash__(self) -> int:
        # A contract holds mappings (geometry, for one), which have no hash; without the entries all choices of a region would collide.
        return hash((self.region, self.entries))

    def __str__(self) -> str:
        return "+".join(self.entries)

    def contracts_of(self, group: str) -> tuple[Document[Contract], ...]:
        """The contracts that run *group*, in order."""
        return tuple(contract for contract in self.contracts if group in contract.value.members)


class Supported:
    """What the contracts of a study support: its megakernels by the groups that they run, and the implementations of each group."""

    def __init__(self, study: Study) -> None:
        self.megakernels: dict[frozenset[str], list[Document[Contract]]] = {}
        self._kernels: dict[str, list[Document[Contract]]] = {}
        self._implementations: dict[str, list[tuple[Document[Contract], ...]]] = {}
        for one in study.contracts:
            if one.value.backend == "megakernel":
                self.megakernels.setdefault(frozenset(one.value.members), []).append(one)
            elif len(one.value.members) == 1:
                self._kernels.setdefault(one.value.members[0], []).append(one)

    def implementations(self, group: str) -> list[tuple[Document[Contract], ...]]:
        """Return the conventional kernels of *group*, in order, of each of its implementations."""
        if group not in self._implementations:
            by_name: dict[str, list[Document[Contract]]] = {}
            for one in sorted(self._kernels.get(group, ()), key=lambda one: (one.value.order or 0, one.value.entry)):
                by_name.setdefault(one.value.implementation or "", []).append(one)
            self._implementations[group] = [tuple(by_name[name]) for name in sorted(by_name)]
        return self._implementations[group]


def choices(supported: Supported, region: Region) -> tuple[Choice, ...]:
    """Return the supported choices of entries for *region*, by entry name; none where an entry or a kernel is missing."""
    if region.is_megakernel:
        fitting = supported.megakernels.get(frozenset(region.groups), ())
        return tuple(Choice(region, (one,)) for one in sorted(fitting, key=lambda one: one.value.entry))
    per_group = [supported.implementations(group) for group in region.groups]
    return tuple(Choice(region, tuple(one for part in parts for one in part)) for parts in product(*per_group))
