"""A meeting: turns of one or two sides, begun beside each other, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import GpuError
from ...harness.launching.qualification import Disqualified
from ...harness.session import Session
from .rounds import SideRun
from .sides import RunningSide, SideWords


class NotCoResident(GpuError):
    """Not all CTAs came to the meeting, so that there is no time; *met* of them went on from it."""

    def __init__(self, met: int, wanted: int, wait_s: float, what: str = "") -> None:
        super().__init__(f"{what}not co-resident: {met} of {wanted} CTAs met within {wait_s:g} s")
        self.met, self.wanted, self.wait_s = met, wanted, wait_s


@dataclass(frozen=True, slots=True)
class Turn:
    """How a side is run: for so many rounds, or with *until_flag* for at most so many."""

    side: RunningSide
    rounds: int
    until_flag: bool = False


class Meeting:
    """Where sides of a session meet: the words between them, and the stream beside that of the session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.between = SideWords(session)
        self.beside = session.new_stream()
        self._ended = session.event()

    def run(self, *turns: Turn, wanted: int | None = None) -> tuple[SideRun, ...]:
        """Run *turns* beside each other, or one alone, in this order of launches, and return what the clocks say of each.

        Parameters
        ----------
        wanted
            How many CTAs must meet; by default all that the sides send.

        Raises
        ------
        NotCoResident
            They did not meet.
        Disqualified
            A side gave up.
        Hang, DriverError
            A side does not end, or fails.
        """
        session = self._session
        asked = sum(turn.side.ctas for turn in turns) if wanted is None else wanted
        starts = [turn.side.prepared(turn.rounds, asked, until_flag=turn.until_flag) for turn in turns]
        # All words are cleared before any side starts: one that is early would wait for the arrivals of a run before.
        session.words.clear()
        self.between.reset()
        for turn in turns:
            turn.side.reset()
        session.finish("the reset before a meeting")
        for start in starts:
            start()
        # The session waits on one stream alone, so the other is joined to it.
        self.beside.record(self._ended)
        session.stream.wait_for(self._ended)
        session.finish("a run of two sides")
        self._check([turn.side for turn in turns], asked)
        return tuple(turn.side.run() for turn in turns)

    def _check(self, sides: Sequence[RunningSide], wanted: int) -> None:
        met = sum(side.met() for side in sides)
        # First, because a side that met nobody gave up for that reason alone.
        if met < wanted:
            raise NotCoResident(met, wanted, self._session.counts.kernel_wait_ns / 1e9)
        for side in sides:
            if complaint := side.complaint():
                raise Disqualified(complaint)
