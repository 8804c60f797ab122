"""Calls as a workload states them, on the device: launches with their constants, scratch of their own and the sets of inputs in turn."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...driver import Argument, DriverLaunch, HostWords, Memory
from ...errors import GpuError
from ...workloads.calls import Arrays, Buffer, Constant, KernelArgument, Scratch, StatedLaunch, TraceMemory, Word
from ..session import Session
from ..waiting import StopWords
from .buffers import Memories
from .kernels import Kernels

_WORD_BYTES, _TRACE_BYTES = 4, 8
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

    def calls(
        self, count: int, *, is_idle: bool = False, words: Sequence[StopWords] | None = None, cooperative: bool = True
    ) -> DeviceCalls:
        """Return *count* calls one after the other, or their twins that have nothing to do.

        Parameters
        ----------
        words
            Where each launch says why it gave up; by default all in the words of the session.
        cooperative
            False makes ordinary launches of what contracts launch cooperatively.

        Raises
        ------
        GpuError
            An argument names an array that there is none of.
        DoesNotFit
            The device does not hold such a launch. A grid is never made smaller.
        """
        return DeviceCalls(self, count, is_idle=is_idle, words=words, cooperative=cooperative)

    def only(self, entry: str) -> StatedLaunches:
        """Return those of the kernels of *entry* alone."""
        return StatedLaunches(self.session, self.kernels, [one for one in self.stated if one.entry == entry], self.sets)


class DeviceCalls:
    """*count* calls of the same launches.

    Scratch of all of them is reset at once, before the first, so that calls can follow each other directly.
    """

    def __init__(self, of: StatedLaunches, count: int, *, is_idle: bool, words: Sequence[StopWords] | None, cooperative: bool) -> None:
        self._of, self._session, self._count = of, of.session, count
        self._is_idle, self._cooperative = is_idle, cooperative
        self._told = tuple(words or (of.session.words,) * len(of.stated))
        self._starts, self._words = _scratch(of.stated)
        self._scratch = of.session.memory(_WORD_BYTES * self._words * count) if self._words else None
        self._trace: Memory | None = None

    @cached_property
    def by_call(self) -> tuple[tuple[DriverLaunch, ...], ...]:
        """The launches of each call, in order."""
        return tuple(tuple(self._launch(number, one) for one in range(len(self._of.stated))) for number in range(self._count))

    @property
    def launches(self) -> tuple[DriverLaunch, ...]:
        """The launches of all calls, in order."""
        return tuple(chain.from_iterable(self.by_call))

    @cached_property
    def traced(self) -> tuple[DriverLaunch, ...]:
        """The launches of the first call once more, which write their traces."""
        words = max((one.words for launch in self._of.stated for one in launch.arguments if isinstance(one, TraceMemory)), default=0)
        if not words:
            return self.by_call[0]
        self._trace = self._session.memory(_TRACE_BYTES * words)
        return tuple(self._launch(0, one, trace=self._trace) for one in range(len(self._of.stated)))

    @property
    def has_scratch(self) -> bool:
        """Whether anything is reset before the first call."""
        return self._scratch is not None

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

    def trace(self) -> NDArray[np.uint64]:
        """Return what the launches that are `traced` wrote; empty where they write nothing."""
        return np.zeros(0, np.uint64) if self._trace is None else self._trace.read(np.uint64, self._trace.nbytes // _TRACE_BYTES)

    def packed(self, launch: int) -> NDArray[np.uint64]:
        """Return the arguments of one launch of each call, a row for each call and a word for each argument."""
        stated = self._of.stated[launch]
        rows = [[_word_of(one) for one in self._arguments(stated.arguments, number, launch)] for number in range(self._count)]
        return np.array(rows, np.uint64).reshape(self._count, len(stated.arguments))

    def _launch(self, number: int, which: int, *, trace: Memory | None = None) -> DriverLaunch:
        one = self._of.stated[which]
        kernels = self._of.kernels[one.entry]
        launch = kernels.contract.launch
        # An empty kernel in the same grid costs what the launch costs, and does nothing.
        if self._is_idle and one.idle is None:
            return self._session.empty_launch(
                ctas=one.grid_ctas, threads=kernels.threads, shared_bytes=launch.shared_bytes, cooperative=launch.cooperative
            )
        if one.symbol not in kernels.functions:
            raise GpuError(f"entry '{one.entry}' has no kernel '{one.symbol}'; its code has {', '.join(kernels.functions)}")
        function = kernels.functions[one.symbol]
        stated = one.idle if self._is_idle and one.idle is not None else one.arguments
        return DriverLaunch(
            function,
            self._arguments(stated, number, which, trace),
            grid_ctas=one.grid_ctas,
            block_threads=kernels.threads,
            # A contract states all of it; the driver is asked for the dynamic part.
            shared_bytes=launch.shared_bytes - function.shared_bytes,
            cooperative=launch.cooperative and self._cooperative,
        )

    def _arguments(self, stated: Sequence[KernelArgument], number: int, which: int, trace: Memory | None = None) -> list[Argument]:
        return [self._argument(argument, number, which, trace) for argument in stated]

    def _argument(self, argument: KernelArgument, number: int, which: int, trace: Memory | None) -> Argument:
        match argument:
            case Buffer(name):
                memories = self._of.sets[number % len(self._of.sets)]
                if name not in memories:
                    raise GpuError(f"a kernel is handed the array '{name}', which is none of {', '.join(memories)}")
                return memories[name]
            case Constant():
                return ctypes.c_void_p(self._of.constants.address(argument))
            case Scratch():
                return ctypes.c_void_p(self._address(argument, number))
            case TraceMemory():
                return trace
            case Word():
                return self._word(argument, which)
        return ctypes.c_float(argument) if isinstance(argument, float) else argument

    def _word(self, word: Word, which: int) -> Argument:
        if word is Word.TIMEOUT_NS:
            return ctypes.c_uint64(self._session.counts.kernel_wait_ns)
        return self._session.words.stop if word is Word.STOP else self._told[which].diagnosis

    def _address(self, argument: Scratch, number: int) -> int:
        start = 0 if self._scratch is None else self._scratch.address
        return start + _WORD_BYTES * (self._words * number + self._starts[argument])


def _word_of(argument: Argument) -> int:
    """Return an argument as the first bytes of 64 bits, as a kernel finds it that reads arguments from memory."""
    if argument is None:
        return 0
    if isinstance(argument, Memory | HostWords):
        return argument.address
    held = ctypes.c_int32(argument) if isinstance(argument, int) else argument
    return int.from_bytes(bytes(held), sys.byteorder)


def _scratch(stated: Sequence[StatedLaunch]) -> tuple[dict[Scratch, int], int]:
    """Return where each piece of scratch begins, in words, and how many words there are."""
    arguments = chain.from_iterable((*launch.arguments, *(launch.idle or ())) for launch in stated)
    starts, end = dict[Scratch, int](), 0
    # Equal pieces are one place in all launches of a call.
    for one in dict.fromkeys(argument for argument in arguments if isinstance(argument, Scratch)):
        starts[one] = end
        end += -(-one.words // _SCRATCH_UNIT) * _SCRATCH_UNIT
    return starts, end
