"""RMS normalization of rows."""

from __future__ import annotations

from collections.abc import Iterator

from ..operation import ROWS, Operation
from ..tile import Access, TileArguments, weights


def _accesses(tile: TileArguments) -> Iterator[Access]:
    yield Access("x", tile.rows("x", tile["dim"]))
    yield weights("weight", tile["weight"], tile["dim"])
    yield Access("y", tile.rows("y", tile["dim"]), writes=True)


NORM = Operation(
    2,
    "norm",
    ("x", "ldx", "weight", "dim", "y", "ldy", "row_first", "rows"),
    "y[r, :] = x[r, :] / rms(x[r, :]) * weight, with 1e-5 added to the mean square",
    warp_shared_bytes=4,
    axes=(ROWS,),
    sizes=frozenset({"dim", "rows"}),
    accesses=_accesses,
)
