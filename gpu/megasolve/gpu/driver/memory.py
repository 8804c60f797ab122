"""Memory of the device, and words of the host that both sides see while a kernel runs."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from .calls import ask
from .device import Context
from .guarded import Guarded
from .streams import Stream

# CU_MEMHOSTALLOC_DEVICEMAP.
_MAPPED = 2


class Memory(Guarded):
    """*nbytes* of device memory. What it holds is undefined until something is written."""

    def __init__(self, context: Context, nbytes: int) -> None:
        address = ask("cuMemAlloc", nbytes)
        super().__init__(address, "cuMemFree", context)
        self.address = int(address)
        self.nbytes = nbytes

    @classmethod
    def holding(cls, context: Context, array: npt.NDArray[Any]) -> Memory:
        """Return memory with the contents of *array*."""
        memory = cls(context, array.nbytes)
        memory.upload(array)
        return memory

    def upload(self, array: npt.NDArray[Any], *, first_byte: int = 0) -> None:
        """Copy *array*, which must be contiguous and fit, to *first_byte* of the memory. Launches on other streams do not wait for it."""
        self._check(array, first_byte)
        ask("cuMemcpyHtoD", int(self.handle) + first_byte, array.ctypes.data, array.nbytes)

    def download(self, array: npt.NDArray[Any]) -> None:
        """Fill *array* from the start of the memory. Synchronize the stream that writes there first."""
        self._check(array)
        ask("cuMemcpyDtoH", array.ctypes.data, self.handle, array.nbytes)

    def read(self, dtype: npt.DTypeLike, count: int) -> npt.NDArray[Any]:
        """Return the first *count* elements as a new array."""
        array = np.empty(count, dtype)
        self.download(array)
        return array

    def fill_bytes(self, value: int, stream: Stream) -> None:
        """Set every byte to *value*, in the order of *stream*."""
        ask("cuMemsetD8Async", self.handle, value, self.nbytes, stream.handle)

    def fill_words(self, value: int, stream: Stream, *, first: int = 0, count: int | None = None) -> None:
        """Set 32-bit words to *value*, in the order of *stream*; all of them, or *count* from *first* on."""
        held = self.nbytes // 4
        words = held - first if count is None else count
        if first < 0 or words < 0 or first + words > held:
            raise ValueError(f"words {first} to {first + words} of a memory of {held:,} words")
        if words:
            ask("cuMemsetD32Async", int(self.handle) + 4 * first, value, words, stream.handle)

    def _check(self, array: npt.NDArray[Any], first_byte: int = 0) -> None:
        if not array.flags.c_contiguous:
            raise ValueError("an array that is copied must be contiguous")
        if first_byte < 0 or first_byte + array.nbytes > self.nbytes:
            where = f" from byte {first_byte:,} on" if first_byte else ""
            raise ValueError(f"an array of {array.nbytes:,} bytes does not fit in {self.nbytes:,} bytes of device memory{where}")


class HostWords(Guarded):
    """*count* words of 32 bits in host memory that kernels see too, zero at first: stop words and diagnoses.

    *words* is the host's view and *address* the device's. The view is void once the words are given back.
    """

    def __init__(self, context: Context, count: int) -> None:
        # Mapped, not copied: a stop word is seen by a kernel that runs, and a copy would queue behind that kernel.
        start = ask("cuMemHostAlloc", 4 * count, _MAPPED)
        super().__init__(start, "cuMemFreeHost", context)
        self.address = int(ask("cuMemHostGetDevicePointer", start, 0))
        self.words: npt.NDArray[np.uint32] = np.ctypeslib.as_array((ctypes.c_uint32 * count).from_address(int(start)))
        self.words[:] = 0

    def at(self, index: int) -> ctypes.c_void_p:
        """Return the device's address of one word, as an argument of a launch; the words must outlive the launch."""
        return ctypes.c_void_p(self.address + 4 * index)
