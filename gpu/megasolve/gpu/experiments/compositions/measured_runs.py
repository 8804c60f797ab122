"""From what a session answers to the runs of a measured file."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from megasolve.contracts import MeasuredRun, Spec

from ...compile.manifest import sources_sha256
from ...driver import DeviceFacts
from .candidates import RunnableCandidate
from .request import CandidateFailure, CandidateTimes


@dataclass(frozen=True, slots=True)
class RunCircumstances:
    """What all runs of a session share. *device* is the name of the planned device, *tool* this program with its version.

    *facts* and *versions* are what a child told of the device; none where every child died. *fake* says that a stand-in plays it.
    """

    spec: Spec
    device: str
    batch: int
    session: str
    tool: str
    fake: bool
    facts: DeviceFacts | None = None
    versions: Mapping[str, str] = field(default_factory=dict)


def session_name() -> str:
    """Return a name for a session that begins now, in universal time."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def composition_runs(
    candidates: Sequence[RunnableCandidate], times: Iterable[CandidateTimes], failures: Iterable[CandidateFailure], about: RunCircumstances
) -> Iterator[MeasuredRun]:
    """Yield the run of each of *candidates*, in their order: every one has *times* or failed."""
    took = {one.candidate: one for one in times}
    failed = {one.candidate: one for one in failures}
    for candidate in candidates:
        subject = {"candidate": candidate.id, "entries": tuple(region.entries for region in candidate.regions)}
        if candidate.id in failed:
            ran = {"qualified": False, "because": failed[candidate.id].because, "composition": subject}
        else:
            ran = _timed(subject, took[candidate.id])
        yield measured_run(about, ran)


def measured_run(about: RunCircumstances, ran: Mapping[str, Any]) -> MeasuredRun:
    """Return a run of what *ran* says, under all that is known of the session."""
    values = {
        "session": about.session,
        "batch": about.batch,
        "precision": about.spec.precision,
        "device": about.device,
        **ran,
        "provenance": _provenance(about),
    }
    return MeasuredRun.model_validate(values, by_alias=True, by_name=False)


def _timed(subject: Mapping[str, Any], took: CandidateTimes) -> dict[str, Any]:
    return {
        "qualified": True,
        "composition": {**subject, "samples_us": tuple(map(exact_us, took.samples_us)), "places": took.places},
        "relative_l2": relative(took.relative_l2),
        **({"notes": took.notes} if took.notes else {}),
    }


def _provenance(about: RunCircumstances) -> dict[str, Any]:
    facts = about.facts
    return {
        "kind": "measured",
        "source": f"megasolve measure on {about.device if facts is None else facts.name}",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "tool": about.tool,
        **({} if facts is None else {"device_sms": facts.sms, "versions": dict(about.versions)}),
        "source_sha256": sources_sha256(),
        **({"fake": True} if about.fake else {}),
    }


def exact_us(us: float) -> Decimal:
    """Return a time in whole picoseconds, as files state it."""
    return Decimal(round(us * 1e6)).scaleb(-6)


def relative(value: float) -> Decimal:
    """Return a relative figure with three digits, at most 1."""
    return Decimal(f"{min(value, 1.0):.3g}")
