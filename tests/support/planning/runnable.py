"""Candidates by their ids, in the entries that streamlet has for each region."""

from __future__ import annotations

from megasolve.contracts import Backend, Study
from megasolve.gpu.experiments.compositions.candidates import RegionOfEntries, RunnableCandidate, Sharing
from megasolve.gpu.workloads.streamlet.conventional import conventional_contracts

_SHARINGS: dict[str, Sharing] = {"serial": "serial", "fixed": "fixed", "dynamic": "dynamic"}


def runnable(study: Study, candidate: str) -> RunnableCandidate:
    """Return the candidate that an id such as `m:P/m:B+L/m:C@dynamic:88/44` names."""
    cover, _, policy = candidate.partition("@")
    sharing, _, split = policy.partition(":")
    producer, _, consumer = split.partition("/")
    regions = tuple(_region(study, part) for part in cover.split("/"))
    return RunnableCandidate(candidate, regions, _SHARINGS[sharing], int(producer or 0), int(consumer or 0))


def _region(study: Study, text: str) -> RegionOfEntries:
    letter, _, names = text.partition(":")
    groups = tuple(names.split("+"))
    backend: Backend = "megakernel" if letter == "m" else "conventional"
    entries = ("_".join(groups),) if letter == "m" else tuple(_kernels(study, groups))
    return RegionOfEntries(backend, groups, entries)


def _kernels(study: Study, groups: tuple[str, ...]) -> list[str]:
    return [contract.entry for group in groups for contract in conventional_contracts(study, group)]
