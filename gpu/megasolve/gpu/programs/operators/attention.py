"""Attention over the caches: causal for the rows of a prefill, over all keys so far for a step."""

from __future__ import annotations

from collections.abc import Iterator

from ..operation import HEADS, ROWS, Operation
from ..tile import Access, TileArguments
from ..tile_limits import MOST_HEAD_DIM, Limits, aligned, within

_SIZES = frozenset({"capacity", "kv_heads", "group", "head_dim", "rows", "heads"})
_HEADER = "attention.h"


def _queries(tile: TileArguments) -> Iterator[Access]:
    width = tile["group"] * tile["head_dim"]
    first, columns = tile["head_first"] * width, tile["heads"] * width
    yield Access("q", tile.rows("q", columns, first))
    yield Access("y", tile.rows("y", columns, first), writes=True)


def _prefill_accesses(tile: TileArguments) -> Iterator[Access]:
    yield from _queries(tile)
    # Causal: no row of the tile looks behind its own token, so the last of them says how far the cache is read.
    for sequence, _, end in tile.by_sequence(tile["tokens"]):
        yield from (Access(cache, tile.cache(cache, sequence, 0, end)) for cache in ("k_cache", "v_cache"))


def _decode_accesses(tile: TileArguments) -> Iterator[Access]:
    yield from _queries(tile)
    # One query a sequence, so the number of a row is that of its sequence.
    for row, _, _ in tile.by_sequence(1):
        yield from (Access(cache, tile.cache(cache, row, 0, tile["kv_tokens"])) for cache in ("k_cache", "v_cache"))


def _limits(tile: TileArguments, tokens: str) -> Limits:
    yield f"head_dim {tile['head_dim']}, at most {MOST_HEAD_DIM}", tile["head_dim"] <= MOST_HEAD_DIM
    yield f"{tokens} {tile[tokens]}, at most capacity {tile['capacity']}", tile[tokens] <= tile["capacity"]
    yield from within(tile, "head_first", "heads", "kv_heads")
    yield from aligned(tile, ("k_cache", "v_cache", "head_dim"), (), ())


ATTENTION_PREFILL = Operation(
    7,
    "attention_prefill",
    (
        *("q", "ldq", "k_cache", "v_cache", "capacity", "kv_heads", "group", "head_dim", "y", "ldy", "tokens"),
        *("row_first", "rows", "head_first", "heads"),
    ),
    "causal attention of each query row (token t = r % tokens of sequence r // tokens) over positions 0 to t of its cache;"
    " heads are kv heads, each serves the query heads group * head to group * head + group - 1",
    block_shared_bytes=43520,
    axes=(ROWS, HEADS),
    sizes=_SIZES | {"tokens"},
    accesses=_prefill_accesses,
    limits=lambda tile: _limits(tile, "tokens"),
    header=_HEADER,
)

ATTENTION_DECODE = Operation(
    8,
    "attention_decode",
    (
        *("q", "ldq", "k_cache", "v_cache", "capacity", "kv_heads", "group", "head_dim", "y", "ldy", "kv_tokens"),
        *("row_first", "rows", "head_first", "heads"),
    ),
    "attention of row r, the one query of sequence r, over the first kv_tokens of its cache; heads as in attention_prefill",
    block_shared_bytes=2048,
    warp_shared_bytes=2080,
    axes=(ROWS, HEADS),
    sizes=_SIZES | {"kv_tokens"},
    accesses=_decode_accesses,
    limits=lambda tile: _limits(tile, "kv_tokens"),
    header=_HEADER,
)
