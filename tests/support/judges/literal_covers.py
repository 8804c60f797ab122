"""The covers of a region graph by brute force: every partition of the groups, held against the words of the definition.

A region is connected (groups with a common direct predecessor or successor counting as connected) and convex. A region in two roles is
the last of its earlier and the first of its later role, one of admission and consumers holds all producers, and the regions have an
order in which nothing waits for what comes later. Shares no code with the planner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

ROLES = ("admission", "producer", "consumer")

Block = tuple[int, ...]


@dataclass(frozen=True)
class Groups:
    """Groups by their places: the *roles* of all, the *edges* within one step, and the *block* that repeats, if there is one."""

    roles: tuple[str, ...]
    edges: frozenset[tuple[int, int]]
    block: Block = ()

    @property
    def count(self) -> int:
        """How many groups there are."""
        return len(self.roles)

    def leads(self, source: int, target: int) -> bool:
        """Whether edges lead from one group to another."""
        return any(after == target or self.leads(after, target) for before, after in self.edges if before == source)

    def direct(self) -> frozenset[tuple[int, int]]:
        """Return the edges that no others imply."""

        def is_implied(edge: tuple[int, int]) -> bool:
            return any(self.leads(edge[0], between) and self.leads(between, edge[1]) for between in range(self.count))

        return frozenset(edge for edge in self.edges if not is_implied(edge))

    def are_joined(self, one: int, other: int) -> bool:
        """Whether two groups by themselves count as connected."""
        direct = self.direct()
        before = {source for source, target in direct if target == one} & {source for source, target in direct if target == other}
        after = {target for source, target in direct if source == one} & {target for source, target in direct if source == other}
        return bool(before or after or {(one, other), (other, one)} & direct)

    def is_connected(self, block: Block) -> bool:
        """Whether no cut through the block leaves all pairs of joined groups whole."""
        return all(
            any(self.are_joined(one, other) for one in side for other in set(block) - set(side))
            for size in range(1, len(block))
            for side in combinations(block, size)
        )

    def is_convex(self, block: Block) -> bool:
        """Whether no edges lead out of the block and back into it."""
        outside = set(range(self.count)) - set(block)
        return not any(self.leads(first, between) and self.leads(between, last) for between in outside for first in block for last in block)

    def respects_the_block(self, region: Block) -> bool:
        """Whether a region that takes a part of the block takes nothing else."""
        inside = set(region) & set(self.block)
        return inside in (set(), set(self.block)) or inside == set(region)

    def roles_of(self, block: Block) -> set[str]:
        """Return the roles that the groups of a block have."""
        return {self.roles[group] for group in block}


def covers(groups: Groups) -> dict[frozenset[Block], tuple[Block, ...]]:
    """Return every cover, backends aside, with the first of its orders: the one whose earliest groups stand earliest in the spec."""
    found = {}
    for partition in partitions(tuple(range(groups.count))):
        if all(groups.is_connected(one) and groups.is_convex(one) and groups.respects_the_block(one) for one in partition):
            orders = [order for order in permutations(partition) if runs(groups, order)]
            if orders:
                found[frozenset(partition)] = min(orders, key=lambda order: [block[0] for block in order])
    return found


def partitions(places: Block) -> Iterator[tuple[Block, ...]]:
    """Yield every partition of *places* into blocks."""
    if not places:
        yield ()
        return
    first, rest = places[0], places[1:]
    for size in range(len(rest) + 1):
        for others in combinations(rest, size):
            left = tuple(place for place in rest if place not in others)
            for further in partitions(left):
                yield ((first, *others), *further)


def runs(groups: Groups, order: Sequence[Block]) -> bool:
    """Whether the blocks can run in this order: nothing waits for what comes later, and role follows role."""
    place = {group: index for index, block in enumerate(order) for group in block}
    if any(place[source] > place[target] for source, target in groups.edges):
        return False
    turns = [index for index, block in enumerate(order) if set(block) & set(groups.block)]
    if turns and turns[-1] - turns[0] >= len(turns):
        return False
    for earlier, later in combinations(ROLES, 2):
        of_earlier = [block for block in order if earlier in groups.roles_of(block)]
        of_later = [block for block in order if later in groups.roles_of(block)]
        both = [block for block in of_earlier if block in of_later]
        if len(both) > 1 or (both and (of_earlier[-1] != both[0] or of_later[0] != both[0])):
            return False
        if not both and of_earlier and of_later and place[of_earlier[-1][0]] > place[of_later[0][0]]:
            return False
        if both and (earlier, later) == ("admission", "consumer"):
            producers = {group for group in range(groups.count) if groups.roles[group] == "producer"}
            if not producers <= set(both[0]):
                return False
    return True


def weight(partition: frozenset[Block]) -> int:
    """Return how many covers a partition stands for: each region has either backend."""
    return int(2 ** len(partition))
