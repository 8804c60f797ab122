"""A study: one spec with its device, its contracts, records and tables of resources, each file read once."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from ..model.base import UNKNOWN, Frozen, NotKnown
from ..model.compiled import Compiled
from ..model.contract import Contract
from ..model.device import Device
from ..model.errors import CheckFailed, UnknownDevice
from ..model.findings import Fault, Finding
from ..model.measured import Measured
from ..model.record import Records
from ..model.rules import Rule
from ..model.spec import Spec
from ..model.wording import KeyPath, quoted, shown
from .collected import in_order
from .device_files import device_file, device_name_path, is_device_path, known_devices, nearest_device
from .disk.globs import Folders, Matched, OutsideProject, PatternRefused, has_magic, matching
from .disk.project import Project, project_of
from .documents import Document, Reading
from .library import Library
from .listed_sources import with_listed_hashes
from .rules import MATCHES_NOTHING, NO_SUCH_DEVICE, OUTSIDE_PROJECT, PATTERN_TOO_WIDE, WRONG_KIND
from .schema.kinds import KINDS, kind_of
from .schema.standing import is_known
from .settings import Setting

ModelT = TypeVar("ModelT", bound=Frozen)

_UNKNOWN_DEVICE: Document[Device] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Study:
    """A spec and everything that it names.

    *device* is the one to plan for; *other_devices* are the further ones that the spec names. *contracts* are the entries that exist on
    *device*, *elsewhere* those that were built for others only. *measured* are runs that stand beside predictions and enter no score.
    Contracts, records, what was *compiled* and what was *measured* are sorted by file name, so that nothing depends on the order of files
    or patterns. *root* is what its project was widened to, if it was. *settings* are the fields that have another value here than in their
    files. *is_checked* says that the rules have found nothing that makes it unusable; a study that was only read is checked before anything
    is planned from it. *allows_simulated_hardware* says that records of runs on a stand-in for the hardware may serve it as evidence.
    """

    spec: Document[Spec]
    device: Document[Device]
    contracts: tuple[Document[Contract], ...]
    records: tuple[Document[Records], ...]
    other_devices: tuple[Document[Device], ...] = ()
    compiled: tuple[Document[Compiled], ...] = ()
    root: str | None = None
    settings: tuple[Setting, ...] = ()
    elsewhere: tuple[Document[Contract], ...] = ()
    measured: tuple[Document[Measured], ...] = ()
    is_checked: bool = False
    allows_simulated_hardware: bool = False

    @property
    def documents(self) -> tuple[Document[Any], ...]:
        """Every file of the study, the spec first."""
        devices = (self.device, *self.other_devices)
        return (self.spec, *devices, *self.all_contracts, *self.records, *self.compiled, *self.measured)

    @property
    def all_contracts(self) -> tuple[Document[Contract], ...]:
        """The contracts of this device, then those of others."""
        return (*self.contracts, *self.elsewhere)

    @property
    def project(self) -> Project:
        """Where the names in the files of this study may lead."""
        return project_of(self.spec.file, self.root)

    @property
    def record_files(self) -> tuple[str, ...]:
        """The files that the patterns for records match now, read or not."""
        folder, project, folders = str(Path(self.spec.file).parent), self.project, Folders()
        return tuple(file for pattern in self.spec.value.records for file in matching(pattern, project, folder, folders).files)

    @property
    def is_on_own_device(self) -> bool:
        """Whether *device* is the one that the spec is written for, and not one that it was asked to be planned on."""
        own = device_file(self.spec.value.device, str(Path(self.spec.file).parent))
        return own is not None and os.path.realpath(own) == os.path.realpath(self.device.file)


@dataclass(frozen=True, slots=True)
class Gathering:
    """What a spec file leads to: the *study*, as far as its files are usable, and what is wrong with the names in it.

    Unless it is complete, UNKNOWN stands for what is not usable, inside of files and in place of them; no plan is made of such a study.
    """

    study: Study | None
    findings: tuple[Finding, ...]
    is_complete: bool


def load_spec(
    path: str | os.PathLike[str],
    device: str | None = None,
    *,
    text: str | None = None,
    allow_simulated_hardware: bool = False,
    root: str | os.PathLike[str] | None = None,
) -> Study:
    """Read the spec at *path* with every file that it names, and return the study that they make up.

    It holds what the files say, by the formats alone: the rules look at it when something is planned from it, or at once in `check_spec`.

    *device* plans for another device: a name, or the path of a device file. What a device cannot run (launch limits) does
    not block: it excludes candidates later. *text* is the spec itself where it comes from elsewhere than a file: *path* then
    only names it and says what its paths are relative to. With *allow_simulated_hardware*, records of runs on a stand-in for the
    hardware may serve as evidence; results then name them so. The files that the spec names lie in its project: below the nearest folder
    above it that holds `.git`, else below its own; *root* widens that.

    Raises
    ------
    CheckFailed
        A file is not what its format allows; all such findings are in it.
    UnreadableFile
        A file is missing, empty, a folder, a pipe or a device, binary, not UTF-8, not permitted, or too large. The first is named.
    UnknownDevice
        No device has the name *device*.
    OutsideRoot
        The spec is not below *root*.
    """
    library, gathering = _gathered(Library() if text is None else Library({os.fspath(path): text}), path, device, root)
    if gathering.study is None or not gathering.is_complete:
        raise CheckFailed(in_order((*library.findings, *gathering.findings)), library.further)
    return replace(gathering.study, allows_simulated_hardware=allow_simulated_hardware)


def load_study(
    spec_path: str | os.PathLike[str], device: str | None = None, *, root: str | os.PathLike[str] | None = None
) -> tuple[Study | None, tuple[Finding, ...]]:
    """Read the spec at *spec_path* and every file that it names: the study, if all of them are usable, and all findings.

    *device* chooses another device: by name among those that the spec names and the shipped ones, or by the path of its file. *root*
    widens where the names in the spec may lead.

    Raises
    ------
    UnreadableFile
        A file holds no text to check. The first such file is named.
    UnknownDevice
        No device has the name *device*.
    OutsideRoot
        The spec is not below *root*.
    """
    library, gathering = _gathered(Library(), spec_path, device, root)
    return gathering.study if gathering.is_complete else None, in_order((*library.findings, *gathering.findings))


def _gathered(
    library: Library, spec: str | os.PathLike[str], device: str | None, root: str | os.PathLike[str] | None
) -> tuple[Library, Gathering]:
    """Gather what *spec* names through *library*, and raise for the first file that holds no text."""
    gathering = gather(library, os.fspath(spec), device, root)
    if library.unreadable:
        raise library.unreadable[0]
    return library, gathering


def gather(library: Library, spec_file: str, device: str | None = None, root: str | os.PathLike[str] | None = None) -> Gathering:
    """Read through *library* the spec in *spec_file* and every file that it names.

    Where the spec itself is not usable, there is no study; the files that it names are read all the same.
    """
    reading = library.reading(spec_file)
    if reading is not None and is_spec(reading):
        return _Gatherer(library, reading, None if root is None else os.fspath(root)).gather(device)
    if reading is None or reading.document is None:
        return Gathering(None, (), is_complete=False)
    message = f"this is a {kind_of(type(reading.document.value))} file, not a spec"
    return Gathering(None, (reading.finding(Fault(WRONG_KIND, ("megasolve",), message)),), is_complete=False)


def is_spec(reading: Reading) -> bool:
    """Whether the file says that it is a spec, be it usable or not."""
    kind = reading.tree.get("megasolve") if isinstance(reading.tree, dict) else None
    return isinstance(kind, str) and KINDS.get(kind) is Spec


def find_device(library: Library, wanted: str, folder: str = ".") -> Document[Device] | None:
    """Read through *library* the device that a person asks for by path or by name; None where its file has findings.

    Raises
    ------
    UnknownDevice
        No device has this name, or the file is not a device file.
    """
    file = wanted if is_device_path(wanted) else device_file(wanted, folder)
    if file is None:
        raise UnknownDevice(f"unknown device {quoted(wanted)}; {nearest_device(wanted, known_devices(folder))}")
    document = library.read(file)
    if document is not None and not isinstance(document.value, Device):
        raise UnknownDevice(f"{file} is a {kind_of(type(document.value))} file, not a device")
    return document


def _is_named(device: Document[Device], name: str) -> bool:
    try:
        return device.value.name == name
    except NotKnown:
        return False


def _is_built_for(contract: Document[Contract], device: Document[Device]) -> bool | None:
    """Whether the entry exists on *device*; None where nobody knows."""
    try:
        return contract.value.devices is None or contract.value.is_built_for(device.value.name)
    except NotKnown:
        return None


def _on(fitting: Iterable[tuple[Document[Contract], bool | None]], *, is_here: bool) -> tuple[Document[Contract], ...]:
    """Return the contracts of one side, and UNKNOWN behind them where others may belong to it."""
    fits = list(fitting)
    unknown = (UNKNOWN,) if any(one is None for _, one in fits) else ()
    return (*(contract for contract, one in fits if one is is_here), *unknown)


class _Gatherer:
    """Follows the names in one spec; every name that leads nowhere, or to a file of another kind, is a finding."""

    def __init__(self, library: Library, spec: Reading, root: str | None) -> None:
        self.library = library
        self.spec = spec
        self.root = root
        self.folder = str(Path(spec.file).parent)
        self.project = project_of(spec.file, root)
        self.findings: list[Finding] = []
        self.is_complete = True

    def gather(self, wanted: str | None) -> Gathering:
        named = {key: [self._device(name, path) for path, name in self._names(key)] for key in ("device", "other_devices")}
        contracts = with_listed_hashes(self._documents("contracts", Contract), self.project)
        records = self._documents("records", Records)
        compiled, measured = self._documents("compiled", Compiled), self._documents("measured", Measured)
        if not self.spec.parts:
            return Gathering(None, tuple(self.findings), is_complete=False)
        self.is_complete &= self.spec.document is not None
        devices = [*(named["device"] or [UNKNOWN]), *named["other_devices"]]
        device = devices[0] if wanted is None else self._wanted(wanted, [one for one in devices if one is not UNKNOWN])
        further = tuple(other for other in devices if other is not device)
        fitting = [(contract, _is_built_for(contract, device)) for contract in contracts]
        here, elsewhere = (_on(fitting, is_here=is_here) for is_here in (True, False))
        study = Study(self.spec.parts[0], device, here, records, further, compiled, self.root, elsewhere=elsewhere, measured=measured)
        return Gathering(study, tuple(self.findings), self.is_complete)

    def _names(self, key: str) -> Iterable[tuple[KeyPath, str]]:
        """The names under *key* with their paths, as far as they are text: one name, or a list of names."""
        value: Any = self.spec.tree.get(key)
        listed = enumerate(value) if isinstance(value, tuple) else ()
        single = [((key,), value)] if isinstance(value, str) and value else []
        return [*single, *(((key, index), name) for index, name in listed if isinstance(name, str) and name)]

    def _wanted(self, wanted: str, named: list[Document[Device]]) -> Document[Device]:
        match = next((device for device in named if _is_named(device, wanted)), None)
        device = match or find_device(self.library, wanted, self.folder)
        self.is_complete &= device is not None
        return _UNKNOWN_DEVICE if device is None else device

    def _device(self, reference: str, path: KeyPath) -> Document[Device]:
        if because := self.project.why_not(device_name_path(reference)):
            self._report(OUTSIDE_PROJECT, path, f"{quoted(reference)} {because}")
            return _UNKNOWN_DEVICE
        file = device_file(reference, self.folder)
        if file is None:
            what = "no such file" if is_device_path(reference) else "no such device"
            self._report(NO_SUCH_DEVICE, path, f"{what}: {quoted(reference)}; {nearest_device(reference, known_devices(self.folder))}")
            return _UNKNOWN_DEVICE
        return next(iter(self._read(file, path, Device)), _UNKNOWN_DEVICE)

    def _documents(self, key: str, model: type[ModelT]) -> tuple[Document[ModelT], ...]:
        """Return the documents by file, then what stands of those that are not usable, then UNKNOWN if there may be more."""
        found: dict[str, tuple[Document[ModelT], ...]] = {}
        is_whole, findings = self._has_names(key), len(self.findings)
        for path, pattern in self._names(key):
            for file in self._matches(pattern, path):
                parts = self._read(file, path, model)
                is_whole &= bool(parts)
                found.update({part.file: parts for part in parts[:1]})
        documents = tuple(part for file in sorted(found) for part in found[file])
        if not self.is_complete:
            documents = tuple(sorted(documents, key=lambda one: not is_known(one.value)))
        return documents if is_whole and len(self.findings) == findings else (*documents, UNKNOWN)

    def _has_names(self, key: str) -> bool:
        """Whether all that the spec has under *key* are names, if it may not leave the key out."""
        stated = self.spec.tree.get(key, () if key in ("compiled", "measured") else None)
        return isinstance(stated, tuple) and len(stated) == len(list(self._names(key)))

    def _matches(self, pattern: str, path: KeyPath) -> tuple[str, ...]:
        try:
            matched = matching(pattern, self.project, self.folder, self.library.folders)
        except PatternRefused as refused:
            rule = OUTSIDE_PROJECT if isinstance(refused, OutsideProject) else PATTERN_TOO_WIDE
            self._report(rule, path, f"{shown(pattern)} {refused}")
            return ()
        for link, because in matched.links:
            self._report(OUTSIDE_PROJECT, path, f"{link}, which {shown(pattern)} matches, {because}")
        if not matched.files and not matched.links:
            self._report(MATCHES_NOTHING, path, self._nothing_matched(pattern, matched))
        return matched.files

    def _nothing_matched(self, pattern: str, matched: Matched) -> str:
        if not matched.folders:
            return f"{quoted(pattern)} matches no file in {self.folder}"
        if has_magic(pattern):
            return f"{pattern!r} matches only folders in {self.folder}; write '{pattern.rstrip('/')}/*.yaml' for the files in them"
        return f"{pattern!r} is a folder in {self.folder}; write '{pattern.rstrip('/')}/*.yaml' for the files in it"

    def _read(self, file: str, path: KeyPath, model: type[ModelT]) -> tuple[Document[ModelT], ...]:
        """Return what stands of the file, nothing where it is no such file."""
        reading = self.library.reading(file)
        parts = () if reading is None else reading.parts
        self.is_complete &= reading is not None and reading.document is not None
        if parts and not isinstance(parts[0].value, model):
            found, expected = kind_of(type(parts[0].value)), kind_of(model)
            self._report(WRONG_KIND, path, f"{file} is a {found} file, expected {expected}")
            return ()
        return cast("tuple[Document[ModelT], ...]", parts)

    def _report(self, rule: Rule, path: KeyPath, message: str) -> None:
        self.is_complete = False
        self.findings.append(self.spec.finding(Fault(rule, path, message)))
