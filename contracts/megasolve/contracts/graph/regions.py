"""Regions: every connected and convex set of groups, found by growing each from one of its members."""

from __future__ import annotations

from typing import NamedTuple

from .bits import members, union
from .dependences import Dependences, sources

MOST_REGIONS = 200_000
MOST_GROUPS = 1_000


def region_sets(dependences: Dependences, at_most: int | None = None) -> tuple[int, ...]:
    """Return every set of groups that can be a region, those of earlier groups first; with *at_most*, soon none beyond so many.

    A region can be grown inside itself: as long as one of its members is missing, one of those is joined to what is there, and
    whatever runs between the two is in the region, too.
    """
    found: dict[int, _Grown] = {}
    for place in range(len(dependences.groups)):
        one = _grown(dependences, _Grown(), 1 << place)
        found[one.mask] = one
    # The list grows while it is walked: each set is grown once, whatever it was found from.
    for one in (growing := list(found.values())):
        for place in members(one.joined & ~one.mask):
            more = _grown(dependences, one, 1 << place)
            if more.mask not in found:
                found[more.mask] = more
                growing.append(more)
        if at_most is not None and len(found) > at_most:
            break
    connected = [mask for mask in found if not _may_fall_apart(dependences, mask) or dependences.part(mask) == mask]
    return tuple(sorted(connected, key=lambda mask: tuple(members(mask))))


class _Grown(NamedTuple):
    """A convex set with all that runs after one of its members, before one, and is joined to one."""

    mask: int = 0
    after: int = 0
    before: int = 0
    joined: int = 0


def _grown(dependences: Dependences, one: _Grown, new: int) -> _Grown:
    """Return the least convex set around *one* and *new* that holds no part of a block beside something else."""
    mask, after, before, joined = one
    while new:
        for place in members(new):
            after |= dependences.after[place]
            before |= dependences.before[place]
            joined |= dependences.joined[place]
        mask |= new
        new = after & before & ~mask
        for block in dependences.blocks:
            new |= block & ~mask if (mask | new) & block and (mask | new) & ~block else 0
    return _Grown(mask, after, before, joined)


def _may_fall_apart(dependences: Dependences, mask: int) -> bool:
    """Whether a set may hold groups that are joined to none of its others: producers between its two ends, or the rest of a block."""
    admission, _, consumers = dependences.roles
    return bool(dependences.blocks or (mask & admission and mask & consumers))


def widest_branch(dependences: Dependences) -> tuple[int, int]:
    """Return the group that most groups of one role follow, or precede, directly, and how many these are."""
    around = zip(dependences.direct, sources(dependences.direct), strict=True)
    found = [(max((side & role).bit_count() for side in sides for role in dependences.roles), -place) for place, sides in enumerate(around)]
    count, place = max(found)
    return -place, count


def why_no_region(dependences: Dependences, mask: int) -> str:
    """Return why a set of groups is no region; nothing where it is one."""
    for block in dependences.blocks:
        if mask & block and mask & ~block and block & ~mask:
            taken, left = ("+".join(dependences.names(part)) for part in (mask & block, block & ~mask))
            return f"it takes {taken} out of a block that repeats, without {left}, and groups outside of the block"
    if outside := dependences.hull(mask) & ~mask:
        between = outside & -outside
        into = way(dependences, mask & union(dependences.before, between), between)
        back = way(dependences, between, mask & union(dependences.after, between))
        return f"{' -> '.join(dependences.groups[place] for place in (*into, *back[1:]))} leads out of it and back"
    if (part := dependences.part(mask)) != mask:
        one, other = ("+".join(dependences.names(side)) for side in (part, mask & ~part))
        return f"no edge joins {one} and {other}, and no group comes directly before, or directly after, both"
    return ""


def way(dependences: Dependences, start: int, goal: int) -> tuple[int, ...]:
    """Return a shortest way from a group of *start* to one of *goal*."""
    ways: list[tuple[int, ...]] = [(place,) for place in members(start)]
    seen = start
    for way in ways:
        if goal >> way[-1] & 1:
            return way
        onward = dependences.next(way[-1]) & ~seen
        seen |= onward
        ways += [(*way, place) for place in members(onward)]
    return ()
