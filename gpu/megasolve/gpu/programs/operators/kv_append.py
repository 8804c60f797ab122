"""Appending keys and values to the caches of their sequences."""

from __future__ import annotations

from collections.abc import Iterator

from ..operation import HEADS, ROWS, Operation
from ..tile import Access, TileArguments
from ..tile_limits import Limits, within


def _accesses(tile: TileArguments) -> Iterator[Access]:
    first, columns = tile["head_first"] * tile["head_dim"], tile["heads"] * tile["head_dim"]
    yield from (Access(name, tile.rows(name, columns, first)) for name in ("k", "v"))
    for sequence, start, end in tile.by_sequence(tile["tokens"]):
        places = tile["position_first"] + start, tile["position_first"] + end
        yield from (Access(cache, tile.cache(cache, sequence, *places), writes=True) for cache in ("k_cache", "v_cache"))


def _limits(tile: TileArguments) -> Limits:
    yield from within(tile, "head_first", "heads", "kv_heads")
    yield from within(tile, "position_first", "tokens", "capacity")


KV_APPEND = Operation(
    6,
    "kv_append",
    (
        *("k", "ldk", "v", "ldv", "k_cache", "v_cache", "capacity", "kv_heads", "head_dim", "tokens", "position_first"),
        *("row_first", "rows", "head_first", "heads"),
    ),
    "cache[sequence, head, position, :] = k and v [r, head, :]; row r is token r % tokens of sequence r // tokens",
    axes=(ROWS, HEADS),
    sizes=frozenset({"capacity", "kv_heads", "head_dim", "tokens", "rows", "heads"}),
    accesses=_accesses,
    limits=_limits,
    header="positions.h",
)
