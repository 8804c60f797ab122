"""One token of a state-space layer."""

from __future__ import annotations

from collections.abc import Iterator

from ..operation import ROWS, Operation
from ..tile import Access, ArenaRegion, TileArguments, weights
from ..tile_limits import Limits, within


def _accesses(tile: TileArguments) -> Iterator[Access]:
    first, count, width, states = tile["head_first"], tile["head_count"], tile["head_dim"], tile["states"]
    yield Access("x", tile.rows("x", count * width, first * width))
    yield from (Access(name, tile.rows(name, states)) for name in ("b", "c"))
    yield Access("dt", tile.rows("dt", count, first))
    yield from (weights(name, tile[name] + first, count) for name in ("a_log", "d", "dt_bias"))
    of_head = width * states
    start = tile["state"] + (tile["row_first"] * tile["heads"] + first) * of_head
    # It is read as well; a write is ordered against readers and writers, so that one access says both.
    yield Access("state", ArenaRegion("floats", start, tile["heads"] * of_head, tile["rows"], count * of_head), writes=True)
    yield Access("y", tile.rows("y", count * width, first * width), writes=True)


def _limits(tile: TileArguments) -> Limits:
    yield from within(tile, "head_first", "head_count", "heads")


STEP = Operation(
    10,
    "step",
    (
        *("x", "ldx", "b", "ldb", "c", "ldc", "dt", "lddt", "a_log", "d", "dt_bias", "state", "heads", "head_dim", "states"),
        *("y", "ldy", "row_first", "rows", "head_first", "head_count"),
    ),
    "one token of a state-space layer (Mamba-2, one group):"
    " state[r, h, p, n] = state * exp(-dt * exp(a_log[h])) + dt * x[r, h, p] * b[r, n] and"
    " y[r, h, p] = sum over n of state * c[r, n] + d[h] * x[r, h, p], with dt = softplus(dt[r, h] + dt_bias[h])",
    axes=(ROWS, ("head_first", "head_count")),
    sizes=frozenset({"heads", "head_dim", "states", "rows", "head_count"}),
    accesses=_accesses,
    limits=_limits,
)
