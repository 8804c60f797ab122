"""Candidates by their ids, in the entries that streamlet has for each region."""

from __future__ import annotations

from megasolve.contracts import Study
from megasolve.gpu.workloads.streamlet.conventional import conventional_contracts
from megasolve.simulate.plan.candidate import Candidate
from megasolve.simulate.plan.cover import Backend, Cover, Region
from megasolve.simulate.plan.policy import Policy
from megasolve.simulate.plan.runnable import RunnableCandidate
from megasolve.simulate.plan.sharing import Sharing


def runnable(study: Study, candidate: str) -> RunnableCandidate:
    """Return the candidate that an id such as `m:P/m:B+L/m:C@dynamic:88/44` names."""
    cover, _, policy = candidate.partition("@")
    sharing, *more = policy.split(":")
    waits_for_stream = more[-1:] == ["stream"]
    # On two streams the side of conventional kernels is a `c`.
    producer, _, consumer = "".join(more[: len(more) - waits_for_stream]).replace("c", "0").partition("/")
    regions = tuple(_region(part) for part in cover.split("/"))
    shared = Policy(Sharing(sharing), int(producer or 0), int(consumer or 0), waits_for_stream)
    return RunnableCandidate(Candidate(Cover(regions), shared), tuple(_entries(study, region) for region in regions))


def _region(text: str) -> Region:
    letter, _, names = text.partition(":")
    return Region(Backend(letter), tuple(names.split("+")))


def _entries(study: Study, region: Region) -> tuple[str, ...]:
    return ("_".join(region.groups),) if region.is_megakernel else tuple(_kernels(study, region.groups))


def _kernels(study: Study, groups: tuple[str, ...]) -> list[str]:
    return [contract.entry for group in groups for contract in conventional_contracts(study, group)]
