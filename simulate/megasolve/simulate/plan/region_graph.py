"""The region graph (paper, section IV-A): one node per group, edges for data, state and publication, and what it lets be a region.

*flow* is what the edges say of one step, *order* what runs before what: the flow, and the roles. A region is a connected and convex
set of groups: contracting it leaves no cycle in the order. Regions are a cover if contracting all of them leaves none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import networkx as nx

from megasolve.contracts import Dependences, Spec, dependences, dependences_of, region_sets, why_no_region

Groups = tuple[str, ...]


@dataclass(frozen=True)
class RegionGraph:
    """The groups of a spec, in its order, and how they depend on each other."""

    dependences: Dependences
    flow: nx.DiGraph
    order: nx.DiGraph
    # One partition is asked for once for every choice of backends, entries and policies.
    _orders: dict[frozenset[Groups], tuple[Groups, ...] | None] = field(default_factory=dict, compare=False, repr=False)

    @property
    def groups(self) -> Groups:
        """The groups, in the order of the spec."""
        return self.dependences.groups

    @cached_property
    def regions(self) -> tuple[Groups, ...]:
        """Every set of groups that can be a region, its groups in the order of the spec; those of earlier groups come first."""
        return tuple(map(self.dependences.names, region_sets(self.dependences)))

    @cached_property
    def apart(self) -> frozenset[tuple[str, str]]:
        """The pairs of groups of one role neither of which runs before the other, each in both orders."""
        depends = self.dependences
        return frozenset((name, other) for place, name in enumerate(self.groups) for other in depends.names(depends.apart(place)))

    def why_not(self, groups: Sequence[str]) -> str:
        """Return why *groups* are no region; nothing where they are one."""
        return why_no_region(self.dependences, self.dependences.mask(groups))

    def flow_after(self, groups: Sequence[str]) -> frozenset[str]:
        """Return what edges lead to from one of *groups*."""
        return frozenset(other for group in groups for other in self.flow.successors(group))

    def roles_of(self, groups: Sequence[str]) -> int:
        """Return how many roles *groups* have."""
        mask = self.dependences.mask(groups)
        return sum(bool(role & mask) for role in self.dependences.roles)

    def conflicts(self) -> Iterator[tuple[Groups, Groups]]:
        """Yield the pairs of regions of which each would wait for the other."""
        later = [(region, mask, self.dependences.later(mask)) for region in self.regions for mask in [self.dependences.mask(region)]]
        for (one, mask, after), (other, other_mask, other_after) in combinations(later, 2):
            if after & other_mask and other_after & mask and not mask & other_mask:
                yield one, other

    def contracted(self, parts: Sequence[Groups]) -> nx.DiGraph:
        """Return what runs before what where each of *parts*, by its place in the list, is one node."""
        home = {group: place for place, part in enumerate(parts) for group in part}
        quotient = nx.DiGraph()
        quotient.add_nodes_from(range(len(parts)))
        inside = ((home[one], home[other]) for one, other in self.order.edges if one in home and other in home)
        quotient.add_edges_from((one, other) for one, other in inside if one != other)
        return quotient

    def in_order(self, regions: Iterable[Groups]) -> tuple[Groups, ...] | None:
        """Return *regions*, which hold each group once, as they run: what waits comes later, and else the spec decides; None in a cycle.

        The regions that a block is cut into follow each other.
        """
        asked = frozenset(regions)
        if asked not in self._orders:
            self._orders[asked] = self._in_order(asked)
        return self._orders[asked]

    def _in_order(self, regions: Iterable[Groups]) -> tuple[Groups, ...] | None:
        units: dict[Groups, list[Groups]] = {}
        for region in regions:
            units.setdefault(self._block_around(region) or region, []).append(region)
        try:
            return tuple(region for unit in self._sorted(units) for region in self._sorted(units[unit]))
        except nx.NetworkXUnfeasible:
            return None

    def _sorted(self, parts: Iterable[Groups]) -> list[Groups]:
        by_spec = sorted(parts, key=lambda part: self.groups.index(part[0]))
        if len(by_spec) == 1:
            return by_spec
        # Nodes are places in the order of the spec, so the smallest free one is the first of the spec that waits for nothing.
        return [by_spec[place] for place in nx.lexicographical_topological_sort(self.contracted(by_spec))]

    def _block_around(self, region: Groups) -> Groups:
        """Return the block that *region* is a part of, or the whole of."""
        mask = self.dependences.mask(region)
        return next((self.dependences.names(block) for block in self.dependences.blocks if not mask & ~block), ())

    def cycle(self, regions: Iterable[Groups]) -> tuple[Groups, ...]:
        """Return regions of which each waits for the one before it, and the first for the last."""
        listed = list(regions)
        return tuple(listed[source] for source, _ in nx.find_cycle(self.contracted(listed)))


def region_graph(spec: Spec) -> RegionGraph:
    """Return the region graph of *spec*."""
    return _graph(dependences_of(spec))


def chain(groups: Sequence[str]) -> RegionGraph:
    """Return the region graph of *groups* of one role, each of which waits for the one before it."""
    return _graph(dependences(tuple(groups), ["producer"] * len(groups)))


def _graph(depends: Dependences) -> RegionGraph:
    flow, order = nx.DiGraph(), nx.DiGraph()
    for place, name in enumerate(depends.groups):
        flow.add_node(name)
        order.add_node(name)
        flow.add_edges_from((name, other) for other in depends.names(depends.direct[place]))
        order.add_edges_from((name, other) for other in depends.names(depends.next(place)))
    return RegionGraph(depends, flow, order)
