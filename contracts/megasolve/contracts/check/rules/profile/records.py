"""Rules for records beside the profiles that they claim: the file is still that one, and it shows that time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ....files.documents import Document
from ....files.study import Study
from ....model.findings import Fault
from ....model.record import Record
from ....model.rules import RuleKind, rule
from ....model.wording import counted
from ...subjects import PROFILED, Placed
from ..wording import microseconds
from .profiles import profile_refused

if TYPE_CHECKING:
    from ....observe.profiled import Profiled
    from ....profiles.execution import Execution
    from ....scaffold.looping import Looping
    from ....scaffold.timings import Timing


# Samples are whole picoseconds, and those of several launches or calls may have been rounded one by one.
_ROUNDING = 1_000_000


@rule("PRF-06", "record-not-of-profile", "A record has the time that its profile shows.", RuleKind.PROFILE, on=PROFILED)
def record_not_of_profile(study: Study, profiled: Profiled) -> Iterator[Placed]:
    """A record that was edited, or taken from other steps, is no longer what ran."""
    for execution in profiled.executions:
        claiming = [claim for claim in _claims(study, execution) if claim[2].provenance.profile_sha256 in (None, execution.sha256)]
        if claiming:
            yield from _compared(study, execution, claiming)


@rule("PRF-07", "profile-changed", "A record carries the hash of its profile as it is now.", RuleKind.PROFILE, on=PROFILED)
def profile_changed(study: Study, profiled: Profiled) -> Iterator[Placed]:
    """A profile of the same name with other content is another run."""
    known = {execution.sha256 for execution in profiled.executions}
    for execution in profiled.executions:
        for file, index, record in _claims(study, execution):
            claimed = record.provenance.profile_sha256
            if claimed is not None and claimed not in known:
                message = (
                    f"'{record.provenance.source}' has the hash {execution.sha256[:12]}..., the record says {claimed[:12]}...; "
                    "import the profile again, or name the one that the record is from"
                )
                yield file, Fault(profile_changed, ("records", index, "provenance", "profile_sha256"), message)


def _compared(study: Study, execution: Execution, claiming: list[tuple[Document[Any], int, Record]]) -> Iterator[Placed]:
    from ....profiles.errors import ProfileRefused

    try:
        shown = _timings(study, execution)
    except ProfileRefused as refused:
        yield study.spec, Fault(profile_refused, ("attribution",), f"{refused}; no record was compared with it")
        return
    loops = {one.contract.entry: str(one) for one in _loops(study, execution)}
    for file, index, record in claiming:
        timing = next((shown[key] for key in _keys(record) if key in shown), None)
        looped = next((loops[entry] for entry in record.entries if entry in loops), "")
        if message := _unlike(record, timing, looped):
            key = "duration_us" if record.duration_ps is not None else "samples_us"
            yield file, Fault(record_not_of_profile, ("records", index, key), message)


def _claims(study: Study, execution: Execution) -> Iterator[tuple[Document[Any], int, Record]]:
    """Yield the profiled records that name the file of *execution* as their source."""
    name = PurePath(execution.file).name
    for file in study.records:
        for index, record in enumerate(file.value.records):
            if record.provenance.kind == "profiled" and record.provenance.source == name:
                yield file, index, record


def _timings(study: Study, execution: Execution) -> Mapping[tuple[str, str, int], Timing]:
    from ....observe.observe import observe
    from ....scaffold.asking import declared_attribution
    from ....scaffold.timings import timings

    spec, contracts = study.spec.value, tuple(contract.value for contract in study.contracts)
    observation = observe((execution,), declared_attribution(spec, contracts))
    observation.refuse_unfit()
    calls = {group.name: group.calls for group in spec.groups}
    found, _ = timings(observation, contracts, calls, study.device.value.usable_sms)
    return {(timing.contract.entry, timing.group, timing.budget_ctas): timing for timing in found}


def _loops(study: Study, execution: Execution) -> Sequence[Looping]:
    from ....scaffold.asking import declared_attribution
    from ....scaffold.looping import looping

    contracts = tuple(contract.value for contract in study.contracts)
    return looping(execution, contracts, declared_attribution(study.spec.value, contracts).steps)


def _keys(record: Record) -> Iterator[tuple[str, str, int]]:
    return ((entry, record.group, record.budget_ctas) for entry in record.entries)


def _unlike(record: Record, timing: Timing | None, looped: str) -> str:
    """Return in what *record* is not what its profile shows, or nothing; *looped* says why an entry that loops has no time there."""
    profile, entry = record.provenance.source, record.entries[0]
    if timing is None and looped:
        return f"{profile} shows no time of one step: {looped}"
    if timing is None:
        return f"{profile} shows no time of '{entry}' for group '{record.group}'; correct the attribution, or the source of the record"
    shown = record.model_copy(update={"duration_ps": None, "samples_ps": timing.samples_ps})
    if abs(shown.time_ps - record.time_ps) <= _tolerance_ps(record, shown.time_ps, timing):
        return ""
    spread = f"{microseconds(min(timing.samples_ps))} to {microseconds(max(timing.samples_ps))}"
    return (
        f"{profile} shows {microseconds(shown.time_ps)} for '{entry}' ({counted(len(timing.samples_ps), 'sample')}, {spread}), "
        f"the record says {microseconds(record.time_ps)}; import the profile again"
    )


def _tolerance_ps(record: Record, shown_ps: int, timing: Timing) -> int:
    """Return by how much the record may be off: what it states, or what the samples themselves differ by, and never less than rounding."""
    stated = int((record.accuracy or 0) * shown_ps)
    spread = max(timing.samples_ps) - min(timing.samples_ps)
    return max(stated, spread, shown_ps // _ROUNDING, timing.contract.kernels)
