"""Launches that never end by themselves: one of the workload, or CTAs that wait for one that never comes."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from megasolve.contracts import Contract

from ...harness.launching.buffers import Memories
from ...harness.launching.kernels import load_kernels
from ...harness.launching.run_arrays import RunArrays
from ...harness.launching.stated import StatedLaunches
from ...harness.session import Session
from ...workloads.calls import StatedCall
from ...workloads.guarded_workload import GuardedWorkload
from ..co_runs.meeting import Meeting
from ..co_runs.persistent_side import PersistentSide


class Stuck(Protocol):
    """A launch that never ends by itself."""

    def launch(self, wait_ns: int) -> None:
        """Queue it on the stream of the session, with this limit to each of its waits."""

    def gave_up(self, reason: int) -> tuple[bool, str | None]:
        """Return whether it gave up for *reason* in a wait of its own, and what it said."""


def stuck_launch(session: Session, workload: GuardedWorkload, contract: Contract, ctas: int, seed: int) -> Stuck:
    """Return the stuck launch of *workload* for the entry of *contract* on *ctas* CTAs; without one CTAs of the entry that never meet."""
    stated = workload.stuck(session.study, session.batch, contract, ctas)
    if stated is None:
        return _NeverMeeting(session, contract, ctas)
    # No call is run to its end, so nothing is computed of what the arrays hold.
    arrays = RunArrays(session, workload, (), seed).memories if workload.composes else {}
    return _OfWorkload(session, stated, contract, arrays)


class _OfWorkload:
    """The launch that a workload states."""

    def __init__(self, session: Session, stated: StatedCall, contract: Contract, arrays: Memories) -> None:
        self._session, self._stated = session, stated
        self._launches = StatedLaunches(session, {contract.entry: load_kernels(session, contract)}, stated.launches, [arrays])

    def launch(self, wait_ns: int) -> None:
        """Queue it."""
        session, counts = self._session, self._session.counts
        # The limit is an argument, packed when a launch is made, so it need not stand longer than that.
        session.counts = replace(counts, kernel_wait_ns=wait_ns)
        made = self._launches.calls(1)
        (launch,) = made.launches
        session.counts = counts
        session.words.clear()
        made.reset()
        session.finish("a reset")
        launch.on(session.stream)

    def gave_up(self, reason: int) -> tuple[bool, str | None]:
        """Return what its diagnosis says."""
        words = self._session.words.diagnosis_words()
        return self._stated.gave_up(words, reason), self._stated.complaint(words)


class _NeverMeeting:
    """CTAs of an entry that wait for one more than there is."""

    def __init__(self, session: Session, contract: Contract, ctas: int) -> None:
        self._session, self._meeting = session, Meeting(session)
        self._side = PersistentSide(session, session.stream, contract, None, ctas=ctas, between=self._meeting.between, cooperative=True)

    def launch(self, wait_ns: int) -> None:
        """Queue it."""
        session, counts = self._session, self._session.counts
        session.counts = replace(counts, kernel_wait_ns=wait_ns)
        start = self._side.prepared(0, self._side.ctas + 1, until_flag=False)
        session.counts = counts
        session.words.clear()
        self._meeting.between.reset()
        self._side.reset()
        session.finish("a reset")
        start()

    def gave_up(self, reason: int) -> tuple[bool, str | None]:
        """Return what the meeting says."""
        said = self._side.waited()
        return said.reason == reason and said.cta < self._side.ctas and said.seen < said.wanted, said.text() if said.reason else None
