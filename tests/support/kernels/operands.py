"""Operands of single tiles: arenas that grow tensor by tensor, poisoned where nothing was put, and kernels that run on the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from megasolve.gpu.programs.operation import MOST_ARGUMENTS
from megasolve.gpu.programs.operations import OPERATIONS
from tests.support.kernels.guarded_memory import guarded

Floats = npt.NDArray[np.float64]
Tile = Mapping[str, int]


def rounded_to_bf16(values: npt.ArrayLike) -> npt.NDArray[np.uint16]:
    """Return *values* as the bits of bfloat16, rounded to nearest even."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def floats_of_bf16(bits: npt.NDArray[np.uint16]) -> Floats:
    """Return the values of bfloat16 *bits*."""
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def argument_words(operation: str, tile: Tile) -> list[int]:
    """Return the arguments of *tile* in the order of *operation*, filled up to the length of an instruction's."""
    names = OPERATIONS[operation].arguments
    assert set(tile) == set(names), set(tile) ^ set(names)
    return [tile[name] for name in names] + [0] * (MOST_ARGUMENTS - len(names))


def cuts(size: int, length: int) -> list[tuple[int, int]]:
    """Return (first, count) of every tile of *length* along *size*; the last may be shorter."""
    return [(first, min(length, size - first)) for first in range(0, size, length)]


class _Arena:
    """Tensors one behind the other, 16-byte aligned, with poison after each."""

    def __init__(self, poison: np.generic) -> None:
        self._poison = poison
        self._parts = [np.full(8, poison)]

    def put(self, values: npt.NDArray[Any]) -> int:
        offset = sum(part.size for part in self._parts)
        self._parts += [values.ravel().astype(self._poison.dtype), np.full(8 + -values.size % 8, self._poison)]
        return offset

    def contents(self) -> npt.NDArray[Any]:
        return np.concatenate(self._parts)


class Operands:
    """The arenas of one test. What is put in is returned as its offset; `expect` says what kernels must write, all else must stay."""

    def __init__(self, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)
        self._floats = _Arena(np.float32(np.nan))
        self._weights = _Arena(np.uint16(0x7FC0))
        self._ids = _Arena(np.int32(2**31 - 1))
        self._expected: list[tuple[int, Floats]] = []
        self._expected_ids: dict[int, int] = {}

    def floats(self, values: npt.ArrayLike) -> int:
        """Put *values* into the float arena."""
        return self._floats.put(np.asarray(values))

    def random_floats(self, *shape: int) -> tuple[int, Floats]:
        """Put standard normal values into the float arena; return them as the kernel sees them."""
        values = self.random.standard_normal(shape).astype(np.float32)
        return self.floats(values), values.astype(np.float64)

    def room(self, count: int) -> int:
        """Make poisoned room for *count* floats."""
        return self.floats(np.full(count, np.nan))

    def random_weights(self, *shape: int, scale: float = 1.0) -> tuple[int, Floats]:
        """Put random values into the weight arena; return them as the kernel sees them."""
        bits = rounded_to_bf16(self.random.standard_normal(shape) * scale)
        return self._weights.put(bits), floats_of_bf16(bits)

    def ids(self, values: npt.ArrayLike) -> int:
        """Put token ids into their arena."""
        return self._ids.put(np.asarray(values))

    def expect(self, offset: int, values: Floats) -> None:
        """Say that *values* must stand at *offset* of the float arena afterwards."""
        self._expected.append((offset, values.ravel()))

    def expect_rows(self, offset: int, stride: int, values: Floats) -> None:
        """Say that the rows of *values* must stand at *offset*, each *stride* after the one before."""
        for row, wanted in enumerate(values):
            self.expect(offset + row * stride, wanted)

    def expect_id(self, offset: int, token: int) -> None:
        """Say that *token* must stand at *offset* of the ids afterwards."""
        self._expected_ids[offset] = token

    def arenas(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint16], npt.NDArray[np.int32]]:
        """Return fresh copies of the three arenas: floats, weights, ids. Nothing can be read or written behind one."""
        return guarded(self._floats.contents()), guarded(self._weights.contents()), guarded(self._ids.contents())

    def check(self, floats: npt.NDArray[np.float32], ids: npt.NDArray[np.int32], *, tolerance: float = 2e-5) -> None:
        """Compare both arenas with what is expected, everywhere: near it where it was computed, equal to what stood there elsewhere."""
        wanted, _, wanted_ids = self.arenas()
        computed = np.zeros(wanted.size, bool)
        for offset, values in self._expected:
            wanted[offset : offset + values.size] = values
            computed[offset : offset + values.size] = True
        for offset, token in self._expected_ids.items():
            wanted_ids[offset] = token
        np.testing.assert_array_equal(floats[~computed], wanted[~computed])
        np.testing.assert_allclose(floats[computed], wanted[computed], rtol=tolerance, atol=tolerance)
        np.testing.assert_array_equal(ids, wanted_ids)
