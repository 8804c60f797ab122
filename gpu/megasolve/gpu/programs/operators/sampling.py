"""Greedy sampling: the token of the largest logit of each row."""

from __future__ import annotations

from collections.abc import Iterator

from ..operation import ROWS, Operation
from ..tile import Access, TileArguments


def _accesses(tile: TileArguments) -> Iterator[Access]:
    yield Access("x", tile.rows("x", tile["dim"]))
    yield tile.ids(writes=True)


SAMPLING = Operation(
    12,
    "sampling",
    ("x", "ldx", "dim", "ids_first", "ids_stride", "row_first", "rows"),
    "ids[ids_first + r * ids_stride] = index of the largest x[r, :dim], the lowest of equal ones",
    warp_shared_bytes=8,
    axes=(ROWS,),
    sizes=frozenset({"dim", "rows"}),
    accesses=_accesses,
    header="tokens.h",
)
