"""Regions: every connected and convex set of groups, found by growing each from one of its members."""

from __future__ import annotations

from .bits import members, union
from .dependences import Dependences, sources

MOST_REGIONS = 200_000
MOST_GROUPS = 1_000


def region_sets(dependences: Dependences, at_most: int | None = None) -> tuple[int, ...]:
    """Return every set of groups that can be a region, those of earlier groups first; with *at_most*, no more than one beyond it.

    A region can be grown inside itself: as long as one of its members is missing, one of those is joined to what is there, and
    whatever runs between the two is in the region, too.
    """
    found: dict[int, None] = {1 << place: None for place in range(len(dependences.groups))}
    # The list grows while it is walked: what is found is grown in its turn.
    for mask in (growing := list(found)):
        for place in members(union(dependences.joined, mask) & ~mask):
            grown = dependences.hull(mask | 1 << place)
            if grown not in found:
                found[grown] = None
                growing.append(grown)
        if at_most is not None and len(found) > at_most:
            break
    # Between admission and a consumer run producers that may be joined to neither.
    connected = [mask for mask in found if dependences.part(mask) == mask]
    return tuple(sorted(connected, key=lambda mask: tuple(members(mask))))


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
