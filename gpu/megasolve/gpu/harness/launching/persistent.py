"""Persistent launches: a program on the device, its counters, and launches that run it without waiting for a reset between them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...driver import Argument, DriverLaunch, Memory
from ...programs.instructions import InstructionProgram
from ..model_session import ModelSession
from .kernels import Kernels

_TICKETS = 3


@dataclass(frozen=True, slots=True)
class DeviceProgram:
    """A program in device memory. Several launches may share it, as nothing writes there."""

    program: InstructionProgram
    instructions: Memory
    waits: Memory
    signals: Memory


def uploaded(session: ModelSession, program: InstructionProgram) -> DeviceProgram:
    """Return *program* in memory that lives as long as *session*."""
    return DeviceProgram(program, *(session.holding(words) for words in (program.words, program.waits, program.signals)))


class PersistentLaunches:
    """*count* launches of a program in an entry, each with counters of its own and the arenas of the session in turn.

    Counters and tickets of all of them are reset at once, before the first, so that launches can follow each other directly.

    Parameters
    ----------
    streams
        What the kernel is told of the streams (`InstructionProgram.streams`); zeros make launches that find nothing to do.

    Raises
    ------
    DoesNotFit
        The device does not hold *ctas* CTAs of the entry at once. The grid is never made smaller.
    """

    def __init__(
        self, session: ModelSession, kernels: Kernels, program: DeviceProgram, ctas: int, streams: NDArray[np.int32], *, count: int
    ) -> None:
        self.program = program.program
        self._words = program.program.counters + _TICKETS
        self._counters = session.memory(4 * self._words * count)
        self._streams = session.holding(streams)
        launch = kernels.contract.launch
        self.launches = tuple(
            DriverLaunch(
                kernels.entry,
                self._arguments(session, program, number),
                grid_ctas=ctas,
                block_threads=kernels.threads,
                shared_bytes=launch.shared_bytes - kernels.entry.shared_bytes,
                cooperative=launch.cooperative,
            )
            for number in range(count)
        )

    def reset(self, session: ModelSession) -> None:
        """Set counters and tickets of all launches to zero, in the order of the session's stream."""
        self._counters.fill_words(0, session.stream)

    def counters(self, number: int = 0) -> NDArray[np.uint32]:
        """Return the counters of one launch; wait for it first."""
        # The tickets of a launch lie behind its counters.
        words = self._counters.read(np.uint32, self._counters.nbytes // 4)
        return words[number * self._words : (number + 1) * self._words][: self.program.counters]

    def _arguments(self, session: ModelSession, program: DeviceProgram, number: int) -> list[Argument]:
        arenas = session.arenas[number % len(session.arenas)]
        start = self._counters.address + 4 * self._words * number
        counters, tickets = ctypes.c_void_p(start), ctypes.c_void_p(start + 4 * self.program.counters)
        places = [program.instructions, program.waits, program.signals, self._streams]
        timeout = ctypes.c_uint64(session.counts.kernel_wait_ns)
        words = [session.words.stop, session.words.diagnosis]
        # None is the trace: what is timed writes none.
        return [*places, counters, tickets, arenas.floats, arenas.weights, arenas.ids, *words, None, timeout]
