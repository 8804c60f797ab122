"""Products with a weight matrix: on tensor cores or, for few rows, without them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ..operation import Axis, Operation
from ..tile import Access, ArenaRegion, TileArguments, weights
from ..tile_limits import Limits, aligned

MOST_ROWS, MOST_VECTOR_ROWS = 64, 8
_AXES: tuple[Axis, ...] = (("m_first", "m"), ("n_first", "n"))
_ARGUMENTS = ("x", "ldx", "weight", "k", "y", "ldy", "residual", "m_first", "m", "n_first", "n")
_SIZES = frozenset({"k", "m", "n"})


def _accesses(tile: TileArguments) -> Iterator[Access]:
    m_first, m, n_first, n, k = (tile[name] for name in ("m_first", "m", "n_first", "n", "k"))
    output = m_first * tile["ldy"] + n_first
    yield Access("x", ArenaRegion("floats", tile["x"] + m_first * tile["ldx"], tile["ldx"], m, k))
    yield weights("weight", tile["weight"] + n_first * k, n * k)
    if tile["residual"] >= 0:
        yield Access("residual", ArenaRegion("floats", tile["residual"] + output, tile["ldy"], m, n))
    yield Access("y", ArenaRegion("floats", tile["y"] + output, tile["ldy"], m, n), writes=True)


def _limits(most_rows: int, tile: TileArguments) -> Limits:
    yield f"{tile['m']} rows, at most {most_rows}", tile["m"] <= most_rows
    yield from aligned(tile, ("x", "ldx"), ("weight",), ("k",))


MATMUL = Operation(
    3,
    "matmul",
    _ARGUMENTS,
    "y[m, n] = sum over k of x[m, k] * weight[n, k], plus residual[m, n] where residual >= 0 (leading dimension of y); at most 64 rows",
    warp_shared_bytes=2048,
    axes=_AXES,
    sizes=_SIZES,
    accesses=_accesses,
    limits=partial(_limits, MOST_ROWS),
)

MATVEC = Operation(
    4,
    "matvec",
    _ARGUMENTS,
    "as matmul, a warp per two output columns, without tensor cores; at most 8 rows",
    axes=_AXES,
    sizes=_SIZES,
    accesses=_accesses,
    limits=partial(_limits, MOST_VECTOR_ROWS),
    kind="matmul",
)
