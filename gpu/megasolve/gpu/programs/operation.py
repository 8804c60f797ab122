"""An operation: all that programs, launches and the verifier know of one operator of the kernels.

Operands are element offsets into three arenas in device memory: `floats` (float32: activations, caches, states, outputs), `weights`
(bfloat16: `table`, `weight`, `bias`, `a_log`, `d`, `dt_bias`) and `ids` (int32: `ids_first`, for tokens). Matrices are row-major with a
leading dimension; a weight matrix has one row of `k` per output column. Rows, columns and heads are counted in the whole matrices, not in
the tile: row r of x stands at x + r * ldx in every tile. A tile works on the rows and columns that its instruction names and on nothing
else, and writes no element that another tile of the same operator writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from .tile import Access, TileArguments
from .tile_limits import Limits

MOST_ARGUMENTS = 24

Axis: TypeAlias = tuple[str, str]
"""The arguments that a tile's part of an axis of the output gives: the first element, and how many there are."""

ROWS: Axis = ("row_first", "rows")
COLUMNS: Axis = ("col_first", "cols")
HEADS: Axis = ("head_first", "heads")


def _no_accesses(_: TileArguments) -> Iterator[Access]:
    return iter(())


def _no_limits(_: TileArguments) -> Limits:
    return iter(())


@dataclass(frozen=True, slots=True)
class Operation:
    """One operator of the kernels: its *code* in an instruction, and the names of its *arguments* in order, all 32-bit integers.

    *name* is also the suffix of its conventional kernel (`k_norm`); *meaning* says what one tile computes. A block needs
    *block_shared_bytes* of dynamic shared memory and *warp_shared_bytes* more for each warp, whatever the tile.

    Parameters
    ----------
    axes
        The arguments that a tile's rows, columns or heads give, in the order of its output's axes.
    sizes
        The arguments that are at least 1.
    accesses
        What a tile reads and writes, from its arguments.
    limits
        What its kernel can do.
    kind
        The kind of contract operators that it runs, where that is another name.
    header
        The header in which its kernel stands, where that is not called as it is.
    functions
        The functions that an argument chooses from, with their numbers.
    """

    code: int
    name: str
    arguments: tuple[str, ...]
    meaning: str
    block_shared_bytes: int = 0
    warp_shared_bytes: int = 0
    axes: tuple[Axis, ...] = ()
    sizes: frozenset[str] = frozenset()
    accesses: Callable[[TileArguments], Iterable[Access]] = _no_accesses
    limits: Callable[[TileArguments], Limits] = _no_limits
    kind: str = ""
    header: str = ""
    functions: tuple[tuple[str, int], ...] = ()

    @property
    def operator_kind(self) -> str:
        """The kind of contract operators that it runs."""
        return self.kind or self.name

    @property
    def header_file(self) -> str:
        """The header in which its kernel stands, by the name in its `#include`."""
        return self.header or f"{self.name}.h"

    def shared_bytes(self, threads: int) -> int:
        """Return the dynamic shared memory of a block of *threads*."""
        return self.block_shared_bytes + self.warp_shared_bytes * (threads // 32)

    def named(self, arguments: tuple[int, ...]) -> TileArguments:
        """Return *arguments* by their names."""
        return TileArguments(dict(zip(self.arguments, arguments, strict=True)))

    def touched(self, arguments: tuple[int, ...]) -> tuple[Access, ...]:
        """Return every access of a tile. An embedding counts as reading the first row of its table: its tokens are not known."""
        return tuple(self.accesses(self.named(arguments)))

    def beyond(self, arguments: tuple[int, ...]) -> tuple[str, ...]:
        """Return what the kernel cannot do of what a tile asks for; only where that is nothing are its accesses what `touched` says."""
        tile = self.named(arguments)
        empty = [f"{name} {value}, at least 1" for name, value in tile.values.items() if name in self.sizes and value < 1]
        negative = [f"{name} {value}, at least 0" for name, value in tile.values.items() if name.endswith("_first") and value < 0]
        found = () if empty else self.limits(tile)
        return (*empty, *negative, *(text for text, holds in found if not holds))
