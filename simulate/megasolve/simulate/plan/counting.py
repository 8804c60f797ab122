"""Counting: how many covers a region graph has, and how many candidates, each once, without listing any."""

from __future__ import annotations

from collections.abc import Callable

from megasolve.contracts import Spec

from .cover import Backend, Region
from .policy import Policy, policies
from .region_graph import Groups, RegionGraph
from .sharing import Sharing


def count_covers(graph: RegionGraph, weigh: Callable[[Groups], int] = lambda _groups: 2) -> int:
    """Return the number of covers, a region counted as often as *weigh* says: by default once for each backend.

    Every cover of a set that holds all that its groups wait for has regions that nothing waits for. Taking a set of such regions away
    leaves a cover of a smaller set of that kind; the sets of one region are counted, those of two were counted twice, and so on: the
    signs of inclusion and exclusion count each cover once, whatever the order of its regions.
    """
    weights = {mask: weigh(groups) for groups in graph.regions for mask in [graph.dependences.mask(groups)]}
    counted = _Counting(graph, {mask: weight for mask, weight in weights.items() if weight})
    return counted.of((1 << len(graph.groups)) - 1)


def count_candidates(graph: RegionGraph, spec: Spec, weigh: Callable[[Region], int] = lambda _region: 1) -> int:
    """Return the number of covers under every policy of *spec* that is attached to them, a region counted as often as *weigh* says."""

    def count(policy: Policy) -> int:
        def weighed(groups: Groups) -> int:
            regions = (Region(backend, groups) for backend in Backend)
            return sum(weigh(region) for region in regions if policy.may_have(region, spec))

        return count_covers(graph, weighed)

    # The pairs of one way of sharing are attached to the same covers.
    every = policies(spec)
    counts: dict[Sharing, int] = {}
    for policy in every:
        if policy.sharing not in counts:
            counts[policy.sharing] = count(policy)
    return sum(counts[policy.sharing] for policy in every)


class _Counting:
    """Counts the covers of sets of groups, remembering those of each set."""

    def __init__(self, graph: RegionGraph, weights: dict[int, int]) -> None:
        later = {mask: graph.dependences.later(mask) for mask in weights}
        self._regions = sorted(((mask & -mask, mask, later[mask], weight) for mask, weight in weights.items()))
        self._known = {0: 1}

    def of(self, groups: int) -> int:
        """Return the covers of a set that holds all that its groups wait for."""
        if groups not in self._known:
            self._known[groups] = -sum(signed * self.of(groups & ~taken) for taken, signed in self._last(groups).items() if taken)
        return self._known[groups]

    def _last(self, groups: int) -> dict[int, int]:
        """Return the sets of groups that regions make up which can all be last, with their weights, negative for an odd number."""
        found = {0: 1}
        level, grown = 0, found
        for lowest, mask, later, weight in self._regions:
            # Only regions inside the set that nothing else in it waits for can be taken away first.
            if mask & ~groups or later & groups:
                continue
            # Two regions with the same lowest group overlap: of each level at most one is taken, from sets of the levels before.
            if lowest != level:
                found, level = dict(grown), lowest
                grown = dict(found)
            for taken, signed in found.items():
                if not taken & mask:
                    grown[taken | mask] = grown.get(taken | mask, 0) - signed * weight
        return grown
