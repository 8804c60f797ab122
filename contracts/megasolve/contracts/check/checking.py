"""Checking: every rule over every file, each file once, everything found in one report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..files.collected import Collected, IgnoredFinding
from ..files.disk.existence import is_folder
from ..files.disk.no_evidence import REFUSED_SAMPLES
from ..files.disk.project import Project, project_in
from ..files.documents import Document
from ..files.library import Library
from ..files.study import Gathering, Study, find_device, gather, is_spec
from ..files.tally import Further
from ..model.base import UNKNOWN
from ..model.compiled import Compiled
from ..model.contract import Assumptions, Contract
from ..model.device import Device
from ..model.errors import CheckFailed, UnreadableFile
from ..model.findings import Fault, Finding, Severity
from ..model.measured import Measured
from ..model.record import Records
from ..model.rules import Subject
from ..model.spec import Spec
from .comparison import compare
from .ignoring import Ignoring, is_blocking
from .registry import checks_on, every_rule
from .standing import before_unknown, with_one_entry_each, with_one_part_each
from .subjects import ASSUMED, COMPILED, CONTRACT, DEVICE, LAUNCH, MEASURED, RECORDS, SPEC, STUDY, Placed
from .unmeasured import Unmeasured, unmeasured

SUFFIXES = (".yaml", ".yml", ".jsonl")

_SUBJECTS: dict[type, Subject[[Any], Fault]] = {
    Assumptions: ASSUMED,
    Compiled: COMPILED,
    Contract: CONTRACT,
    Device: DEVICE,
    Measured: MEASURED,
    Records: RECORDS,
    Spec: SPEC,
}


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found, by file, line, column and code, equal findings of a file as one, how many files it read, and which it could not.

    *further* counts the findings beyond the first 1,000, by rule and severity. *unmeasured* has the specs in which plans derive times from
    programs, because nobody recorded them; that is no fault. *files* are all that were read or named, profiles of specs among them.
    *ignored* are the findings that files ask to be left out, with their reasons.
    """

    findings: tuple[Finding, ...]
    files_checked: int
    unreadable: tuple[UnreadableFile, ...] = ()
    unmeasured: tuple[Unmeasured, ...] = ()
    further: Further = field(default_factory=dict)
    files: tuple[str, ...] = ()
    ignored: tuple[IgnoredFinding, ...] = ()

    def count(self, severity: Severity) -> int:
        """Return how many findings of *severity* there are, listed or not."""
        listed = sum(finding.count for finding in self.findings if finding.severity is severity)
        return listed + sum(number for (_, of), number in self.further.items() if of is severity)


class CheckIncomplete(UnreadableFile):
    """Some files of a check could not be read: each has a line of its own, *report* has what was found in all others."""

    def __init__(self, report: CheckReport) -> None:
        first, *others = report.unreadable
        super().__init__(first.path, "\n".join((first.reason, *map(str, others))))
        self.report = report


def check_spec(
    path: str | os.PathLike[str],
    device: str | None = None,
    *,
    text: str | None = None,
    allow_simulated_hardware: bool = False,
    root: str | os.PathLike[str] | None = None,
) -> tuple[Study, tuple[Finding, ...]]:
    """Return the study as `load_spec` does, checked by the rules, and the findings that do not block it.

    Those are warnings, and what its device cannot run.

    Raises
    ------
    CheckFailed
        The files have findings that make them unusable; all findings are in it.
    UnreadableFile
        As CheckIncomplete, with all findings: a file is missing, empty, a folder, a pipe or a device, binary, not UTF-8, not
        permitted, or too large.
    UnknownDevice
        No device has the name *device*.
    OutsideRoot
        The spec is not below *root*.
    """
    library = Library() if text is None else Library({os.fspath(path): text})
    gathering = gather(library, os.fspath(path), device, root)
    ignoring = Ignoring((*library.documents, *library.standing))
    collected = _collected(library, [gathering], ignoring)
    if library.unreadable:
        raise CheckIncomplete(_report(library, collected))
    collected.take_faults(_without_effect(ignoring, [gathering], is_compared=False))
    listing = collected.listed()
    findings, further = listing.findings, listing.further
    if allow_simulated_hardware:
        from .rules.record.records import fake_measurement

        findings = tuple(finding for finding in findings if finding.rule != fake_measurement)
        further = {key: number for key, number in further.items() if key[0] != fake_measurement}
    kinds = {(finding.rule, finding.severity) for finding in findings} | further.keys()
    if gathering.study is None or not gathering.is_complete or any(is_blocking(*kind) for kind in kinds):
        raise CheckFailed(findings, further)
    return replace(gathering.study, is_checked=True, allows_simulated_hardware=allow_simulated_hardware), findings


