"""The running order: in which order the regions of a cover run until the first publication."""

from __future__ import annotations

from collections.abc import Sequence

from .region_graph import Groups, RegionGraph


def running_order(graph: RegionGraph, skipped: frozenset[str], regions: Sequence[Groups]) -> tuple[Groups, ...]:
    """Return *regions*, which are in the order of their cover, as they run: those of *skipped* groups of one role last.

    A region stays where it is if one that stays waits for it.
    """
    if not skipped:
        return tuple(regions)
    after = {region: graph.flow_after(region) for region in regions}
    staying = [region for region in regions if not set(region) <= skipped or graph.roles_of(region) > 1]
    for region in staying:
        staying += [other for other in regions if other not in staying and after[other] & set(region)]
    return (*(region for region in regions if region in staying), *(region for region in regions if region not in staying))
