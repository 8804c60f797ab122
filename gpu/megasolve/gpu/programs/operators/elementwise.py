"""A function of one or two matrices, element by element."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..operation import COLUMNS, ROWS, Operation
from ..tile import Access, TileArguments
from ..tile_limits import Limits

FUNCTIONS: Mapping[str, int] = {"add": 0, "silu_mul": 1, "tanh": 2, "snake": 3}
"""The functions by name: a + b, silu(a) * b, tanh(a), a + sin(a) ** 2."""


def _accesses(tile: TileArguments) -> Iterator[Access]:
    inputs = ("a", "b") if tile["function"] in (FUNCTIONS["add"], FUNCTIONS["silu_mul"]) else ("a",)
    yield from (Access(name, tile.rows(name, tile["cols"], tile["col_first"])) for name in inputs)
    yield Access("y", tile.rows("y", tile["cols"], tile["col_first"]), writes=True)


def _limits(tile: TileArguments) -> Limits:
    yield f"no function has number {tile['function']}", tile["function"] in FUNCTIONS.values()


ELEMENTWISE = Operation(
    9,
    "elementwise",
    ("a", "lda", "b", "ldb", "y", "ldy", "function", "row_first", "rows", "col_first", "cols"),
    "y = a + b (function 0), silu(a) * b (1), tanh(a) (2), a + sin(a) ** 2 (3); b is not read where the function has none",
    axes=(ROWS, COLUMNS),
    sizes=frozenset({"rows", "cols"}),
    accesses=_accesses,
    limits=_limits,
    functions=tuple(FUNCTIONS.items()),
)
