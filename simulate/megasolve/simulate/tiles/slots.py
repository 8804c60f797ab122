"""Weight prefetch: one staging slot per worker, filled with the first tile in program order that still needs its weights."""

from __future__ import annotations

from heapq import heappop, heappush

from .tables import Row, TileTables


class Slots:
    """The slots of the workers, and *pointer*, the first tile in program order with weights that is neither started nor staged.

    By worker: *tile* is the staged one (-1: none), *arrives_at* when its weights are there, *ready* whether it waits for no
    counter. *holder* is the worker of each staged tile. A slot takes up to *limit_bytes*, what the largest tile leaves of the
    *space* of a worker. *vacant* is a heap of the workers with an empty slot, except for
    those in *cramped*, which have refused tiles of up to *cramped_bytes* for lack of room and gained none since.
    """

    __slots__ = (
        "arrives_at",
        "cramped",
        "cramped_bytes",
        "end",
        "first_rows",
        "holder",
        "limit_bytes",
        "next_rows",
        "pointer",
        "ready",
        "repeats",
        "rows",
        "space",
        "started_ahead",
        "stride",
        "tile",
        "vacant",
    )

    def __init__(self, tables: TileTables, space: list[int]) -> None:
        workers = len(space)
        self.stride, self.repeats = tables.stride, tables.repeats
        self.rows = tables.rows
        self.limit_bytes = space[0] - max((row.held_bytes for row in tables.rows), default=0)
        self.space = space
        self.tile = [-1] * workers
        self.arrives_at = [0] * workers
        self.ready = [False] * workers
        self.holder: dict[int, int] = {}
        self.started_ahead: set[int] = set()
        self.end = (tables.repeats + 2) * tables.stride
        self.first_rows, self.next_rows = _rows_with_weights(tables)
        self.pointer = self._first_from(0)
        self.vacant = list(range(workers)) if self.pointer < self.end else []
        self.cramped: set[int] = set()
        self.cramped_bytes = 0

    def fill(self) -> list[tuple[int, int, Row]]:
        """Stage tiles in the empty slots by worker number, in one pass; return each with its worker and row."""
        staged: list[tuple[int, int, Row]] = []
        if self.cramped:
            self._ask_again(-1)
        while self.vacant:
            tile = self._candidate() if self.started_ahead else self.pointer
            row = self.rows[tile % self.stride]
            size = row.slot_bytes
            if tile == self.end or size > self.limit_bytes:
                break
            worker = heappop(self.vacant)
            if size > self.space[worker]:
                self.cramped.add(worker)
                self.cramped_bytes = max(self.cramped_bytes, size)
                continue
            self.pointer = self._after(tile)
            self.tile[worker] = tile
            self.holder[tile] = worker
            self.space[worker] -= size
            staged.append((tile, worker, row))
            if self.cramped:
                self._ask_again(worker)
        return staged

    def _candidate(self) -> int:
        while self.pointer in self.started_ahead:
            self.started_ahead.remove(self.pointer)
            self.pointer = self._after(self.pointer)
        return self.pointer

    def empty(self, worker: int) -> None:
        """Empty the slot of *worker*: its tile starts."""
        del self.holder[self.tile[worker]]
        self.tile[worker] = -1
        self.ready[worker] = False
        heappush(self.vacant, worker)

    def gained(self, worker: int) -> None:
        """Note that *worker* has more space than before."""
        if worker in self.cramped:
            self.cramped.remove(worker)
            heappush(self.vacant, worker)

    def never_staged(self) -> tuple[str, ...]:
        """Name the operators with weights that never fit a slot."""
        return tuple(dict.fromkeys(row.tile.operator for row in self.rows if row.slot_bytes > max(self.limit_bytes, 0)))

    def reach(self) -> int:
        """Return the last section that was looked at; one without any weights is not."""
        return 0 if self.pointer == self.end and self.first_rows[1] < 0 else self.pointer // self.stride

    def relative(self, base: int, now: int) -> tuple[object, ...]:
        """Return the state relative to the tile *base* and the time *now*; which slots are vacant follows from it and the space."""
        held = tuple(
            (tile - base, max(arrives_at - now, 0), ready) if tile >= 0 else None
            for tile, arrives_at, ready in zip(self.tile, self.arrives_at, self.ready, strict=True)
        )
        return held, tuple(sorted(tile - base for tile in self.started_ahead)), None if self.pointer == self.end else self.pointer - base

    def shift(self, tiles: int, ps: int) -> None:
        """Move everything *tiles* and *ps* on."""
        self.tile = [tile + tiles if tile >= 0 else tile for tile in self.tile]
        self.arrives_at = [at + ps for at in self.arrives_at]
        self.holder = {tile + tiles: worker for tile, worker in self.holder.items()}
        self.started_ahead = {tile + tiles for tile in self.started_ahead}
        self.pointer += tiles if self.pointer < self.end else 0

    def asks_again(self) -> bool:
        """Whether a cramped worker may take the next tile, which none behind it took in the last pass."""
        return self._candidate() < self.end and self._next_bytes() < self.cramped_bytes

    def _next_bytes(self) -> int:
        return self.rows[self.pointer % self.stride].slot_bytes

    def _ask_again(self, worker: int) -> None:
        """Ask the cramped ones behind *worker* once more where the next tile is smaller than the largest that they refused."""
        if self.asks_again():
            asked = {each for each in self.cramped if each > worker}
            self.cramped -= asked
            self.cramped_bytes = self.cramped_bytes if self.cramped else 0
            for each in asked:
                heappush(self.vacant, each)

    def _after(self, tile: int) -> int:
        """Return the next tile with weights after *tile*."""
        row = tile % self.stride
        following = self.next_rows[row]
        return tile - row + following if following >= 0 else self._first_from(tile // self.stride + 1)

    def _first_from(self, section: int) -> int:
        """Return the first tile with weights from *section* on."""
        prologue, body, epilogue = self.first_rows
        if section == 0 and prologue >= 0:
            return prologue
        if section <= self.repeats and self.repeats and body >= 0:
            return max(section, 1) * self.stride + body
        if section <= self.repeats + 1 and epilogue >= 0:
            return (self.repeats + 1) * self.stride + epilogue
        return self.end


def _rows_with_weights(tables: TileTables) -> tuple[tuple[int, int, int], tuple[int, ...]]:
    """Return the first row with weights of each kind of section, and after each row the next of its section; -1: none."""
    first = [-1, -1, -1]
    following = [-1] * tables.stride
    for kind in range(3):
        for row in reversed(range(tables.starts[kind], tables.starts[kind + 1])):
            following[row] = first[kind]
            if tables.rows[row].slot_bytes:
                first[kind] = row
    return (first[0], first[1], first[2]), tuple(following)
