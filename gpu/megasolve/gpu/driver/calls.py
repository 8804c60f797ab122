"""Calls of the CUDA driver: each returns its values or raises what went wrong. Nothing else in the package unpacks an answer."""

from __future__ import annotations

import functools
from typing import Any

from .errors import NOT_READY, EntryPointMissing, NoGpu, driver_error


def ask(call: str, *arguments: Any) -> Any:
    """Call the driver's function *call* and return its value: None, one value, or a tuple.

    Raises
    ------
    DriverError
        The driver refuses, or reports that an earlier kernel failed.
    EntryPointMissing
        The driver library has no such function.
    """
    code, values = _answer(call, arguments)
    if code != 0:
        raise driver_error(call, int(code), code.name)
    if not values:
        return None
    return values[0] if len(values) == 1 else values


def is_ready(call: str, handle: Any) -> bool:
    """Return what a query of the driver says: whether the work behind *handle* is done."""
    code, _ = _answer(call, (handle,))
    if code == NOT_READY:
        return False
    if code != 0:
        raise driver_error(call, int(code), code.name)
    return True


def _answer(call: str, arguments: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    try:
        code, *values = getattr(bindings(), call)(*arguments)
    except RuntimeError as error:
        # The bindings look functions up by themselves and raise bare errors, as well where there is no driver at all.
        if str(error).startswith("Function "):
            raise EntryPointMissing(call) from None
        raise NoGpu(f"no NVIDIA driver: {error}") from None
    return code, tuple(values)


@functools.cache
def bindings() -> Any:
    """Return the module `cuda.bindings.driver`; importing it needs no driver."""
    try:
        from cuda.bindings import driver
    except ImportError:
        raise NoGpu("the CUDA bindings are missing: pip install 'megasolve[gpu]' brings them, on Linux") from None
    return driver
