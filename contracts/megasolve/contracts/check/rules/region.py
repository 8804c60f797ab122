"""Rules for the region graph of a spec: edges that say nothing, too many regions, and members that are none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ...files.study import Study
from ...graph.awaiting import unawaited
from ...graph.dependences import Dependences, dependences_of
from ...graph.regions import MOST_GROUPS, MOST_REGIONS, region_sets, way, why_no_region, widest_branch
from ...model.findings import Fault, Severity
from ...model.rules import rule
from ...model.spec import Edge, Spec
from ..subjects import SPEC, STUDY, Placed
from .wording import listed


@rule("GRP-08", "edge-implied", "No edge follows from others.", on=SPEC)
def edge_implied(spec: Spec) -> Iterator[Fault]:
    """What waits for a group that waits for another one waits for that, too, so a further edge between the two says nothing."""
    if len(spec.groups) > MOST_GROUPS:
        return
    depends = dependences_of(spec)
    for index, edge in enumerate(spec.edges):
        ends = tuple(depends.groups.index(name) if name in depends.groups else -1 for name in (edge.source, edge.target))
        if edge.distance == 0 and ends in depends.implied and not _marks(spec, depends, edge):
            between = " -> ".join(depends.groups[place] for place in way(depends, 1 << ends[0], 1 << ends[1]))
            yield Fault(
                edge_implied,
                ("edges", index),
                f"{edge.source} -> {edge.target} follows from {between} and changes nothing; remove it",
                severity=Severity.WARNING,
            )


def _marks(spec: Spec, depends: Dependences, edge: Edge) -> bool:
    """Whether the edge changes what publication waits for."""
    others = [other for other in spec.edges if other is not edge]
    return edge.kind == "publication" and unawaited(spec, depends, others) != unawaited(spec, depends)


@rule("GRP-09", "too-many-regions", "The groups have at most 200,000 regions.", on=SPEC)
def too_many_regions(spec: Spec) -> Iterator[Fault]:
    """Every region is a decision, and every set of groups that follow one group is a region."""
    if count := _count(spec):
        yield Fault(too_many_regions, ("groups",), f"{count}; join groups that are never cut apart", at_key=True)


def _count(spec: Spec) -> str:
    """Return how many regions there are, where that is too many."""
    groups = len(spec.groups)
    if not any(edge.distance == 0 for edge in spec.edges):
        count = groups * (groups + 1) // 2
        return f"{groups:,} groups in a chain have {count:,} regions > {MOST_REGIONS:,}" if count > MOST_REGIONS else ""
    if groups > MOST_GROUPS:
        return f"{groups:,} groups > {MOST_GROUPS:,} that edges may join"
    depends = dependences_of(spec)
    place, width = widest_branch(depends)
    branch = f"the widest branch has the {width:,} groups next to '{depends.groups[place]}'"
    if (least := 2**width - 1) > MOST_REGIONS:
        return f"at least {least:,} regions > {MOST_REGIONS:,}: {branch}, of which any set is a region"
    count = len(region_sets(depends, at_most=MOST_REGIONS))
    return f"at least {count:,} regions > {MOST_REGIONS:,}: {branch}" if count > MOST_REGIONS else ""


def is_chain(spec: Spec) -> bool:
    """Whether each group is followed by the next one alone."""
    if not any(edge.distance == 0 for edge in spec.edges) or len(spec.groups) > MOST_GROUPS:
        return True
    direct = dependences_of(spec).direct
    return all(targets == 1 << place + 1 for place, targets in enumerate(direct[:-1]))


@rule("REF-13", "members-no-region", "Members are a region of the edges of the spec.", on=STUDY)
def members_no_region(study: Study) -> Iterator[Placed]:
    """Groups that no edges join, or between which another one runs, can never be one launch, so nothing uses their entry."""
    spec = study.spec.value
    if is_chain(spec):
        return
    depends = dependences_of(spec)
    for contract in study.contracts:
        members = contract.value.members
        ranks = [depends.groups.index(name) for name in members if name in depends.groups]
        in_order = len(ranks) == len(members) and all(before < after for before, after in pairwise(ranks))
        if in_order and (why := why_no_region(depends, depends.mask(members))):
            message = f"{listed(members)} are no region: {why}; no design uses '{contract.value.entry}'"
            yield contract, Fault(members_no_region, ("members",), message, severity=Severity.WARNING)
