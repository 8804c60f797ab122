"""Arrays that end where memory ends: reading or writing one element more is a crash, as on a GPU."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
import numpy.typing as npt


def guarded(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a copy of *values* right before a page that nobody may touch."""
    size = -(-values.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, size + mmap.PAGESIZE)
    end = ctypes.addressof(ctypes.c_char.from_buffer(memory)) + size
    protect = ctypes.CDLL(None).mprotect
    protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    assert protect(end, mmap.PAGESIZE, 0) == 0
    copy = np.frombuffer(memory, values.dtype, values.size, size - values.nbytes)
    copy[:] = values
    return copy
