"""Whether counters order all that must be ordered: of two tiles that touch the same element, one writing, one waits for the other.

This finds what running cannot be relied on to show: a wait that is missing, but whose tiles happened to run in the right order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .arenas import ArenaName
from .instructions import Instruction
from .tile import Access, ArenaRegion


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two instructions that touch *element* of *arena* without an order between them, at least one of them writing."""

    earlier: int
    later: int
    arena: ArenaName
    element: int


def conflicts(
    instructions: Sequence[Instruction],
    order: Sequence[int],
    touched: Mapping[int, Sequence[Access]],
    sizes: Mapping[ArenaName, int],
) -> Iterator[Conflict]:
    """Yield the conflicts of a program, at most one for each piece of memory that the same tiles touch.

    Parameters
    ----------
    order
        The instructions in an order in which they may run.
    touched
        The accesses of each instruction, inside arenas of these *sizes*.
    """
    before = ancestors(instructions, order)
    # No operation writes weights, so no two tiles race for them.
    for arena in ("floats", "ids"):
        users = _users(arena, order, touched)
        pieces = _Pieces(np.zeros(sizes[arena], np.int32))
        for region in users:
            pieces.refine(region)
        for piece in pieces.used():
            pair = _unordered([users[region] for region in pieces.regions[piece]], before)
            if pair is not None:
                earlier, later = (order[place] for place in pair)
                yield Conflict(earlier, later, arena, pieces.element(piece))


@dataclass(slots=True)
class _Users:
    """Who reads and who writes a region: bit masks over places in the order."""

    readers: int = 0
    writers: int = 0


def ancestors(instructions: Sequence[Instruction], order: Sequence[int]) -> list[int]:
    """Return for each place in *order* those that surely ran before it, as a bit mask over places."""
    arrived: dict[int, int] = {}
    before: list[int] = []
    for place, index in enumerate(order):
        mask = 0
        for counter, _ in instructions[index].waits:
            # A wait is for all arrivals at its counter (fewer is a fault by itself), so everything behind any of them came before.
            mask |= arrived.get(counter, 0)
        before.append(mask)
        # Whole numbers as sets: a union is one operation, whatever the number of instructions.
        own = mask | 1 << place
        for counter in instructions[index].signals:
            arrived[counter] = arrived.get(counter, 0) | own
    return before


def _users(arena: ArenaName, order: Sequence[int], touched: Mapping[int, Sequence[Access]]) -> dict[ArenaRegion, _Users]:
    users: dict[ArenaRegion, _Users] = {}
    for place, index in enumerate(order):
        for access in touched[index]:
            if access.region.arena == arena:
                # By region, so that the arena is cut once for all tiles that touch the same one.
                of_region = users.setdefault(access.region, _Users())
                if access.writes:
                    of_region.writers |= 1 << place
                else:
                    of_region.readers |= 1 << place
    return users


@dataclass(slots=True)
class _Pieces:
    """An arena cut into pieces, each of the elements that the same regions cover.

    *numbers* has the piece of every element, *sizes* how many elements are left to each piece. Piece 0 is what no region covers.
    """

    numbers: NDArray[np.int32]
    regions: list[tuple[ArenaRegion, ...]] = field(default_factory=lambda: [()])
    sizes: list[int] = field(default_factory=lambda: [0])

    def refine(self, region: ArenaRegion) -> None:
        """Cut every piece that *region* covers in part."""
        elements = elements_of(region)
        found, within, counts = np.unique(self.numbers[elements], return_inverse=True, return_counts=True)
        # New numbers for the part inside, old ones for the part outside: what was one piece is two where the border runs through it.
        self.numbers[elements] = len(self.regions) + within.reshape(-1)
        for piece, count in zip(found.tolist(), counts.tolist(), strict=True):
            self.sizes[piece] -= count
            self.sizes.append(count)
            self.regions.append((*self.regions[piece], region))

    def used(self) -> Iterator[int]:
        """Yield the pieces that have elements and regions."""
        return (piece for piece, size in enumerate(self.sizes) if size > 0)

    def element(self, piece: int) -> int:
        """Return the first element of *piece*."""
        return int(np.flatnonzero(self.numbers == piece)[0])


def elements_of(region: ArenaRegion) -> NDArray[np.int64]:
    """Return the elements of *region*, run by run."""
    starts = region.offset + region.stride * np.arange(region.runs, dtype=np.int64)
    return (starts[:, None] + np.arange(region.length, dtype=np.int64)).reshape(-1)


def _unordered(users: Sequence[_Users], before: Sequence[int]) -> tuple[int, int] | None:
    """Return the first two places that use the same elements without an order, one of them writing; None if there are none."""
    writers = readers = 0
    for one in users:
        writers |= one.writers
        readers |= one.readers
    if not writers:
        return None
    for place in _places(writers | readers):
        # Two readers never conflict.
        rivals = writers | readers if writers >> place & 1 else writers
        # Of each pair the later place asks; in any order in which they may run, what surely ran before is before.
        unordered = rivals & ((1 << place) - 1) & ~before[place]
        if unordered:
            # The lowest bit that is set is the earliest place.
            return (unordered & -unordered).bit_length() - 1, place
    return None


def _places(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
