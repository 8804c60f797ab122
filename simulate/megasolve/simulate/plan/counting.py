"""Counting: how many covers a region graph has, and how many candidates, each once, without listing any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from megasolve.contracts import Spec

from .cover import Backend, Region
from .policy import Policy, policies
from .region_graph import Groups, RegionGraph
from .sharing import Sharing


class Amount(Protocol):
    """What covers can be counted in: it adds, multiplies, and knows whether it is nothing."""

    def __add__(self, other: Any, /) -> Any: ...

    def __mul__(self, other: Any, /) -> Any: ...

    def __neg__(self) -> Any: ...

    def __bool__(self) -> bool: ...


A = TypeVar("A", bound=Amount)


def count_covers(graph: RegionGraph, weigh: Callable[[Groups], int] = lambda _groups: 2) -> int:
    """Return the number of covers, a region counted as often as *weigh* says: by default once for each backend."""
    return sum_covers(graph, weigh, 0, 1)


def sum_covers(graph: RegionGraph, weigh: Callable[[Groups], A], nothing: A, one: A) -> A:
    """Return the sum over all covers of the product of what their regions weigh.

    Every cover of a set that holds all that its groups wait for has regions that nothing waits for. Taking a set of such regions away
    leaves a cover of a smaller set of that kind; the sets of one region are counted, those of two were counted twice, and so on: the
    signs of inclusion and exclusion count each cover once, whatever the order of its regions.
    """
    weights = {mask: weigh(groups) for groups in graph.regions for mask in [graph.dependences.mask(groups)]}
    counted = _Counting(graph, {mask: weight for mask, weight in weights.items() if weight}, nothing, one)
    return counted.of((1 << len(graph.groups)) - 1)


def count_candidates(graph: RegionGraph, spec: Spec, weigh: Callable[[Region], int] = lambda _region: 1) -> int:
    """Return the number of covers under every policy of *spec* that is attached to them, a region counted as often as *weigh* says."""

    def count(policy: Policy) -> int:
        def weighed(groups: Groups) -> int:
            regions = (Region(backend, groups) for backend in Backend)
            return sum(weigh(region) for region in regions if policy.may_have(region, spec))

        return count_covers(graph, weighed)

    # The pairs of one way of sharing are attached to the same covers.
    every = [(policy, (policy.sharing, policy.producer_ctas > 0, policy.consumer_ctas > 0)) for policy in policies(spec)]
    counts: dict[tuple[Sharing, bool, bool], int] = {}
    for policy, alike in every:
        if alike not in counts:
            counts[alike] = count(policy)
    return sum(counts[alike] for _, alike in every)


class _Counting(Generic[A]):
    """Counts the covers of sets of groups, remembering those of each set."""

    def __init__(self, graph: RegionGraph, weights: dict[int, A], nothing: A, one: A) -> None:
        later = {mask: graph.dependences.later(mask) for mask in weights}
        self._regions = sorted(((mask & -mask, mask, later[mask], weight) for mask, weight in weights.items()), key=lambda one: one[:2])
        self._nothing, self._one = nothing, one
        self._known: dict[int, A] = {0: one}

    def of(self, groups: int) -> A:
        """Return the covers of a set that holds all that its groups wait for."""
        if groups not in self._known:
            total = self._nothing
            for taken, signed in self._last(groups).items():
                if taken:
                    total = total + -(signed * self.of(groups & ~taken))
            self._known[groups] = total
        return self._known[groups]

    def _last(self, groups: int) -> dict[int, A]:
        """Return the sets of groups that regions make up which can all be last, with their weights, negative for an odd number."""
        found = {0: self._one}
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
                    grown[taken | mask] = grown.get(taken | mask, self._nothing) + -(signed * weight)
        return grown
