"""Launches. A grid that must be resident as a whole is counted first; one that the device does not hold is refused, never clamped."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, TypeAlias

from .calls import ask
from .errors import DoesNotFit
from .memory import HostWords, Memory
from .modules import Function
from .streams import Stream

# None is a null pointer, a Python integer has 32 bits; anything else is a ctypes value.
Argument: TypeAlias = "Memory | HostWords | int | ctypes.c_uint64 | ctypes.c_float | ctypes.c_void_p | None"


class DriverLaunch:
    """A kernel with its shape and arguments, checked and packed once, to be put on streams as often as wanted.

    Memory among the *arguments* stays alive as long as the launch does.

    Parameters
    ----------
    grid_ctas, block_threads
        The blocks of the grid and the threads of a block. Clusters count as the blocks they are made of.
    shared_bytes
        Dynamic shared memory per block.
    cooperative
        Whether all blocks are resident at once, from the start of the launch: needed by blocks that wait for each other.

    Raises
    ------
    DoesNotFit
        No SM holds such a block; or, if cooperative, the device does not hold the whole grid.
    """

    def __init__(
        self,
        function: Function,
        arguments: Sequence[Argument],
        *,
        grid_ctas: int,
        block_threads: int,
        shared_bytes: int = 0,
        cooperative: bool = False,
    ) -> None:
        function.allow_shared_bytes(shared_bytes)
        self.function = function
        self.grid_ctas = grid_ctas
        self.block_threads = block_threads
        self.shared_bytes = shared_bytes
        self.cooperative = cooperative
        # The driver's own count, never ours: it knows what the compiler gave the kernel.
        self.ctas_per_sm = function.ctas_per_sm(block_threads, shared_bytes)
        self._check()
        self._arguments = tuple(arguments)
        self._packed = _packed(arguments)

    @property
    def resident_ctas(self) -> int:
        """The blocks of this shape that the device holds at once."""
        return self.ctas_per_sm * self.function.device.sms

    def on(self, stream: Stream) -> None:
        """Queue the launch on *stream*."""
        # Nothing is allocated, looked up or counted here: what is queued beside a kernel that spins must not wait for the device.
        call = "cuLaunchCooperativeKernel" if self.cooperative else "cuLaunchKernel"
        # Only the ordinary call has a place for extra options behind the arguments.
        rest = () if self.cooperative else (0,)
        shape = (self.grid_ctas, 1, 1, self.block_threads, 1, 1, self.shared_bytes)
        ask(call, self.function.handle, *shape, stream.handle, self._packed, *rest)

    def _check(self) -> None:
        function, device = self.function, self.function.device
        if self.block_threads > function.threads_per_cta:
            raise DoesNotFit(
                f"{function.name}: {self.block_threads} threads per block > {function.threads_per_cta}, which it was compiled for;"
                " compile a variant with launch bounds for this block"
            )
        if self.ctas_per_sm == 0:
            raise DoesNotFit(
                f"{function.name}: no SM of {device.name} holds one block of {self.block_threads} threads x {function.registers} registers"
                f" ({self.block_threads * function.registers:,} of {device.registers_per_sm:,}) and"
                f" {function.shared_bytes + self.shared_bytes:,} B of shared memory;"
                " use fewer threads, or compile a variant with launch bounds for this block"
            )
        if self.cooperative and not device.launches_cooperatively:
            raise DoesNotFit(f"{function.name}: {device.name} has no cooperative launch")
        # The driver would refuse it as well, but without the figures.
        if self.cooperative and self.grid_ctas > self.resident_ctas:
            raise DoesNotFit(
                f"{function.name}: {self.grid_ctas:,} CTAs must be resident at once, and {device.name} holds {self.resident_ctas:,}"
                f" ({self.ctas_per_sm} per SM x {device.sms} SMs); a smaller budget is another design and needs records of its own"
            )


def _packed(arguments: Sequence[Argument]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    pairs = [_pair(argument) for argument in arguments]
    return tuple(value for value, _ in pairs), tuple(kind for _, kind in pairs)


def _pair(argument: Argument) -> tuple[Any, Any]:
    if argument is None:
        return 0, ctypes.c_void_p
    if isinstance(argument, Memory | HostWords):
        return argument.address, ctypes.c_void_p
    if isinstance(argument, int):
        return argument, ctypes.c_int32
    return argument.value, type(argument)
