"""The counters and tickets of all launches of a candidate, in one piece of memory that one fill resets."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import numpy as np

from ...harness.session import Session
from ...programs.group_calls import Streams
from ...programs.instructions import InstructionProgram

# One for each stream of a launch: the common one, X and Y.
_TICKETS = 3


class CounterWords:
    """Counters for each of *programs*, by their streams, and tickets for each of *launches* launches."""

    def __init__(self, session: Session, programs: Mapping[Streams, InstructionProgram], launches: int) -> None:
        self._programs = programs
        self._starts: dict[Streams, int] = {}
        words = 0
        for streams, program in programs.items():
            self._starts[streams] = words
            words += program.counters
        self._first_ticket = words
        self._memory = session.memory(4 * (words + _TICKETS * launches))

    def counters(self, streams: Streams) -> ctypes.c_void_p:
        """Return where the counters of a program begin."""
        return ctypes.c_void_p(self._memory.address + 4 * self._starts[streams])

    def tickets(self, launch: int) -> ctypes.c_void_p:
        """Return where the tickets of a launch begin."""
        return ctypes.c_void_p(self._memory.address + 4 * (self._first_ticket + _TICKETS * launch))

    def reset(self, session: Session) -> None:
        """Set all to zero, in the order of the session's stream."""
        self._memory.fill_words(0, session.stream)

    def wrong(self) -> tuple[str, ...]:
        """Return which counters do not hold exactly the arrivals of their program, after a run."""
        found = self._memory.read(np.uint32, self._first_ticket)
        texts: list[str] = []
        for streams, program in self._programs.items():
            seen = found[self._starts[streams] :][: program.counters]
            wanted = np.bincount(program.signals, minlength=program.counters)[: program.counters]
            wrong = np.flatnonzero(seen != wanted)
            texts.extend(f"counter {one} is {seen[one]}, and its program signals it {wanted[one]} times" for one in wrong.tolist())
        return tuple(texts)
