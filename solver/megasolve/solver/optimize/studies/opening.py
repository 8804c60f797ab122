"""Opening a spec: its files are read and judged once, and go to whoever plans one of its batches."""

from __future__ import annotations

from dataclasses import dataclass

from megasolve.contracts import (
    CheckFailed,
    CheckIncomplete,
    Document,
    Finding,
    Input,
    MegasolveError,
    Severity,
    Study,
    asked_batches,
    check_spec,
    inputs_of,
)
from megasolve.contracts.check.assumed import unknown_fusions
from megasolve.contracts.fields.path import UnusableField
from megasolve.contracts.fields.setting import parse_setting, with_settings
from megasolve.contracts.files.stamp import hash_of_file
from megasolve.contracts.model.contract import Assumptions

from ...assuming.expanded import with_assumed_file
from ...assuming.measured import first_assumed, measured_of
from ...pool.shared import Shared
from .asked import AskedStudies, StudyFailure


@dataclass(frozen=True, slots=True)
class SpecTask:
    """A spec that is to be opened, and what is asked of it."""

    file: str
    asked: AskedStudies


@dataclass(frozen=True, slots=True)
class Opened:
    """A spec that was opened: its *study*, the files that it was read from and its batches, each with its key; or the *failure* to."""

    study: Shared[Study] | None = None
    inputs: tuple[Input, ...] = ()
    batches: tuple[tuple[int, str], ...] = ()
    failure: StudyFailure | None = None
    warnings: tuple[Finding | str, ...] = ()


def opened(task: SpecTask) -> Opened:
    """Open a spec; whatever is wrong with it is said in what is returned."""
    asked = task.asked
    try:
        study, findings = check_spec(
            task.file, device=asked.device, allow_simulated_hardware=asked.allow_simulated_hardware, root=asked.root
        )
        study, warnings = _asked_of(study, asked)
        inputs = (*inputs_of(study), *(Input(one, hash_of_file(one)) for one in ([asked.assumed.file] if asked.assumed else [])))
        batches = asked_batches(study.spec.value, asked.batches or None)
    except CheckFailed as failed:
        return Opened(failure=_profile(task.file) or _unusable(task.file, failed))
    except CheckIncomplete as incomplete:
        return Opened(
            failure=_profile(task.file) or StudyFailure("; ".join(map(str, incomplete.report.unreadable)), incomplete.report.findings)
        )
    except UnusableField as unusable:
        return Opened(failure=StudyFailure(f"{task.file}: --set {unusable}"))
    except MegasolveError as error:
        return Opened(failure=StudyFailure(named(task.file, error)))
    except Exception as error:  # noqa: BLE001 - one spec never stops the others
        return Opened(failure=fault(task.file, error))
    found = tuple(one for one in findings if one.severity is Severity.WARNING)
    keys = tuple((batch, asked.key(inputs, batch)) for batch in batches)
    return Opened(Shared(study), inputs, keys, None, (*found, *warnings))


def named(file: str, error: MegasolveError) -> str:
    """Return what is wrong, behind the name of the spec that it is wrong with."""
    text = " ".join(str(error).split())
    return text if text.startswith(file) else f"{file}: {text}"


def fault(file: str, error: Exception) -> StudyFailure:
    """Return the failure of megasolve itself at *file*."""
    return StudyFailure(f"{file}: internal error, please report it ({type(error).__name__}: {' '.join(str(error).split())})", is_fault=True)


def _asked_of(study: Study, asked: AskedStudies) -> tuple[Study, tuple[str, ...]]:
    """Return *study* with other values and with what is assumed, and what to know of the latter."""
    if asked.settings:
        study = with_settings(study, list(map(parse_setting, asked.settings)))
    if asked.measured_only:
        if place := first_assumed(study):
            raise _Assumed(f"{place}: is assumed, and --measured-only asks for what was measured alone")
        return measured_of(study), ()
    if asked.assumed is None:
        return study, ()
    return with_assumed_file(study, asked.assumed), tuple(_unknown(study, asked.assumed))


class _Assumed(MegasolveError):
    """Something is assumed where only what was measured is wanted."""


def _unknown(study: Study, assumed: Document[Assumptions]) -> list[str]:
    return [
        f"{assumed.place(('assume', *path))}: warning: {message}"
        for path, message in unknown_fusions(study.spec.value, assumed.value.assume)
    ]


def _profile(file: str) -> StudyFailure | None:
    """Return what a file that is no spec is instead, where that is a profile: it is what people have at hand."""
    from megasolve.contracts.profiles import format_of

    kind = format_of(file)
    return None if kind is None else StudyFailure(f"{file} is a {kind.value}, no spec; megasolve new SPEC --from {file} makes one of it")


def _unusable(file: str, failed: CheckFailed) -> StudyFailure:
    errors = [one for one in failed.findings if one.severity is Severity.ERROR]
    count = len(errors) + sum(count for (_, severity), count in failed.further.items() if severity is Severity.ERROR)
    first = f"{errors[0]}" if errors else f"{failed}"
    more = f", the first of {count:,} findings; megasolve check {file} shows them" if count > 1 else ""
    return StudyFailure(f"{file}: cannot be used: {first}{more}", failed.findings)
