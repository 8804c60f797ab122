"""Embedding: rows of a table, by their tokens."""

from __future__ import annotations

from collections.abc import Iterator

from ..operation import COLUMNS, ROWS, Operation
from ..tile import Access, TileArguments, weights


def _accesses(tile: TileArguments) -> Iterator[Access]:
    yield tile.ids()
    yield weights("table", tile["table"] + tile["col_first"], tile["cols"])
    yield Access("y", tile.rows("y", tile["cols"], tile["col_first"]), writes=True)


EMBEDDING = Operation(
    1,
    "embedding",
    ("ids_first", "ids_stride", "table", "dim", "y", "ldy", "row_first", "rows", "col_first", "cols"),
    "y[r, c] = table[ids[ids_first + r * ids_stride], c]",
    axes=(ROWS, COLUMNS),
    sizes=frozenset({"dim", "rows", "cols"}),
    accesses=_accesses,
    header="tokens.h",
)
