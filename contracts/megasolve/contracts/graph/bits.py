"""Sets of groups as bits of a whole number: bit i stands for the group that is i-th in the spec."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def members(mask: int) -> Iterator[int]:
    """Yield the places of the bits of *mask*, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def mask_of(places: Iterable[int]) -> int:
    """Return the set of *places*."""
    mask = 0
    for place in places:
        mask |= 1 << place
    return mask


def union(sets: tuple[int, ...], mask: int) -> int:
    """Return all that is in one of the *sets* of the members of *mask*."""
    found = 0
    for place in members(mask):
        found |= sets[place]
    return found