def checked(study: Study) -> Study:
    """Return *study* once the rules have found nothing in what it holds, whatever its files say, that makes it unusable.

    Raises
    ------
    CheckFailed
        They have.
    """
    if study.is_checked:
        return study
    blocking = [one for one in _faults_of(study).listed().findings if is_blocking(one.rule, one.severity)]
    if study.allows_simulated_hardware:
        from .rules.record.records import fake_measurement

        blocking = [one for one in blocking if one.rule != fake_measurement]
    if blocking:
        raise CheckFailed(blocking)
    return replace(study, is_checked=True)


def _faults_of(study: Study) -> Collected:
    collected = Collected()
    for document in study.documents:
        for check in checks_on(_SUBJECTS[type(document.value)]):
            collected.take_faults((document, fault) for fault in check(document.value))
    for faults in _study_faults(Gathering(study, (), is_complete=True)):
        collected.take_faults(faults)
    return collected


def check_paths(
    paths: Iterable[str | os.PathLike[str]],
    device: str | None = None,
    *,
    profiles: Iterable[str | os.PathLike[str]] = (),
    root: str | os.PathLike[str] | None = None,
    texts: Mapping[str, str] | None = None,
) -> CheckReport:
    """Check files and folders. A spec brings in every file that it names and is checked together with them.

    A folder is searched for ``*.yaml``, ``*.yml`` and ``*.jsonl``, hidden names and what is beside evidence aside; a file in it that
    names no kind and looks like none of ours is a warning, and a link in it is followed as in a spec. A contract that no spec reaches
    is checked alone, on *device* where one is given. The contracts and records of a spec are compared with *profiles*, or else with
    those that it names. *root* widens where names and links may lead, see `load_spec`. *texts* stand in for the files of those names.

    Raises
    ------
    UnreadableFile
        As CheckIncomplete, with all findings: a path is missing, a folder holds no such file, or something cannot be read.
    UnknownDevice
        No device has the name *device*.
    OutsideRoot
        A spec or a folder is not below *root*.
    """
    library = Library(texts)
    named, searched = _files(library, [os.fspath(path) for path in paths], root)
    readings = [library.reading(file, is_searched=file not in named) for file in sorted(named | searched)]
    specs = dict.fromkeys(reading.file for reading in readings if reading is not None and is_spec(reading))
    gatherings = [gather(library, file, device, root) for file in specs]
    compared = compare(library, gatherings, [os.fspath(profile) for profile in profiles])
    alone_on = None if device is None else find_device(library, device)
    ignoring = Ignoring((*library.documents, *library.standing))
    collected = _collected(library, gatherings, ignoring)
    if alone_on is not None:
        collected.take_faults(_alone_on_device(library, gatherings, alone_on.value), may_repeat=True)
    collected.take_faults(compared, may_repeat=len(gatherings) > 1)
    if library.unreadable:
        raise CheckIncomplete(_report(library, collected))
    collected.take_faults(_without_effect(ignoring, gatherings, is_compared=bool(library.beside)))
    return replace(_report(library, collected), unmeasured=tuple(_unmeasured(gatherings)))


def _unmeasured(gatherings: Iterable[Gathering]) -> Iterator[Unmeasured]:
    for gathering in gatherings:
        found = unmeasured(gathering.study) if gathering.study is not None and gathering.is_complete else None
        if found is not None:
            yield found


def _report(library: Library, collected: Collected) -> CheckReport:
    listing = collected.listed()
    unreadable = tuple(sorted(library.unreadable, key=str))
    files = library.files
    return CheckReport(listing.findings, library.files_read, unreadable, further=listing.further, files=files, ignored=listing.ignored)


def _without_effect(ignoring: Ignoring, gatherings: list[Gathering], *, is_compared: bool) -> Iterator[Placed]:
    """Yield what files ask to be left out, and is not found or not to be left out."""
    yield from ignoring.faults(every_rule, {file for gathering in gatherings for file in _files_of(gathering)}, is_compared=is_compared)


