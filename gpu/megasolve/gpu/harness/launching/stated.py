"""Calls as a workload states them, on the device: launches with their constants, scratch of their own and the sets of inputs in turn."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...driver import Argument, DriverLaunch
from ...errors import GpuError
from ...workloads.workload import Arrays, Buffer, Constant, KernelArgument, Scratch, StatedLaunch, Word
from ..session import Session
from .buffers import Memories
from .kernels import Kernels

_WORD_BYTES = 4
# Constants begin where any vector may be loaded.
_ALIGNMENT = 64
# Words: where 64-bit counters may stand.
_SCRATCH_UNIT = 4


class HeldConstants:
    """The constants of launches in one piece of device memory."""

    def __init__(self, session: Session, launches: Sequence[StatedLaunch]) -> None:
        arguments = chain.from_iterable((*launch.arguments, *(launch.idle or ())) for launch in launches)
        # A constant that several launches are handed is held once.
        self._arrays = tuple(dict.fromkeys(one for one in arguments if isinstance(one, Constant)))
        starts, parts, end = {}, [], 0
        for constant in self._arrays:
            content = np.ascontiguousarray(constant.array).tobytes()
            starts[constant] = end
            parts.append(content + bytes(-len(content) % _ALIGNMENT))
            end += len(parts[-1])
        self._memory = session.holding(np.frombuffer(b"".join(parts), np.uint8))
        self._starts = starts

    def address(self, constant: Constant) -> int:
        """Return where it lies."""
        return self._memory.address + self._starts[constant]


class StatedLaunches:
    """The launches of a call as they are stated, to be made for any number of calls at once with the *sets* of inputs in turn."""

    def __init__(self, session: Session, kernels: Mapping[str, Kernels], stated: Sequence[StatedLaunch], sets: Sequence[Memories]) -> None:
        self.session, self.kernels, self.stated, self.sets = session, kernels, stated, sets
        self.constants = HeldConstants(session, stated)

    def calls(self, count: int, *, is_idle: bool = False) -> DeviceCalls:
        """Return *count* calls one after the other, or their twins that have nothing to do.

        Raises
        ------
        GpuError
            An argument names an array that there is none of.
        DoesNotFit
            The device does not hold such a launch. A grid is never made smaller.
        """
        return DeviceCalls(self, count, is_idle=is_idle)

    def only(self, entry: str) -> StatedLaunches:
        """Return those of the kernels of *entry* alone."""
        return StatedLaunches(self.session, self.kernels, [one for one in self.stated if one.entry == entry], self.sets)


class DeviceCalls:
    """*count* calls of the same launches.

    Scratch of all of them is reset at once, before the first, so that calls can follow each other directly.
    """

    def __init__(self, of: StatedLaunches, count: int, *, is_idle: bool) -> None:
        self._session, self._kernels, self._constants = of.session, of.kernels, of.constants
        self._starts, self._words = _scratch(of.stated)
        self._scratch = of.session.memory(_WORD_BYTES * self._words * count) if self._words else None
        self.by_call = tuple(
            tuple(self._launch(one, of.sets[number % len(of.sets)], number, is_idle=is_idle) for one in of.stated)
            for number in range(count)
        )

    @property
    def launches(self) -> tuple[DriverLaunch, ...]:
        """The launches of all calls, in order."""
        return tuple(chain.from_iterable(self.by_call))

    def reset(self) -> None:
        """Set the scratch of all calls to zero, in the order of the session's stream."""
        if self._scratch is not None:
            self._scratch.fill_words(0, self._session.stream)

    def scratch(self) -> Arrays:
        """Return what the first call left in its scratch, by name; wait for it first."""
        if self._scratch is None:
            return {}
        words: NDArray[np.uint32] = self._scratch.read(np.uint32, self._words)
        return {one.name: words[start : start + one.words] for one, start in self._starts.items()}

    def _launch(self, one: StatedLaunch, memories: Memories, number: int, *, is_idle: bool) -> DriverLaunch:
        kernels = self._kernels[one.entry]
        launch = kernels.contract.launch
        # An empty kernel in the same grid costs what the launch costs, and does nothing.
        if is_idle and one.idle is None:
            return self._session.empty_launch(
                ctas=one.grid_ctas, threads=kernels.threads, shared_bytes=launch.shared_bytes, cooperative=launch.cooperative
            )
        if one.symbol not in kernels.functions:
            raise GpuError(f"entry '{one.entry}' has no kernel '{one.symbol}'; its code has {', '.join(kernels.functions)}")
        function = kernels.functions[one.symbol]
        stated = one.idle if is_idle and one.idle is not None else one.arguments
        arguments = [self._argument(argument, memories, number) for argument in stated]
        return DriverLaunch(
            function,
            arguments,
            grid_ctas=one.grid_ctas,
            block_threads=kernels.threads,
            shared_bytes=launch.shared_bytes - function.shared_bytes,
            cooperative=launch.cooperative,
        )

    def _argument(self, argument: KernelArgument, memories: Memories, number: int) -> Argument:
        match argument:
            case Buffer(name):
                if name not in memories:
                    raise GpuError(f"a kernel is handed the array '{name}', which is none of {', '.join(memories)}")
                return memories[name]
            case Constant():
                return ctypes.c_void_p(self._constants.address(argument))
            case Scratch():
                return ctypes.c_void_p(self._address(argument, number))
            case Word():
                return self._word(argument)
        return ctypes.c_float(argument) if isinstance(argument, float) else argument

    def _word(self, word: Word) -> Argument:
        words = self._session.words
        if word is Word.TIMEOUT_NS:
            return ctypes.c_uint64(self._session.counts.kernel_wait_ns)
        return words.stop if word is Word.STOP else words.diagnosis

    def _address(self, argument: Scratch, number: int) -> int:
        start = 0 if self._scratch is None else self._scratch.address
        return start + _WORD_BYTES * (self._words * number + self._starts[argument])


def _scratch(stated: Sequence[StatedLaunch]) -> tuple[dict[Scratch, int], int]:
    """Return where each piece of scratch begins, in words, and how many words there are."""
    arguments = chain.from_iterable((*launch.arguments, *(launch.idle or ())) for launch in stated)
    starts, end = dict[Scratch, int](), 0
    # Equal pieces are one place in all launches of a call.
    for one in dict.fromkeys(argument for argument in arguments if isinstance(argument, Scratch)):
        starts[one] = end
        end += -(-one.words // _SCRATCH_UNIT) * _SCRATCH_UNIT
    return starts, end
