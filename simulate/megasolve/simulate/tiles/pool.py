"""The workers of a schedule: who is free, who runs what, and how much staging space each has left."""

from __future__ import annotations

from bisect import bisect_left

UNLIMITED = 1 << 62


class Pool:
    """*size* workers with *space* bytes of staging each.

    By worker: *running* is its tile (-1: it is free), *loaded_at* when the load of that arrives and *due_at* when its prefetched
    weights do; both may lie in the past. Free workers with an empty slot are listed by number in *free_empty*, the others are
    in *free_staged*: most of those run their own tile next.
    """

    __slots__ = ("due_at", "free_empty", "free_staged", "loaded_at", "running", "size", "space")

    def __init__(self, workers: int, space: int | None) -> None:
        self.size = workers
        self.free_empty = list(range(workers))
        self.free_staged: set[int] = set()
        self.running = [-1] * workers
        self.loaded_at = [0] * workers
        self.due_at = [0] * workers
        self.space = [UNLIMITED if space is None else space] * workers

    def take(self, size_bytes: int) -> int:
        """Take the lowest-numbered free worker with *size_bytes* of space, those with an empty slot first; -1 if there is none."""
        space = self.space
        for worker in self.free_empty:
            if space[worker] >= size_bytes:
                self.free_empty.remove(worker)
                space[worker] -= size_bytes
                return worker
        worker = min(self.free_staged, default=-1)
        if worker >= 0 and space[worker] < size_bytes:
            worker = min((staged for staged in self.free_staged if space[staged] >= size_bytes), default=-1)
        if worker >= 0:
            self.free_staged.remove(worker)
            space[worker] -= size_bytes
        return worker

    def take_all(self, tile: int) -> int:
        """Take all workers for *tile* and return the first, if all are free; else -1."""
        if len(self.free_empty) + len(self.free_staged) < self.size:
            return -1
        self.free_empty.clear()
        self.free_staged.clear()
        self.running = [tile] * self.size
        return 0

    def hold_slot(self, worker: int) -> None:
        """Note that the slot of *worker*, which is free, is not empty any more."""
        del self.free_empty[bisect_left(self.free_empty, worker)]
        self.free_staged.add(worker)

    def held(self) -> int:
        """Return how many workers are not free."""
        return self.size - self.running.count(-1)

    def relative(self, base: int, now: int) -> tuple[object, ...]:
        """Return the state relative to the tile *base* and the time *now*; who is free follows from it and the slots."""
        running = tuple(
            (tile - base, max(loaded_at - now, 0), max(due_at - now, 0)) if tile >= 0 else None
            for tile, loaded_at, due_at in zip(self.running, self.loaded_at, self.due_at, strict=True)
        )
        return running, tuple(self.space)

    def shift(self, tiles: int, ps: int) -> None:
        """Move everything *tiles* and *ps* on."""
        self.running = [tile + tiles if tile >= 0 else tile for tile in self.running]
        self.loaded_at = [at + ps for at in self.loaded_at]
        self.due_at = [at + ps for at in self.due_at]
