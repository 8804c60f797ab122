"""What both sides of a co-run have: the words between them, and how they are started and asked."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Protocol, TypeAlias

from ...harness.session import Session
from .rounds import SideRun

Start: TypeAlias = Callable[[], None]
"""Queues a run that is prepared: nothing is made, loaded or asked of the driver but the launch itself."""


class SideWords:
    """The words between the sides: how many blocks came to the meeting, and the flag that ends the rounds of the producer."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._memory = session.memory(8)
        self.meeting = ctypes.c_void_p(self._memory.address)
        self.flag = ctypes.c_void_p(self._memory.address + 4)

    def reset(self) -> None:
        """Set both to zero, in the order of the session's stream."""
        self._memory.fill_words(0, self._session.stream)


class RunningSide(Protocol):
    """One side: what runs it, and what came of it."""

    @property
    def ctas(self) -> int:
        """How many CTAs it sends to the meeting."""

    def prepared(self, rounds: int, wanted: int, *, until_flag: bool) -> Start:
        """Return what queues so many rounds, which begin once *wanted* CTAs have met.

        With *until_flag* the flag ends them earlier; without it their end raises the flag.
        """

    def reset(self) -> None:
        """Forget the run before, in the order of the session's stream."""

    def met(self) -> int:
        """Return how many of its CTAs went on from the meeting."""

    def sms(self) -> tuple[int, ...]:
        """Return the SMs of its CTAs in their order; none where the kernels do not tell."""

    def complaint(self) -> str | None:
        """Return why it gave up in the last run; None if it did not."""

    def run(self) -> SideRun:
        """Return what its clocks say of the last run, which must have come to its end."""
