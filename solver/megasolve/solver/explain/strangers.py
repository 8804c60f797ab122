"""Ids that no candidate has although they name all groups: regions that the edges forbid, alone or together."""

from __future__ import annotations

from collections.abc import Iterator

from megasolve.simulate.plan.cause import NO_COVER, NO_REGION, Cause
from megasolve.simulate.plan.cover import Region
from megasolve.simulate.plan.region_graph import RegionGraph

from ..search.predicates import Judge
from ..select.result import Excluded
from .alone import said_by


def excluded_by_edges(judge: Judge, name: str) -> Excluded | None:
    """Return the candidate that *name* would be with what the edges say against it; None where it is one, or nothing like one."""
    said = said_by(judge, name)
    causes = tuple(_causes(judge.graph, said.cover.regions)) if said is not None else ()
    return Excluded(said, causes) if said is not None and causes else None


def _causes(graph: RegionGraph, regions: tuple[Region, ...]) -> Iterator[Cause]:
    for region in regions:
        if why := graph.why_not(region.groups):
            yield Cause(NO_REGION, f"{'+'.join(region.groups)} is no region: {why}", str(region))
    groups = [region.groups for region in regions]
    if all(not graph.why_not(one) for one in groups) and graph.in_order(groups) is None:
        found = graph.cycle(groups)
        circle = " -> ".join("+".join(one) for one in (*found, found[0]))
        yield Cause(NO_COVER, f"these regions wait for each other: {circle}", circle)
