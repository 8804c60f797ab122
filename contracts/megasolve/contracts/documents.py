"""Documents: files of every kind, read, validated and placed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from ._base import Frozen, Place
from ._fault import Fault
from ._foreign import is_ours, unquoting
from ._json_lines import parse_lines
from ._parsed import Problem
from ._places import LinePlaces, Places, YamlPlaces
from ._text import decoded, read_text
from ._wording import KeyPath, path_text
from ._yaml import parse_yaml
from ._yaml_rules import FOREIGN_TAG, NUMBER_TOO_LONG
from .errors import UnreadableFile
from .findings import Finding, Severity
from .kinds import KINDS, head_fault, kind_fault, lines_key
from .schema_errors import schema_faults

T_co = TypeVar("T_co", bound=Frozen, covariant=True)


@dataclass(frozen=True, slots=True)
class Document(Generic[T_co]):
    """A file's checked value, with the places of everything in it.

    Paths are tuples of the file's own keys and list positions: ``("budget_pairs", 1, "producer_ctas")``.
    """

    file: str
    value: T_co
    places: Places = field(repr=False, compare=False)

    def place(self, path: KeyPath) -> Place:
        """Return where the value at *path* stands, or where its nearest enclosing value does."""
        return self.span(path)[0]

    def key_place(self, path: KeyPath) -> Place:
        """Return where the key at *path* stands."""
        span = self.places.key(path)
        return Place(self.file, span.line, span.column)

    def span(self, path: KeyPath) -> tuple[Place, int | None]:
        """Return the place of the value at *path* and its exclusive end column, None where it ends on another line."""
        span = self.places.value(path)
        return Place(self.file, span.line, span.column), span.end_column

    def finding(self, fault: Fault) -> Finding:
        """Return *fault* as a finding at its place in this file."""
        return _finding(self.file, self.places, fault)


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of a file: its *document*, if it is usable, every finding, and the *tree* that it holds, usable or not.

    *tree* is None where the text could not be read to its end.
    """

    file: str
    document: Document[Any] | None
    findings: tuple[Finding, ...]
    tree: Any = None
    places: Places | None = field(default=None, repr=False, compare=False)

    def finding(self, fault: Fault) -> Finding:
        """Return *fault* as a finding at its place in this file."""
        return _finding(self.file, self.places, fault) if self.places else Finding(fault.rule, Place(self.file), "$", fault.message)


def read_document(path: str | os.PathLike[str], text: str | None = None) -> tuple[Document[Any] | None, tuple[Finding, ...]]:
    """Read the file at *path*, or *text* under that name: its document, if it is usable, and every finding.

    Raises
    ------
    UnreadableFile
        There is no text to find faults in: missing, empty, a folder, a pipe, not permitted, binary, not UTF-8, too large.
    """
    reading = read_file(os.fspath(path), text)
    return reading.document, reading.findings


def read_file(file: str, text: str | None = None) -> Reading:
    """Read *file*, or *text* under that name, and keep what it holds even where it is not usable.

    No finding quotes a file that does not say that it is one of ours.

    Raises
    ------
    UnreadableFile
        As for read_document.
    """
    content = read_text(file) if text is None else decoded(text.encode(errors="surrogateescape"), file)
    value, places, problems, is_whole = _parsed(file, content)
    findings = [_text_finding(file, problem) for problem in (problems if is_ours(content, value) else unquoting(problems))]
    if not is_whole:
        return Reading(file, None, in_order(findings))
    document, faults = _validated(file, value, places)
    refused = {finding.path for finding in findings if finding.rule in (FOREIGN_TAG, NUMBER_TOO_LONG)}
    findings += [finding for finding in faults if finding.path not in refused]
    usable = None if any(finding.severity is Severity.ERROR for finding in findings) else document
    return Reading(file, usable, in_order(findings), value, places)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return each finding once, by file, line, column, code and message."""
    return tuple(sorted(set(findings), key=lambda finding: (finding.place, finding.rule.code, finding.message, finding.path)))


def _parsed(file: str, text: str) -> tuple[Any, Places, tuple[Problem, ...], bool]:
    if file.endswith(".jsonl"):
        return _parsed_lines(file, text)
    parsed = parse_yaml(text)
    if parsed.is_empty:
        raise UnreadableFile(file, "holds no values, only comments")
    return parsed.value, YamlPlaces(text), parsed.problems, parsed.is_whole


def _parsed_lines(file: str, text: str) -> tuple[Any, Places, tuple[Problem, ...], bool]:
    lines = parse_lines(text, lines_key)
    if lines.is_empty:
        raise UnreadableFile(file, "holds no complete line")
    places = LinePlaces(lines.key, lines.head_line, lines.record_lines)
    if not isinstance(lines.head, dict):
        return lines.head, places, lines.problems, not lines.problems
    return {**lines.head, lines.key: lines.records}, places, lines.problems, True


def _validated(file: str, value: Any, places: Places) -> tuple[Document[Any] | None, Iterator[Finding]]:
    fault = head_fault(value) if file.endswith(".jsonl") else kind_fault(value)
    if fault is not None:
        return None, iter([_finding(file, places, fault)])
    model = KINDS[value["megasolve"]]
    try:
        # By alias only: a model's own field names count in picoseconds and are no keys of a file.
        return Document(file, model.model_validate(value, by_alias=True, by_name=False), places), iter(())
    except ValidationError as error:
        return None, (_finding(file, places, fault) for fault in schema_faults(model, value, error))


def _finding(file: str, places: Places, fault: Fault) -> Finding:
    span = places.key(fault.path) if fault.at_key else places.value(fault.path)
    place = Place(file, span.line, span.column)
    return Finding(fault.rule, place, path_text(fault.path), fault.message, fault.severity, span.end_column)


def _text_finding(file: str, problem: Problem) -> Finding:
    place = Place(file, problem.line, problem.column)
    return Finding(problem.rule, place, path_text(problem.path), problem.message, problem.severity, problem.end_column)
