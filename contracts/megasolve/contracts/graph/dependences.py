"""Dependences: what runs before what, and which groups are joined, by the edges and the roles of a spec (paper, section IV-A).

Edges of distance 0 say what waits for what within one step; a spec without any is the chain in its order. An edge that others imply
is no dependence of its own. Roles add that admission runs before production, and production before what consumes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..model.spec import GroupRole, Spec
from .bits import mask_of, members, union

ROLES: tuple[GroupRole, ...] = ("admission", "producer", "consumer")


@dataclass(frozen=True, slots=True)
class Dependences:
    """The groups of a spec as bits in its order.

    *direct* has, for each group, those that wait for it by an edge that no others imply; *after* and *before* all that must run
    later and earlier, by edges or by roles; *joined* those with which it makes a connected pair: an edge between them, or one group
    directly before or behind both. *roles* has the groups of each role. *implied* are the edges that others imply. *blocks* are those that
    repeat: whatever waits for a part of one waits for all of it, and a region holds a part of one by itself, or all of it.
    """

    groups: tuple[str, ...]
    roles: tuple[int, int, int]
    direct: tuple[int, ...]
    after: tuple[int, ...]
    before: tuple[int, ...]
    joined: tuple[int, ...]
    implied: tuple[tuple[int, int], ...]
    blocks: tuple[int, ...] = ()

    def mask(self, names: Sequence[str]) -> int:
        """Return the set of the groups with these *names*."""
        return mask_of(self.groups.index(name) for name in names)

    def names(self, mask: int) -> tuple[str, ...]:
        """Return the names of a set, in the order of the spec."""
        return tuple(self.groups[place] for place in members(mask))

    def hull(self, mask: int) -> int:
        """Return the least set around *mask* that is convex, and holds no part of a block beside something else."""
        # What runs after one member and before another lies between them; a region without it could run neither first nor last.
        grown = mask | (union(self.after, mask) & union(self.before, mask))
        for block in self.blocks:
            grown |= block if grown & block and grown & ~block else 0
        # What was added may have something between itself and the rest, so until nothing is added any more.
        return grown if grown == mask else self.hull(grown)

    def later(self, mask: int) -> int:
        """Return all outside of *mask* that runs after one of its members."""
        return union(self.after, mask) & ~mask

    def apart(self, place: int) -> int:
        """Return the groups of the same role that run neither before nor after the group at *place*."""
        role = next(role for role in self.roles if role >> place & 1)
        return role & ~(self.after[place] | self.before[place] | 1 << place)

    def part(self, mask: int) -> int:
        """Return the connected part of *mask* that holds its first member."""
        reached = mask & -mask
        while (grown := reached | (union(self.joined, reached) & mask)) != reached:
            reached = grown
        return reached

    def next(self, place: int) -> int:
        """Return what runs after the group at *place* with nothing between them."""
        return _nearest(self.after, self.after[place])

    def is_region(self, mask: int) -> bool:
        """Whether the set is connected and convex."""
        return self.hull(mask) == mask == self.part(mask)


def dependences_of(spec: Spec) -> Dependences:
    """Return the dependences of *spec*; edges that go nowhere or back play no part."""
    groups = tuple(group.name for group in spec.groups)
    blocks = tuple(mask_of(groups.index(name) for name in block.groups if name in groups) for block in spec.repeats)
    return dependences(groups, tuple(group.role for group in spec.groups), tuple(_edges(spec, groups)), blocks)


def dependences(
    groups: tuple[str, ...], roles: Sequence[GroupRole], edges: Sequence[tuple[int, int]] = (), blocks: tuple[int, ...] = ()
) -> Dependences:
    """Return the dependences of *groups*, each with its role, and *edges*, from an earlier to a later group; without any, a chain."""
    pairs = sorted(set(edges)) or list(pairwise(range(len(groups))))
    after = _closed(len(groups), pairs)
    onward = [0] * len(groups)
    for source, target in pairs:
        onward[source] |= 1 << target
    direct = tuple(_nearest(after, targets) for targets in onward)
    implied = tuple((source, target) for source, target in pairs if not direct[source] >> target & 1)
    admission, producers, consumers = (mask_of(place for place, role in enumerate(roles) if role == of) for of in ROLES)
    later = {"admission": producers | consumers, "producer": consumers, "consumer": 0}
    following = _around_blocks(tuple(reached | later[role] for reached, role in zip(after, roles, strict=True)), blocks)
    by_role = (admission, producers, consumers)
    return Dependences(groups, by_role, direct, following, sources(following), _joined(direct), implied, blocks)


def _around_blocks(after: tuple[int, ...], blocks: tuple[int, ...]) -> tuple[int, ...]:
    """Return *after* where what waits for a part of a block, or is waited for by one, does so for all of it."""
    found = list(after)
    # A block may lie between two others: one pass for each carries what one of them adds through all.
    for block in blocks * len(blocks):
        behind = union(tuple(found), block) & ~block
        for place, reached in enumerate(found):
            if block >> place & 1:
                found[place] |= behind
            elif reached & block and not behind >> place & 1:
                found[place] |= block | behind
    return tuple(found)


def _nearest(after: tuple[int, ...], targets: int) -> int:
    """Return those of *targets* that come after no other of them."""
    return targets & ~union(after, targets)


def _edges(spec: Spec, groups: Sequence[str]) -> Iterator[tuple[int, int]]:
    places = {name: place for place, name in reversed(list(enumerate(groups)))}
    for edge in spec.edges:
        source, target = places.get(edge.source, -1), places.get(edge.target, -1)
        if edge.distance == 0 and 0 <= source < target:
            yield source, target


def _closed(count: int, edges: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Return, for each group, all that edges lead to from it; edges point forward."""
    after = [0] * count
    # Sorted by source and pointing forward, so that backwards every set is whole before it is used.
    for source, target in reversed(edges):
        after[source] |= 1 << target | after[target]
    return tuple(after)


def sources(sets: Sequence[int]) -> tuple[int, ...]:
    """Return, for each member, all whose set holds it."""
    found = [0] * len(sets)
    for place, mask in enumerate(sets):
        for member in members(mask):
            found[member] |= 1 << place
    return tuple(found)


def _joined(direct: Sequence[int]) -> tuple[int, ...]:
    ahead = sources(direct)
    joined = [direct[place] | ahead[place] for place in range(len(direct))]
    # One group directly before two, or directly behind two, joins these: they share what it made, or what it reads.
    for around in (*direct, *ahead):
        for place in members(around):
            joined[place] |= around
    return tuple(mask & ~(1 << place) for place, mask in enumerate(joined))
