"""What the child of a session is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter

from megasolve.simulate.plan.runnable import RunnableCandidate

from ...driver import DeviceFacts
from ...harness.counts import Counts


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """Candidates to qualify and to time in *blocks*, each of which runs every one of them once.

    *device* is the device file or name to plan for, None for the spec's own; *root* widens its project; *ordinal* is the number of the GPU;
    *seed* draws inputs and orders.
    """

    spec: str
    device: str | None
    ordinal: int
    batch: int
    candidates: tuple[RunnableCandidate, ...]
    blocks: int
    counts: Counts
    seed: int
    root: str | None = None


@dataclass(frozen=True, slots=True)
class CandidateTimes:
    """A candidate that qualified: one sample from each block, and as which of its block (from 1) it was taken."""

    candidate: str
    samples_us: tuple[float, ...]
    places: tuple[int, ...]
    relative_l2: float
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CandidateFailure:
    """A candidate that has no times, and why in one line. If it *ends_session*, nothing is known of the others."""

    candidate: str
    because: str
    ends_session: bool = False


@dataclass(frozen=True, slots=True)
class SessionResult:
    """The answer of a child."""

    device: DeviceFacts
    versions: Mapping[str, str]
    times: tuple[CandidateTimes, ...] = ()
    failures: tuple[CandidateFailure, ...] = ()


SESSION_REQUEST, SESSION_RESULT = TypeAdapter(SessionRequest), TypeAdapter(SessionResult)
"""How the request goes to a child, and the result comes back, as values of JSON."""
