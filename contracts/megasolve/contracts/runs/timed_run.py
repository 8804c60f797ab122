"""Timed runs: what one candidate took once, end to end or in one of its groups."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.base import Place
from .unusable import RunFault


@dataclass(frozen=True, slots=True)
class TimedRun:
    """One time of *candidate* at *batch*. Runs of one *block* ran side by side in time, so that they may be compared one with another.

    With a *group* it is the time of that group in the run, else that of the whole. *entries* are those of each region, joined by ``+``;
    None where the file does not say them. *is_published* marks times of somebody else.
    """

    candidate: str
    batch: int
    block: str
    run: str
    time_ps: int
    place: Place
    group: str | None = None
    entries: tuple[str, ...] | None = None
    device: str | None = None
    precision: str | None = None
    is_published: bool = False


@dataclass(frozen=True, slots=True)
class UnqualifiedRun:
    """A candidate that was run and has no time, and why."""

    candidate: str
    batch: int
    because: str


@dataclass(frozen=True, slots=True)
class TimedRuns:
    """What measured files hold: every run, those that did not qualify, what was left out of them, and what is wrong with the rest."""

    runs: tuple[TimedRun, ...] = ()
    unqualified: tuple[UnqualifiedRun, ...] = ()
    notes: tuple[str, ...] = ()
    objectives: frozenset[str] = frozenset()
    faults: tuple[RunFault, ...] = ()
