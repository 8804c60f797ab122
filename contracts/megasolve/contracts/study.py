"""A study: one spec with its device, its contracts and its records, each file read once."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from ._base import Frozen
from ._device_files import device_file, is_device_path, known_devices, nearest_device
from ._fault import Fault
from ._file_rules import MATCHES_NOTHING, NO_SUCH_DEVICE, WRONG_KIND
from ._library import Library
from ._wording import KeyPath
from .contract import Contract
from .device import Device
from .documents import Document, in_order
from .errors import UnknownDevice
from .findings import Finding, Rule
from .kinds import kind_of
from .record import Records
from .spec import Spec

ModelT = TypeVar("ModelT", bound=Frozen)


@dataclass(frozen=True, slots=True)
class Study:
    """A spec and everything that it names.

    *device* is the one to plan for; *other_devices* are the further ones that the spec names. Contracts and records are
    sorted by file name, so that nothing depends on the order of files or patterns.
    """

    spec: Document[Spec]
    device: Document[Device]
    contracts: tuple[Document[Contract], ...]
    records: tuple[Document[Records], ...]
    other_devices: tuple[Document[Device], ...] = ()


@dataclass(frozen=True, slots=True)
class Gathering:
    """What a spec file leads to: the *study*, as far as its files are usable, and what is wrong with the names in it."""

    study: Study | None
    findings: tuple[Finding, ...]
    is_complete: bool


def load_study(spec_path: str | os.PathLike[str], device: str | None = None) -> tuple[Study | None, tuple[Finding, ...]]:
    """Read the spec at *spec_path* and every file that it names: the study, if all of them are usable, and all findings.

    *device* chooses another device: by name among those that the spec names and the shipped ones, or by the path of its file.

    Raises
    ------
    UnreadableFile
        A file holds no text to check. The first such file is named.
    UnknownDevice
        No device has the name *device*.
    """
    library = Library()
    gathering = gather(library, os.fspath(spec_path), device)
    if library.unreadable:
        raise library.unreadable[0]
    return gathering.study if gathering.is_complete else None, in_order((*library.findings, *gathering.findings))


def gather(library: Library, spec_file: str, device: str | None = None) -> Gathering:
    """Read through *library* the spec in *spec_file* and every file that it names."""
    document = library.read(spec_file)
    if document is None:
        return Gathering(None, (), is_complete=False)
    if not isinstance(document.value, Spec):
        message = f"this is a {kind_of(type(document.value))} file, not a spec"
        return Gathering(None, (document.finding(Fault(WRONG_KIND, ("megasolve",), message)),), is_complete=False)
    return _Gatherer(library, document).gather(device)


def find_device(library: Library, wanted: str, folder: str = ".") -> Document[Device] | None:
    """Read through *library* the device that a person asks for by path or by name; None where its file has findings.

    Raises
    ------
    UnknownDevice
        No device has this name, or the file is not a device file.
    """
    file = wanted if is_device_path(wanted) else device_file(wanted, folder)
    if file is None:
        raise UnknownDevice(f"unknown device {wanted!r}; {nearest_device(wanted, known_devices(folder))}")
    document = library.read(file)
    if document is not None and not isinstance(document.value, Device):
        raise UnknownDevice(f"{file} is a {kind_of(type(document.value))} file, not a device")
    return document


class _Gatherer:
    """Follows the names in one spec; every name that leads nowhere, or to a file of another kind, is a finding."""

    def __init__(self, library: Library, spec: Document[Spec]) -> None:
        self.library = library
        self.spec = spec
        self.folder = str(Path(spec.file).parent)
        self.findings: list[Finding] = []
        self.is_complete = True

    def gather(self, wanted: str | None) -> Gathering:
        spec = self.spec.value
        own = self._device(spec.device, ("device",))
        others = [self._device(name, ("other_devices", index)) for index, name in enumerate(spec.other_devices)]
        contracts = self._documents("contracts", spec.contracts, Contract)
        records = self._documents("records", spec.records, Records)
        named = [device for device in (own, *others) if device is not None]
        device = own if wanted is None else self._wanted(wanted, named)
        if device is None:
            return Gathering(None, tuple(self.findings), is_complete=False)
        further = tuple(other for other in named if other is not device)
        study = Study(self.spec, device, contracts, records, further)
        return Gathering(study, tuple(self.findings), self.is_complete)

    def _wanted(self, wanted: str, named: list[Document[Device]]) -> Document[Device] | None:
        match = next((device for device in named if device.value.name == wanted), None)
        return match or find_device(self.library, wanted, self.folder)

    def _device(self, reference: str, path: KeyPath) -> Document[Device] | None:
        file = device_file(reference, self.folder)
        if file is None:
            what = "no such file" if is_device_path(reference) else "no such device"
            self._report(NO_SUCH_DEVICE, path, f"{what}: {reference!r}; {nearest_device(reference, known_devices(self.folder))}")
            return None
        return self._read(file, path, Device)

    def _documents(self, key: str, patterns: tuple[str, ...], model: type[ModelT]) -> tuple[Document[ModelT], ...]:
        found: dict[str, Document[ModelT]] = {}
        for index, pattern in enumerate(patterns):
            for file in self._matches(pattern, (key, index)):
                document = self._read(file, (key, index), model)
                if document is not None:
                    found[document.file] = document
        return tuple(found[file] for file in sorted(found))

    def _matches(self, pattern: str, path: KeyPath) -> Iterator[str]:
        # The glob module, because patterns may be absolute and hidden files never match.
        matches = [Path(self.folder, name) for name in sorted(glob.glob(pattern, root_dir=self.folder, recursive=True))]  # noqa: PTH207
        files = [str(file) for file in matches if file.is_file()]
        if not files:
            repair = f"; for a folder write '{pattern.rstrip('/')}/*.yaml'" if matches else ""
            self._report(MATCHES_NOTHING, path, f"{pattern!r} matches no file in {self.folder}{repair}")
        return iter(files)

    def _read(self, file: str, path: KeyPath, model: type[ModelT]) -> Document[ModelT] | None:
        document = self.library.read(file)
        if document is None:
            self.is_complete = False
        elif not isinstance(document.value, model):
            found, expected = kind_of(type(document.value)), kind_of(model)
            self._report(WRONG_KIND, path, f"{file} is a {found} file, expected {expected}")
            return None
        return cast("Document[ModelT] | None", document)

    def _report(self, rule: Rule, path: KeyPath, message: str) -> None:
        self.is_complete = False
        self.findings.append(self.spec.finding(Fault(rule, path, message)))
