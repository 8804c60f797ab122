"""Transposed convolution along time."""

from __future__ import annotations

from collections.abc import Iterator

from ..operation import COLUMNS, ROWS, Operation
from ..tile import Access, ArenaRegion, TileArguments, weights
from ..tile_limits import Limits, aligned, within


def _accesses(tile: TileArguments) -> Iterator[Access]:
    stride, t_in, c_in = tile["stride"], tile["t_in"], tile["c_in"]
    for sequence, start, end in tile.by_sequence(stride * t_in):
        # Input s reaches the outputs from stride * s to stride * s + kernel - 1.
        first, last = max(-(-(start - tile["kernel"] + 1) // stride), 0), (end - 1) // stride
        at = tile["x"] + (sequence * t_in + first) * tile["ldx"]
        # Where the kernel is shorter than the stride, no input may reach the rows of a tile.
        if first <= last:
            yield Access("x", ArenaRegion("floats", at, tile["ldx"], last + 1 - first, c_in))
    weight = tile["weight"] + tile["col_first"] * c_in
    # One run for each place of the kernel, whole matrices of c_out * c_in apart.
    yield weights("weight", weight, tile["cols"] * c_in, tile["c_out"] * c_in, tile["kernel"])
    yield weights("bias", tile["bias"] + tile["col_first"], tile["cols"])
    yield Access("y", tile.rows("y", tile["cols"], tile["col_first"]), writes=True)


def _limits(tile: TileArguments) -> Limits:
    yield from within(tile, "col_first", "cols", "c_out")
    yield from aligned(tile, ("x", "ldx"), ("weight",), ("c_in",))


CONV_TRANSPOSE1D = Operation(
    11,
    "conv_transpose1d",
    ("x", "ldx", "weight", "bias", "c_in", "c_out", "kernel", "stride", "t_in", "y", "ldy", "row_first", "rows", "col_first", "cols"),
    "y[t, o] = bias[o] + sum over s, i with 0 <= t - stride * s < kernel of x[s, i] * weight[t - stride * s, o, i];"
    " row r is time r % (stride * t_in) of sequence r // (stride * t_in)",
    axes=(ROWS, COLUMNS),
    sizes=frozenset({"c_in", "c_out", "kernel", "stride", "t_in", "rows", "cols"}),
    accesses=_accesses,
    limits=_limits,
)
