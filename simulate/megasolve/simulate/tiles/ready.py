"""The tiles that wait for no counter and have not started, in program order."""

from __future__ import annotations

from heapq import heappop, heappush


class Ready:
    """Ready tiles in heaps: one for each amount of staging, so that tiles that no worker has room for are passed over together.

    *runnable* are ready tiles that were staged, put there when their worker was free. *moved* holds tiles that stand in
    *by_room* still, although they were staged since. *heads* lists the heaps that are not empty.
    """

    __slots__ = ("by_room", "heads", "moved", "runnable")

    def __init__(self, rooms: int) -> None:
        self.by_room: list[list[int]] = [[] for _ in range(rooms)]
        self.runnable: list[int] = []
        self.heads: list[list[int]] = []
        self.moved: set[int] = set()

    def enter(self, tiles: list[int], tile: int) -> None:
        """Put *tile* into *tiles*, one of the heaps."""
        if not tiles:
            self.heads.append(tiles)
        heappush(tiles, tile)

    def withdraw(self, tiles: list[int], tile: int) -> None:
        """Take *tile*, which is staged now, out of *tiles*."""
        if tiles[0] != tile:
            self.moved.add(tile)
            return
        heappop(tiles)
        if not tiles:
            self.heads.remove(tiles)

    def relative(self, base: int) -> tuple[int, ...]:
        """Return the tiles that are not staged relative to the tile *base*; the others follow from workers and slots."""
        return tuple(sorted(tile - base for tiles in self.by_room for tile in tiles if tile not in self.moved))

    def shift(self, tiles: int) -> None:
        """Move everything *tiles* on."""
        for heap in (*self.by_room, self.runnable):
            heap[:] = [tile + tiles for tile in heap]
        self.moved = {tile + tiles for tile in self.moved}
