"""Work: what one execution of an operator reads, writes and computes, and how its output is cut into tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import prod


def ceil_div(dividend: int, divisor: int) -> int:
    """Return *dividend* over *divisor*, rounded up."""
    return -(-dividend // divisor)


class TensorRole(Enum):
    """What a tensor is. A STATE is a cache or a recurrent state; CARRIED is the part of it that is written."""

    WEIGHTS = "weights"
    ACTIVATIONS = "activations"
    STATE = "state"
    OUTPUT = "output"
    CARRIED = "carried"


WEIGHTS, ACTIVATIONS, STATE, OUTPUT, CARRIED = TensorRole


class Axis(Enum):
    """The directions in which an operator is cut: rows and columns of its output, and the depth that it sums over."""

    ROWS = 0
    COLUMNS = 1
    DEPTH = 2


ROWS, COLUMNS, DEPTH = Axis


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of *size_bytes* of which a tile needs the part that its intervals on *axes* cut out; all of it without axes."""

    role: TensorRole
    size_bytes: int
    axes: tuple[Axis, ...] = ()


@dataclass(frozen=True, slots=True)
class Causal:
    """Rows are *q_tokens* queries per sequence over *kv_tokens* keys; a query sees the keys up to itself."""

    q_tokens: int
    kv_tokens: int

    def scores_before(self, row: int) -> int:
        """Return how many keys the queries of the first *row* rows see together."""
        sequences, last = row // self.q_tokens, row % self.q_tokens
        return sequences * self._seen(self.q_tokens) + self._seen(last)

    def _seen(self, queries: int) -> int:
        return queries * (self.kv_tokens - self.q_tokens) + queries * (queries + 1) // 2


@dataclass(frozen=True, slots=True)
class OperatorWork:
    """One execution of an operator, before it is cut.

    *extents* are rows, columns and depth; *keys* name them in a tile's geometry, None where an axis is never cut. *reads*
    says which axis runs along the columns of its inputs, None if a tile reads all of them. *halo_rows* more input rows are
    read above those of a tile. *flops* are those of the whole execution.
    """

    extents: tuple[int, int, int]
    keys: tuple[str | None, str | None, str | None]
    tensors: tuple[Tensor, ...]
    flops: int
    reads: Axis | None = Axis.COLUMNS
    halo_rows: int = 0
    causal: Causal | None = None

    def bytes_of(self, *roles: TensorRole) -> int:
        """Return the bytes of all tensors of these roles."""
        return sum(tensor.size_bytes for tensor in self.tensors if tensor.role in roles)

    @property
    def weight_bytes(self) -> int:
        """What is read once per execution, whatever the batch."""
        return self.bytes_of(TensorRole.WEIGHTS)

    @property
    def activation_bytes(self) -> int:
        """The input tensors, as if nothing was fused."""
        return self.bytes_of(TensorRole.ACTIVATIONS)

    @property
    def output_bytes(self) -> int:
        """The output tensors, as if nothing was fused."""
        return self.bytes_of(TensorRole.OUTPUT)

    @property
    def state_bytes(self) -> int:
        """What is read and written of caches and recurrent states."""
        return self.bytes_of(TensorRole.STATE, TensorRole.CARRIED)


Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Grid:
    """The output of *extents*, cut into blocks; the last block of an axis may be partial. Tiles are numbered rows first."""

    extents: tuple[int, int, int]
    blocks: tuple[int, int, int]

    @property
    def counts(self) -> tuple[int, int, int]:
        """The blocks of each axis."""
        (rows, columns, depth), (tall, wide, deep) = self.extents, self.blocks
        return -(-rows // tall), -(-columns // wide), -(-depth // deep)

    @property
    def tile_count(self) -> int:
        """All tiles."""
        return prod(self.counts)

    def place(self, tile: int) -> tuple[int, int, int]:
        """Return the block of *tile* on each axis."""
        _, columns, slabs = self.counts
        rest, depth = divmod(tile, slabs)
        row, column = divmod(rest, columns)
        return row, column, depth

    def span(self, axis: Axis, block: int) -> Span:
        """Return the interval of one block of *axis*."""
        first = block * self.blocks[axis.value]
        return first, min(first + self.blocks[axis.value], self.extents[axis.value])


def grid_of(work: OperatorWork, geometry: Mapping[str, int]) -> Grid:
    """Return the grid of *work* under *geometry*; an axis without a block is not cut, a block above its extent is the extent."""
    sizes = [min(geometry.get(key, extent), extent) if key else extent for key, extent in zip(work.keys, work.extents, strict=True)]
    return Grid(work.extents, (sizes[0], sizes[1], sizes[2]))


def staged_bytes(work: OperatorWork, grid: Grid) -> int:
    """Return what one whole tile takes on chip: its parts of all tensors, rounded up, whichever tile loaded them."""
    return sum(_largest_part(tensor, grid) for tensor in work.tensors)


def stored_bytes(work: OperatorWork, grid: Grid) -> int:
    """Return what one whole tile stores of outputs and carried states, at most: tiles that share a part split it."""
    return sum(_largest_share(tensor, grid) for tensor in work.tensors if tensor.role in (TensorRole.OUTPUT, TensorRole.CARRIED))


def _largest_share(tensor: Tensor, grid: Grid) -> int:
    """Return the share of the first of the tiles that need the same part: it takes the remainder, too."""
    needed, others = _largest_part(tensor, grid), prod(grid.counts[axis.value] for axis in Axis if axis not in tensor.axes)
    return needed - (others - 1) * (needed // others)


def _largest_part(tensor: Tensor, grid: Grid) -> int:
    size = Fraction(tensor.size_bytes)
    for axis in tensor.axes:
        size *= Fraction(grid.blocks[axis.value], grid.extents[axis.value])
    return -(-size.numerator // size.denominator)
