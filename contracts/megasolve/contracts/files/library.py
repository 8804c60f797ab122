"""A library reads each file once, however often and by whatever name it is reached."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..model.errors import UnreadableFile
from ..model.findings import Finding, Severity
from ..model.rules import Rule
from .disk.globs import Folders
from .documents import Document, Reading, read_file
from .schema.kinds import MISSING_KIND, looks_like_ours
from .tally import Further


@dataclass(slots=True)
class _Shelf:
    """One file: its reading, None where it is unreadable, and whether only the search of a folder led to it."""

    reading: Reading | None
    is_stray: bool = True


class Library:
    """The documents read so far, with everything that was found in reading them.

    A file keeps the name by which it was reached first; *texts* stand in for the files of those names. A file that cannot be
    read is kept in *unreadable*, so that one such file does not hide what is wrong with the others. *folders* are those that patterns
    were looked up in, and *beside* has the files that were read otherwise.
    """

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        self._texts = {os.path.realpath(file): text for file, text in (texts or {}).items()}
        self._shelves: dict[str, _Shelf] = {}
        self.folders = Folders()
        self.beside: list[str] = []
        self.unreadable: list[UnreadableFile] = []

    @property
    def documents(self) -> tuple[Document[Any], ...]:
        """The usable documents, in the order of reading."""
        return tuple(shelf.document for shelf in self._readings() if shelf.document is not None)

    @property
    def standing(self) -> tuple[Document[Any], ...]:
        """What stands of the files that are not usable, in the order of reading."""
        return tuple(part for reading in self._readings() if reading.document is None for part in reading.parts)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found in reading; a file of another tool that a search came across is no more than a warning."""
        return tuple(finding for shelf in self._shelves.values() for finding in _softened(shelf))

    @property
    def further(self) -> Further:
        """How many findings of reading were not kept, by rule and severity."""
        numbers: Counter[tuple[Rule, Severity]] = Counter()
        for reading in self._readings():
            numbers.update(reading.further)
        return numbers

    @property
    def files_read(self) -> int:
        """How many files were read, usable or not."""
        return len(list(self._readings()))

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that was asked for, usable or not, and those that a person or a spec names beside."""
        shelves = self._shelves.items()
        return (*(shelf.reading.file if shelf.reading is not None else file for file, shelf in shelves), *self.beside)

    def read(self, file: str, *, is_searched: bool = False) -> Document[Any] | None:
        """Return the document of *file*, or None where it is not usable: *findings* or *unreadable* then say why.

        *is_searched* says that the file was found by searching a folder, and not named by a person or a spec.
        """
        reading = self.reading(file, is_searched=is_searched)
        return None if reading is None else reading.document

    def reading(self, file: str, *, is_searched: bool = False) -> Reading | None:
        """Return the reading of *file*, usable or not, as `read` does; None where it is unreadable."""
        identity = os.path.realpath(file)
        if identity not in self._shelves:
            self._shelves[identity] = _Shelf(self._first_reading(file))
        shelf = self._shelves[identity]
        shelf.is_stray = shelf.is_stray and is_searched
        return shelf.reading

    def _readings(self) -> Iterator[Reading]:
        return (shelf.reading for shelf in self._shelves.values() if shelf.reading is not None)

    def _first_reading(self, file: str) -> Reading | None:
        try:
            return read_file(file, self._texts.get(os.path.realpath(file)))
        except UnreadableFile as error:
            self.unreadable.append(error)
            return None


def _softened(shelf: _Shelf) -> Iterator[Finding]:
    reading = shelf.reading
    if reading is None:
        return
    missing = next((finding for finding in reading.findings if finding.rule is MISSING_KIND), None)
    if shelf.is_stray and missing is not None and not looks_like_ours(reading.tree, is_lines=reading.file.endswith(".jsonl")):
        yield replace(missing, severity=Severity.WARNING)
    else:
        yield from reading.findings
