"""A conventional side: the kernels of a chunk in a graph, replayed between two readings of the device's clock."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import chain

import numpy as np

from ...driver import Argument, DriverLaunch, Function, Graph, Memory, Stream
from ...harness.session import Session
from ..compositions.prepared import StatedOnDevice
from .rounds import SideRun
from .sides import SideWords, Start

_THREADS = 32


class ConventionalSide:
    """*calls* by conventional kernels, one replay of their graph a round. They run where the other side leaves room, and meet nobody.

    Parameters
    ----------
    clock
        The kernel that waits for the meeting and reads the clock.
    """

    ctas = 0

    def __init__(self, session: Session, stream: Stream, calls: Sequence[StatedOnDevice], clock: Function, *, between: SideWords) -> None:
        self._session, self._stream, self._calls, self._clock, self._between = session, stream, calls, clock, between
        self._words, self._ran = session.new_words(), 0
        # Scratch is zero before each call, so kernels that have any need a graph for each round; others are replayed.
        rounds = zip(*(call.on_device.by_call for call in calls), strict=True)
        self._graphs = tuple(Graph(stream, tuple(chain.from_iterable(one))) for one in rounds)
        self._began, self._ended = session.memory(8), session.memory(8)

    def prepared(self, rounds: int, wanted: int, *, until_flag: bool) -> Start:
        """Return what queues the clock, so many replays, and the clock again."""
        began = self._reading(wanted, self._began, None)
        # It waits for nobody, as its stream puts it behind the last replay; the flag that it raises ends the rounds of the other side.
        ended = self._reading(0, self._ended, None if until_flag else self._between.flag)

        def start() -> None:
            self._ran = rounds
            began.on(self._stream)
            for number in range(rounds):
                self._graphs[number % len(self._graphs)].on(self._stream)
            ended.on(self._stream)

        return start

    def reset(self) -> None:
        """Forget the run before."""
        self._words.clear()
        for call in self._calls:
            call.on_device.reset()
        for memory in (self._began, self._ended):
            memory.fill_words(0, self._session.stream)

    def met(self) -> int:
        """Return none: no CTA of it meets anyone."""
        return 0

    def sms(self) -> tuple[int, ...]:
        """Return none: the kernels do not tell where they ran."""
        return ()

    def complaint(self) -> str | None:
        """Return why the clock gave up waiting for the meeting."""
        # The reset left a zero, which only a clock that has met overwrites.
        return "waited too long for the other side to meet" if int(self._began.read(np.uint64, 1)[0]) == 0 else None

    def run(self) -> SideRun:
        """Return the two readings of the clock."""
        # Nanoseconds of the device's own clock, as the persistent side has them.
        began, ended = (int(memory.read(np.uint64, 1)[0]) for memory in (self._began, self._ended))
        return SideRun(began, (ended,), self._ran)

    def _reading(self, wanted: int, when: Memory, tells: Argument) -> DriverLaunch:
        session = self._session
        timeout = ctypes.c_uint64(session.counts.kernel_wait_ns)
        arguments: list[Argument] = [self._between.meeting, wanted, session.words.stop, self._words.diagnosis, timeout, when, tells]
        return DriverLaunch(self._clock, arguments, grid_ctas=1, block_threads=_THREADS)
