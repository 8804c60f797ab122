"""What the child of a session is asked, and what it answers, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ...driver import DeviceFacts
from ...harness.counts import Counts
from .candidates import RunnableCandidate, candidate_from


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

    def as_json(self) -> dict[str, Any]:
        """Return the request as values of JSON."""
        return asdict(self)


def request_from(values: Mapping[str, Any]) -> SessionRequest:
    """Return what `as_json` wrote."""
    candidates = tuple(candidate_from(one) for one in values["candidates"])
    return SessionRequest(**{**values, "candidates": candidates, "counts": Counts(**values["counts"])})


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

    def as_json(self) -> dict[str, Any]:
        """Return the result as values of JSON."""
        return asdict(self)


def result_from(values: Mapping[str, Any]) -> SessionResult:
    """Return what `as_json` wrote."""
    return SessionResult(
        device=DeviceFacts(**values["device"]),
        versions=values["versions"],
        times=tuple(
            CandidateTimes(**{**one, **{key: tuple(one[key]) for key in ("samples_us", "places", "notes")}}) for one in values["times"]
        ),
        failures=tuple(CandidateFailure(**one) for one in values["failures"]),
    )
