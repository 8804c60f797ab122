"""Regions: every connected and convex set of groups, found by growing each from one of its members."""

from __future__ import annotations

from .bits import members, union
from .dependences import Dependences, sources


def region_sets(dependences: Dependences, at_most: int | None = None) -> tuple[int, ...]:
    """Return every set of groups that can be a region, those of earlier groups first; with *at_most*, no more than one beyond it.

    A region can be grown inside itself: as long as one of its members is missing, one of those is joined to what is there, and
    whatever runs between the two is in the region, too.
    """
    found: dict[int, None] = {1 << place: None for place in range(len(dependences.groups))}
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
