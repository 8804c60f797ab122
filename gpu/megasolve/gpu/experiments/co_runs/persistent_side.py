"""A persistent side: an entry in a kernel whose CTAs meet those of the other side, and note their SMs and the end of every round."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from megasolve.contracts import Contract

from ...driver import Argument, DriverLaunch, Function, Stream
from ...harness.launching.stated import DeviceCalls
from ...harness.session import Session
from ...harness.waiting import StopWords
from ...programs.diagnosis import MetDiagnosis
from ...workloads.calls import StatedCall
from .kernels import meeting_kernels, meeting_symbol
from .rounds import SideRun
from .sides import SideWords, Start

# Words of 64 bits for each CTA: its SM first, then when it went on from the meeting, and one of its own.
_SEEN, _SM, _MET = 3, 0, 1
_TURNS = 2


@dataclass(frozen=True, slots=True)
class SideRounds:
    """What the rounds of a side run: launch number *launch* of *on_device*, one call for each round, *stated* as a workload has it.

    *words* are those in which the kernel itself says why it gave up.
    """

    stated: StatedCall
    on_device: DeviceCalls
    launch: int
    words: StopWords


class PersistentSide:
    """An entry on *ctas* CTAs that meet, and then run *rounds*, if there are any.

    Parameters
    ----------
    cooperative
        False makes an ordinary launch of what the contract launches cooperatively.

    Raises
    ------
    GpuError
        The kernel does not compile, or the device does not hold it.
    """

    def __init__(
        self,
        session: Session,
        stream: Stream,
        contract: Contract,
        rounds: SideRounds | None,
        *,
        ctas: int,
        between: SideWords,
        cooperative: bool,
    ) -> None:
        self.ctas = ctas
        self._session, self._stream, self._contract, self._rounds, self._between = session, stream, contract, rounds, between
        self._cooperative = cooperative and contract.launch.cooperative
        # Those of the meeting and of the turns; the kernel has words of its own.
        self._words = session.new_words()
        self._function = met_function(session, contract)
        packed = np.zeros((0, 0), np.uint64) if rounds is None else rounds.on_device.packed(rounds.launch)
        self._most, self._per_round = packed.shape
        self._arguments = session.holding(packed)
        self._turns = session.memory(4 * _TURNS)
        self._seen = session.memory(8 * _SEEN * ctas)
        self._ended = session.memory(8 * max(self._most, 1))

    def prepared(self, rounds: int, wanted: int, *, until_flag: bool) -> Start:
        """Return what queues one launch."""
        launch = self._launch(rounds, wanted, until_flag=until_flag)
        return lambda: launch.on(self._stream)

    def reset(self) -> None:
        """Forget the run before."""
        self._words.clear()
        if self._rounds is not None:
            self._rounds.words.clear()
            self._rounds.on_device.reset()
        for memory in (self._turns, self._seen, self._ended):
            memory.fill_words(0, self._session.stream)

    def met(self) -> int:
        """Return how many of its CTAs went on from the meeting."""
        return int(np.count_nonzero(self._rows()[:, _MET]))

    def sms(self) -> tuple[int, ...]:
        """Return the SMs of its CTAs."""
        return tuple(self._rows()[:, _SM].tolist())

    def complaint(self) -> str | None:
        """Return why a CTA gave up: in a wait of the kernel, or for others."""
        if self._rounds is not None and (complaint := self._rounds.stated.complaint(self._rounds.words.diagnosis_words())):
            return complaint
        said = self.waited()
        return said.text() if said.reason else None

    def waited(self) -> MetDiagnosis:
        """Return what a wait for other CTAs said when it was given up."""
        return MetDiagnosis(*self._words.diagnosis_words()[:5])

    def run(self) -> SideRun:
        """Return when its first CTA had met, and when each round was over."""
        ended = self._ended.read(np.uint64, max(self._most, 1))
        # The flag may end the rounds early: those that never ran have left their zero.
        times = tuple(ended[ended > 0].tolist())
        return SideRun(int(self._rows()[0, _MET]), times, len(times))

    def _rows(self) -> NDArray[np.uint64]:
        return self._seen.read(np.uint64, _SEEN * self.ctas).reshape(-1, _SEEN)

    def _launch(self, rounds: int, wanted: int, *, until_flag: bool) -> DriverLaunch:
        session, launch, flag = self._session, self._contract.launch, self._between.flag
        arguments: list[Argument] = [self._arguments, self._per_round, session.words.stop, self._words.diagnosis]
        arguments += [ctypes.c_uint64(session.counts.kernel_wait_ns), self._between.meeting, wanted, self._turns]
        # One side watches the flag and the other raises it; None is no flag.
        arguments += [flag if until_flag else None, None if until_flag else flag, rounds, self._seen, self._ended]
        return DriverLaunch(
            self._function,
            arguments,
            grid_ctas=self.ctas,
            block_threads=launch.threads or 0,
            shared_bytes=launch.shared_bytes - self._function.shared_bytes,
            cooperative=self._cooperative,
        )


def met_function(session: Session, contract: Contract, symbol: str = "") -> Function:
    """Return the kernel in which the entry of *contract* meets others, or another one of the same code by its *symbol*."""
    code = meeting_kernels(session.study, contract)
    cubin = code.compiled(session.context.device.compute_capability)
    return session.function(cubin.image, symbol or meeting_symbol(code))
