"""A persistent side: an entry in a kernel whose CTAs meet those of the other side, and note their SMs and the end of every round."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from megasolve.contracts import Contract

from ...driver import Argument, DriverLaunch, Stream
from ...harness.launching.persistent import DeviceProgram
from ...harness.model_session import ModelSession
from .kernels import meeting_kernels, meeting_symbol
from .rounds import SideRun
from .sides import SideWords, Start

# Words of 64 bits for each CTA: its SM first, then when it went on from the meeting.
_SEEN, _SM, _MET = 3, 0, 1
_TURNS = 2


class PersistentSide:
    """The calls of one stream of a program, on *ctas* CTAs.

    Parameters
    ----------
    pool
        The instructions of the program that are this side's.
    most_rounds
        For how many rounds there are counters.
    cooperative
        False makes an ordinary launch of what the contract launches cooperatively.

    Raises
    ------
    GpuError
        The kernel does not compile, or the device does not hold it.
    """

    def __init__(
        self,
        session: ModelSession,
        stream: Stream,
        contract: Contract,
        program: DeviceProgram,
        pool: range,
        *,
        ctas: int,
        between: SideWords,
        most_rounds: int,
        cooperative: bool,
    ) -> None:
        self.ctas = ctas
        self._session, self._stream, self._contract, self._program, self._between = session, stream, contract, program, between
        self._rounds, self._cooperative = most_rounds, cooperative and contract.launch.cooperative
        self._words = session.new_words()
        cubin = meeting_kernels(contract).compiled(session.context.device.compute_capability)
        self._function = session.function(cubin.image, meeting_symbol(contract))
        self._told = session.holding(np.array([pool.start, len(pool)], np.int32))
        # The counters of every round, then a ticket for each round, then the turns, all reset by one fill.
        self._counters = session.memory(4 * (most_rounds * (program.program.counters + 1) + _TURNS))
        self._seen = session.memory(8 * _SEEN * ctas)
        self._ended = session.memory(8 * most_rounds)

    def prepared(self, rounds: int, wanted: int, *, until_flag: bool) -> Start:
        """Return what queues one launch."""
        launch = self._launch(rounds, wanted, until_flag=until_flag)
        return lambda: launch.on(self._stream)

    def reset(self) -> None:
        """Forget the run before."""
        self._words.clear()
        for memory in (self._counters, self._seen, self._ended):
            memory.fill_words(0, self._session.stream)

    def met(self) -> int:
        """Return how many of its CTAs went on from the meeting."""
        return int(np.count_nonzero(self._rows()[:, _MET]))

    def sms(self) -> tuple[int, ...]:
        """Return the SMs of its CTAs."""
        return tuple(self._rows()[:, _SM].tolist())

    def complaint(self) -> str | None:
        """Return why a CTA gave up."""
        return self._words.complaint(self._program.program)

    def run(self) -> SideRun:
        """Return when its first CTA had met, and when each round was over."""
        ended = self._ended.read(np.uint64, self._rounds)
        # The flag may end the rounds early: those that never ran have left their zero.
        times = tuple(ended[ended > 0].tolist())
        return SideRun(int(self._rows()[0, _MET]), times, len(times))

    def _rows(self) -> NDArray[np.uint64]:
        return self._seen.read(np.uint64, _SEEN * self.ctas).reshape(-1, _SEEN)

    def _launch(self, rounds: int, wanted: int, *, until_flag: bool) -> DriverLaunch:
        program, session, launch = self._program, self._session, self._contract.launch
        counters, arenas, flag = program.program.counters, session.arenas[0], self._between.flag
        tickets = ctypes.c_void_p(self._counters.address + 4 * counters * self._rounds)
        turns = ctypes.c_void_p(self._counters.address + 4 * (counters + 1) * self._rounds)
        arguments: list[Argument] = [program.instructions, program.waits, program.signals, self._told, self._counters, tickets]
        arguments += [arenas.floats, arenas.weights, arenas.ids, session.words.stop, self._words.diagnosis]
        arguments += [ctypes.c_uint64(session.counts.kernel_wait_ns), counters, self._between.meeting, wanted, turns]
        # One side watches the flag and the other raises it; None is no flag.
        arguments += [flag if until_flag else None, None if until_flag else flag, rounds, self.ctas, self._seen, self._ended]
        return DriverLaunch(
            self._function,
            arguments,
            grid_ctas=self.ctas,
            block_threads=launch.threads or 0,
            shared_bytes=launch.shared_bytes - self._function.shared_bytes,
            cooperative=self._cooperative,
        )
