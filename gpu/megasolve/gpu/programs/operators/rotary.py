"""Rotary embedding: heads turned by their position."""

from __future__ import annotations

from collections.abc import Iterator

from ..operation import HEADS, ROWS, Operation
from ..tile import Access, TileArguments
from ..tile_limits import Limits


def _accesses(tile: TileArguments) -> Iterator[Access]:
    first, columns = tile["head_first"] * tile["head_dim"], tile["heads"] * tile["head_dim"]
    yield Access("x", tile.rows("x", columns, first))
    yield Access("y", tile.rows("y", columns, first), writes=True)


def _limits(tile: TileArguments) -> Limits:
    yield f"head_dim {tile['head_dim']} is no multiple of 2", tile["head_dim"] % 2 == 0


ROTARY = Operation(
    5,
    "rotary",
    ("x", "ldx", "y", "ldy", "head_dim", "tokens", "position_first", "row_first", "rows", "head_first", "heads"),
    "pairs (i, i + head_dim / 2) of each head are turned by position * 10000 ** (-2 i / head_dim); row r is at position_first + r % tokens",
    axes=(ROWS, HEADS),
    sizes=frozenset({"head_dim", "tokens", "rows", "heads"}),
    accesses=_accesses,
    limits=_limits,
    header="positions.h",
)
