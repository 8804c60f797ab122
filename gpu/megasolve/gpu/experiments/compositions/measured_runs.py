"""From what a session answers to the runs of a measured file."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from megasolve.contracts import MeasuredComposition, MeasuredCoRun, MeasuredRun, Provenance, Spec
from megasolve.simulate.plan.runnable import RunnableCandidate

from ...compile.manifest import sources_sha256
from ...driver import DeviceFacts
from ...harness.files.figures import exact_us, relative
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
        if candidate.id in failed:
            yield measured_run(about, composition=_composition(candidate), because=failed[candidate.id].because)
        else:
            found = took[candidate.id]
            yield measured_run(about, composition=_composition(candidate, found), relative_l2=found.relative_l2, notes=found.notes)


def measured_run(
    about: RunCircumstances,
    *,
    composition: MeasuredComposition | None = None,
    co_run: MeasuredCoRun | None = None,
    because: str | None = None,
    relative_l2: float | None = None,
    notes: tuple[str, ...] = (),
) -> MeasuredRun:
    """Return a run of a composition or a co-run, which qualified unless *because* says why not, under all that is known of the session."""
    values = {
        "session": about.session,
        "batch": about.batch,
        "precision": about.spec.precision,
        "device": about.device,
        "qualified": because is None,
        **({} if because is None else {"because": because}),
        **({} if composition is None else {"composition": composition}),
        **({} if co_run is None else {"co_run": co_run}),
        **({} if relative_l2 is None else {"relative_l2": relative(relative_l2)}),
        **({"notes": notes} if notes else {}),
        # What is not known is left out above, and never null.
        "provenance": _provenance(about),
    }
    # By alias, as in a file: samples are handed over in microseconds and held in picoseconds.
    return MeasuredRun.model_validate(values, by_alias=True, by_name=False)


def _composition(candidate: RunnableCandidate, took: CandidateTimes | None = None) -> MeasuredComposition:
    values = {
        "candidate": candidate.id,
        "entries": candidate.entries,
        **({} if took is None else {"samples_us": tuple(map(exact_us, took.samples_us)), "places": took.places}),
    }
    return MeasuredComposition.model_validate(values, by_alias=True, by_name=False)


def _provenance(about: RunCircumstances) -> Provenance:
    facts = about.facts
    values = {
        "kind": "measured",
        "source": f"megasolve measure on {about.device if facts is None else facts.name}",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "tool": about.tool,
        **({} if facts is None else {"device_sms": facts.sms, "versions": dict(about.versions)}),
        "source_sha256": sources_sha256(),
        **({"fake": True} if about.fake else {}),
    }
    return Provenance.model_validate(values)
