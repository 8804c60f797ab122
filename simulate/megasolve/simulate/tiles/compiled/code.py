"""The kernel as machine code: compiled by numba, or read from the user's cache."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from ..kernel.run import run
from . import memory
from .copies import compiled_copies

_ENTRY: Any = run
PACKAGE = __package__.rpartition(".")[0]
REPLACED = {name: function for name, function in vars(memory).items() if isinstance(function, FunctionType)}


def compiled_run(numba: ModuleType, *, is_cached: bool, is_kept: bool) -> Callable[..., int]:
    """Return the kernel compiled by *numba*, which looks where `numba.config.CACHE_DIR` says.

    What *is_cached* there is read; what *is_kept* is written there. All arguments are 64-bit numbers, but for the memory; nothing is
    counted by reference, and no index is ever out of bounds: the kernel hands out the cells of memory itself.
    """

    def compiler(function: FunctionType) -> Any:
        options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        if function.__name__ == _ENTRY.__name__:
            options = {"cache": is_cached or is_kept}
        return numba.njit(error_model="numpy", _nrt=False, **options)(function)

    copies = compiled_copies(_ENTRY, compiler, REPLACED, PACKAGE)
    entry: Any = copies[-1]
    # Read from the cache, the entry has all that it calls in it.
    for one in copies[-1:] if is_cached else copies:
        names = one.py_func.__code__.co_varnames[: one.py_func.__code__.co_argcount]
        one.compile(tuple(numba.types.int64[::1] if name == "m" else numba.types.int64 for name in names))
        one.disable_compile()
    compiled: Callable[..., int] = entry
    return compiled
