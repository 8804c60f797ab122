"""Arenas: where the tensors of a model lie in the three pieces of device memory that the kernels know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import GpuError

ArenaName = Literal["floats", "weights", "ids"]
ARENAS: tuple[ArenaName, ...] = ("floats", "weights", "ids")
ALIGNMENT = 64
"""Elements: every tensor begins at a multiple, so that kernels may load vectors."""

# Offsets are words of an instruction, which are signed.
_MOST_ELEMENTS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ArenaTensor:
    """A tensor of *shape*, row-major, whose first element is element *offset* of *arena*."""

    name: str
    arena: ArenaName
    offset: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many elements it has."""
        return prod(self.shape)

    def at(self, *index: int) -> int:
        """Return the element of the arena where the part at *index* (of the leading axes) begins."""
        offset = 0
        for axis, position in enumerate(index):
            offset += position * prod(self.shape[axis + 1 :])
        return self.offset + offset


@dataclass(frozen=True, slots=True)
class Layout:
    """Tensors by name, and how many elements each arena has."""

    tensors: Mapping[str, ArenaTensor]
    sizes: Mapping[ArenaName, int]

    def __getitem__(self, name: str) -> ArenaTensor:
        return self.tensors[name]

    def name_at(self, arena: ArenaName, element: int) -> str:
        """Return what *element* of *arena* is, for a message: the tensor and the place in it."""
        for tensor in self.tensors.values():
            if tensor.arena == arena and tensor.offset <= element < tensor.offset + tensor.size:
                return f"element {element - tensor.offset} of {tensor.name}"
        # The padding behind a tensor belongs to none.
        return f"element {element} of {arena}"


def laid_out(shapes: Iterable[tuple[ArenaName, str, tuple[int, ...]]]) -> Layout:
    """Return the layout of tensors, given as arena, name and shape, one after the other in their order.

    Raises
    ------
    GpuError
        An arena is larger than the offsets of the kernels reach.
    """
    sizes: dict[ArenaName, int] = dict.fromkeys(ARENAS, 0)
    tensors = {}
    for arena, name, shape in shapes:
        tensors[name] = ArenaTensor(name, arena, sizes[arena], shape)
        # Rounded up behind each tensor, so that the next one begins aligned.
        sizes[arena] += -(-prod(shape) // ALIGNMENT) * ALIGNMENT
    for arena, size in sizes.items():
        if size > _MOST_ELEMENTS:
            raise GpuError(f"{arena} need {size:,} elements > {_MOST_ELEMENTS:,}, which offsets of 32 bits reach; use smaller sizes")
    return Layout(tensors, sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Arenas:
    """The contents of the three arenas: *floats* (float32, float64 for a reference), *weights* (bfloat16 as its bits), *ids*."""

    layout: Layout
    floats: NDArray[np.floating]
    weights: NDArray[np.uint16]
    ids: NDArray[np.int32]

    def view(self, name: str) -> NDArray[np.generic]:
        """Return the tensor *name* as an array of its shape that shares the memory of its arena."""
        tensor = self.layout[name]
        arena: NDArray[np.generic] = getattr(self, tensor.arena)
        return arena[tensor.offset : tensor.offset + tensor.size].reshape(tensor.shape)

    def copied(self, dtype: type[np.floating] | None = None) -> Arenas:
        """Return a copy that shares the weights, which nobody writes; *dtype* is the type of its floats, else it stays."""
        # `astype` copies also where the type stays.
        floats = self.floats.astype(self.floats.dtype if dtype is None else dtype)
        return Arenas(self.layout, floats, self.weights, self.ids.copy())


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix inside an arena: its first element and its leading dimension."""

    offset: int
    leading: int

    def columns_from(self, column: int) -> Matrix:
        """Return the matrix that begins at *column* of this one."""
        return Matrix(self.offset + column, self.leading)


def matrix(tensor: ArenaTensor, *index: int) -> Matrix:
    """Return the last two axes of *tensor* as a matrix, at *index* of the axes before them."""
    return Matrix(tensor.at(*index), tensor.shape[-1])


def to_bfloat16(values: NDArray[np.floating]) -> NDArray[np.uint16]:
    """Return the bits of *values* rounded to bfloat16, to the nearest, ties to even."""
    bits = values.astype(np.float32).view(np.uint32)
    # Just under half of the last place that stays, and all of the half where that place is odd: ties go to the even one.
    return ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype(np.uint16)


def from_bfloat16(bits: NDArray[np.uint16]) -> NDArray[np.float64]:
    """Return what the *bits* of bfloat16 numbers stand for, exactly."""
    # A bfloat16 is the upper half of a float32, so widening it loses nothing.
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
