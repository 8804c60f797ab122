"""Which regions headroom looks at: those that could be a megakernel, and for which nobody has evidence of one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from megasolve.contracts import Contract, Spec
from megasolve.simulate.plan.candidate import Choice
from megasolve.simulate.plan.cover import Backend, Region
from megasolve.simulate.plan.region_graph import Groups, region_graph

from ..evidence.asking import refuse_wide_graph
from ..evidence.lookup import NoEvidence
from ..optimize.space.costing import SERIAL
from ..search.predicates import Judge
from .facts.today import Todays

# Kernels that wait for the same kernels of other devices: what they take is decided there.
_COLLECTIVE = re.compile(
    r"nccl|rccl|multimem|all_?reduce|cross_device_reduce|all_?gather|reduce_?scatter|all_?to_?all|nvshmem", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class OpenRegions:
    """The *regions* without megakernel evidence, and why groups are in none of them."""

    regions: tuple[Groups, ...]
    notes: tuple[str, ...]


def region_count(spec: Spec) -> int:
    """Return how many regions the groups of *spec* have, whatever there is evidence of: the headroom of a batch looks at no more.

    Raises
    ------
    SpaceTooLarge
        They cannot be listed.
    """
    refuse_wide_graph(spec)
    return len(region_graph(spec).regions)


def open_regions(judge: Judge, todays: Todays) -> OpenRegions:
    """Return the regions of *judge*'s study that a new megakernel could run."""
    silent = [group for group in judge.graph.groups if todays.of((group,)) is None]
    peers = {group: names for group in judge.graph.groups if (names := _collectives(judge, group))}
    closed = {*silent, *peers}
    regions = [groups for groups in judge.graph.regions if closed.isdisjoint(groups) and not _has_evidence(judge, groups)]
    return OpenRegions(tuple(regions), (*_silent_notes(silent), *_peer_notes(peers)))


def _has_evidence(judge: Judge, groups: Groups) -> bool:
    """Whether some entry for *groups* has a time that somebody saw or that its program gives; an assumed one is none."""
    return any(_is_timed(judge, choice) for choice in judge.choices(Region(Backend.MEGAKERNEL, groups)))


def _is_timed(judge: Judge, choice: Choice) -> bool:
    found = [use for need in judge.needs(choice, SERIAL) for use in judge.records(choice, need)]
    return bool(found) and all(not isinstance(use, NoEvidence) and use.record.provenance.kind != "assumed" for use in found)


def _collectives(judge: Judge, group: str) -> tuple[str, ...]:
    choice = judge.choices(Region(Backend.CONVENTIONAL, (group,)))
    contracts = {one.value.entry: one.value for each in choice for one in each.contracts}
    return tuple(contract.entry for contract in contracts.values() if _is_collective(contract))


def _is_collective(contract: Contract) -> bool:
    return any(_COLLECTIVE.search(name) for name in (contract.entry, *contract.observed_kernels))


def _silent_notes(groups: Sequence[str]) -> Iterator[str]:
    if groups:
        yield f"no conventional evidence for {', '.join(groups)}: what it takes today is not known, so no region has it"


def _peer_notes(peers: dict[str, tuple[str, ...]]) -> Iterator[str]:
    for group, names in peers.items():
        yield f"{group} waits for other devices ({', '.join(names[:3])}): never headroom, and no region has it; cut finer to look beside it"
