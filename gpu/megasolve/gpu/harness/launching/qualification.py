"""Qualification: before a design is timed, it computes what the reference does, from fresh inputs, and counts as it should."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...driver import DriverLaunch
from ...errors import GpuError
from ...workloads.streamlet.trials import Trial, differences, largest_distance
from ..session import Session
from .persistent import PersistentLaunches

_MOST_NAMED = 3


class Disqualified(GpuError):
    """A design that does not compute what it should, so that its time would say nothing."""


def qualify_persistent(session: Session, launches: PersistentLaunches, trial: Trial, what: str) -> float:
    """Run the first of *launches* on *trial* and return how far it is from the reference (relative L2).

    Raises
    ------
    Disqualified
        It gave up, a value is too far from the reference or was never written, a token differs, or a counter is not exact.
    """
    launches.reset(session)
    distance = _qualify(session, launches.launches[:1], trial, what, launches)
    program = launches.program
    wanted = np.bincount(program.signals, minlength=program.counters)[: program.counters]
    wrong = np.flatnonzero(launches.counters() != wanted)
    if len(wrong):
        counter = int(wrong[0])
        raise Disqualified(
            f"{what}: {len(wrong)} of {program.counters} counters are wrong: counter {counter} is {launches.counters()[counter]},"
            f" and its program signals it {wanted[counter]} times"
        )
    return distance


def qualify_kernels(session: Session, launches: Sequence[DriverLaunch], trial: Trial, what: str) -> float:
    """Run conventional *launches* on *trial* and return how far they are from the reference (relative L2).

    Raises
    ------
    Disqualified
        A value is too far from the reference or was never written, or a token differs.
    """
    return _qualify(session, launches, trial, what, None)


def _qualify(session: Session, launches: Sequence[DriverLaunch], trial: Trial, what: str, persistent: PersistentLaunches | None) -> float:
    session.arenas[0].upload(trial.before)
    session.words.clear()
    # The stream does not wait for copies.
    session.context.synchronize()
    for launch in launches:
        launch.on(session.stream)
    session.finish(what)
    if persistent is not None and (complaint := session.words.complaint(persistent.program)):
        raise Disqualified(f"{what} {complaint}")
    found = session.arenas[0].download(trial.before)
    wrong = differences(found, trial.expected)
    if wrong:
        more = f"; and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
        raise Disqualified(f"{what} disagrees with the reference: {'; '.join(map(str, wrong[:_MOST_NAMED]))}{more}")
    return largest_distance(found, trial.expected)