def _files_of(gathering: Gathering) -> Iterator[str]:
    """Yield the files that every rule has looked at."""
    if (study := gathering.study) is not None and gathering.is_complete:
        yield from (document.file for document in study.documents)


def _collected(library: Library, gatherings: list[Gathering], ignoring: Ignoring) -> Collected:
    collected = Collected(ignoring)
    collected.take(library.findings, library.further)
    for document in library.documents:
        for check in checks_on(_SUBJECTS[type(document.value)]):
            collected.take_faults((document, fault) for fault in check(document.value))
    for document in library.standing:
        for check in checks_on(_SUBJECTS[type(document.value)]):
            for value in with_one_entry_each(document.value):
                collected.take_faults(((document, fault) for fault in before_unknown(check(value))), may_repeat=True)
    for gathering in gatherings:
        collected.take(gathering.findings)
        collected.take_faults(_limit_faults(gathering), may_repeat=len(gatherings) > 1)
        for faults in _study_faults(gathering):
            collected.take_faults(faults, may_repeat=len(gatherings) > 1 or not gathering.is_complete)
    return collected


def _files(library: Library, paths: list[str], root: str | os.PathLike[str] | None) -> tuple[set[str], set[str]]:
    """Return the files named by *paths*, and those that a search of the folders among them finds."""
    folders = [path for path in paths if is_folder(path)]
    searched: set[str] = set()
    for folder in dict.fromkeys(folders):
        refused: list[UnreadableFile] = []
        found = set(_walk(folder, project_in(folder, root), refused))
        if not found and not refused:
            refused.append(UnreadableFile(folder, f"holds no file to check ({', '.join('*' + suffix for suffix in SUFFIXES)})"))
        library.unreadable.extend(refused)
        searched |= found
    return set(paths) - set(folders), searched


def _walk(folder: str, project: Project, refused: list[UnreadableFile]) -> Iterator[str]:
    def refuse(error: OSError) -> None:
        reason = "no permission to list it" if isinstance(error, PermissionError) else f"cannot be listed: {error.strerror or error}"
        refused.append(UnreadableFile(str(error.filename), reason))

    for above, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(above, name) for name in names if _is_searched(name)):
            if path.is_symlink() and (because := project.why_not_at(path)):
                refused.append(UnreadableFile(str(path), f"is a link that {because}"))
            else:
                yield str(path)


def _is_searched(name: str) -> bool:
    return name.endswith(SUFFIXES) and not name.startswith(".") and name != REFUSED_SAMPLES


def _limit_faults(gathering: Gathering) -> Iterator[Placed]:
    if (study := gathering.study) is not None and study.device is not UNKNOWN:
        for contract in _known(study.contracts):
            faults = _device_faults(contract, study.device.value)
            yield from faults if gathering.is_complete else before_unknown(faults)


def _known(contracts: Iterable[Document[Contract]]) -> Iterator[Document[Contract]]:
    return (contract for contract in contracts if contract is not UNKNOWN)


def _study_faults(gathering: Gathering) -> Iterator[Iterator[Placed]]:
    """Yield what is wrong with a study, of one that is not complete with what stands of it."""
    if (study := gathering.study) is None:
        return
    for check in checks_on(STUDY):
        if gathering.is_complete:
            yield check(study)
        else:
            yield from (before_unknown(check(other)) for other in (study, *with_one_part_each(study)))


def _alone_on_device(library: Library, gatherings: list[Gathering], device: Device) -> Iterator[Placed]:
    studies = [gathering.study for gathering in gatherings if gathering.study is not None]
    reached = {contract.file for study in studies for contract in _known(study.all_contracts)}
    for document in library.documents:
        if isinstance(document.value, Contract) and document.file not in reached:
            yield from _device_faults(document, device)
    for document in library.standing:
        if isinstance(document.value, Contract) and document.file not in reached:
            yield from before_unknown(_device_faults(document, device))


def _device_faults(contract: Document[Contract], device: Device) -> Iterator[Placed]:
    # What was built for other devices is never launched on this one.
    for check in checks_on(LAUNCH) if contract.value.is_built_for(device.name) else ():
        for fault in check(contract.value, device):
            yield contract, fault
