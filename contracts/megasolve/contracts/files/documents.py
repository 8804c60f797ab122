"""Documents: files of every kind, read, validated and placed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

from ..model.base import UNKNOWN, Frozen, Place
from ..model.errors import UnreadableFile
from ..model.findings import Fault, Finding, PlacedRepair, Severity
from ..model.rules import Rule
from ..model.wording import KeyPath, path_text
from .collected import in_order
from .schema.errors import PendingFault
from .schema.kinds import FREE_ENTRIES, KINDS, head_fault, kind_fault, lines_key
from .schema.standing import is_known, what_stands
from .schema.validating import Validation
from .tally import Further, Tally
from .text import decoded, read_text
from .yaml.documents import parse_yaml
from .yaml.foreign import is_ours, unquoting
from .yaml.json_lines import parse_lines
from .yaml.parsed import Parsed, TextFault
from .yaml.places import LinePlaces, Places, YamlPlaces

T_co = TypeVar("T_co", bound=Frozen, covariant=True)


@dataclass(frozen=True, slots=True)
class Document(Generic[T_co]):
    """A file's checked value, with the places of everything in it.

    Paths are tuples of the file's own keys and list positions: ``("budget_pairs", 1, "producer_ctas")``. Where the value has only some
    entries of a list of the file, *taken* has the key of the list and which entries these are.
    """

    file: str
    value: T_co
    places: Places = field(repr=False, compare=False)
    taken: tuple[str, tuple[int, ...]] | None = field(default=None, repr=False, compare=False)

    def place(self, path: KeyPath) -> Place:
        """Return where the value at *path* stands, or where its nearest enclosing value does."""
        return self.span(path)[0]

    def span(self, path: KeyPath) -> tuple[Place, int | None]:
        """Return the place of the value at *path* and its exclusive end column, None where it ends on another line."""
        span = self.places.value(self.path_in_file(path))
        return Place(self.file, span.line, span.column), span.end_column

    def path_in_file(self, path: KeyPath) -> KeyPath:
        """Return the path of the file for the *path* of this value."""
        match path:
            case (str(key), int(index), *rest) if self.taken is not None and key == self.taken[0]:
                return (key, self.taken[1][index], *rest)
            case _:
                return path

    def finding(self, fault: Fault) -> Finding:
        """Return *fault* as a finding at its place in this file."""
        return _finding(self.file, self.places, replace(fault, path=self.path_in_file(fault.path)))


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of a file: its *document*, if it is usable, every finding, and the *tree* that it holds, usable or not.

    *tree* is None where the text could not be read to its end. *further* counts the findings that were not kept. *parts* are what can be
    judged of the file: its document or, where it is not usable, what stands of it, with UNKNOWN for what does not.
    """

    file: str
    document: Document[Any] | None
    findings: tuple[Finding, ...]
    tree: Any = None
    places: Places | None = field(default=None, repr=False, compare=False)
    further: Further = field(default_factory=dict)
    parts: tuple[Document[Any], ...] = field(default=(), repr=False, compare=False)

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
    parsed, places = _parsed(file, content)
    found: Tally[Finding] = Tally()
    found.further.update(parsed.further)
    for fault in parsed.faults if is_ours(content, parsed.value) else unquoting(parsed.faults):
        found.take(fault.rule, fault.severity, partial(_text_finding, file, fault))
    if not parsed.is_whole:
        return Reading(file, None, in_order(found.kept), further=found.further)
    # Where values were left out, what follows from that is told from the rest by its path, one by one.
    validation = _validation(file, parsed.value, is_counting=lambda: found.is_full and not parsed.refused)
    doubtful = set(parsed.doubtful)
    for refused in validation.refused():
        doubtful.update(path for path in refused.meant if not _holds(parsed.value, path))
        if refused.path not in parsed.refused:
            found.take(refused.rule, Severity.ERROR, partial(_made, file, places, refused))
    found.further.update({(rule, Severity.ERROR): number for rule, number in validation.counted.items()})
    has_errors = any(finding.severity is Severity.ERROR for finding in found.kept) or Severity.ERROR in {key[1] for key in found.further}
    document = None if has_errors or validation.value is None else Document(file, validation.value, places)
    parts: tuple[Document[Any], ...] = () if document is None else (document,)
    if document is None and not found.further and isinstance(validation, Validation):
        parts = tuple(_parts(file, parsed.value, places, doubtful))
    return Reading(file, document, in_order(found.kept), parsed.value, places, found.further, parts)


def _holds(tree: Any, path: KeyPath) -> bool:
    for step in path:
        if not isinstance(tree, dict) or step not in tree:
            return False
        tree = tree[step]
    return True


def _parts(file: str, tree: Any, places: Places, doubtful: Iterable[KeyPath]) -> Iterator[Document[Any]]:
    """Yield what stands of a file that is not usable: a document; of entries that are judged one by one, first the whole ones."""
    if () in doubtful:
        return
    value = what_stands(KINDS[tree["megasolve"]], tree, doubtful)
    key = FREE_ENTRIES.get(type(value))
    entries = None if key is None else getattr(value, key)
    if key is None or entries is UNKNOWN or not isinstance(entries, tuple):
        yield Document(file, value, places)
        return
    whole = tuple(index for index, entry in enumerate(entries) if is_known(entry))
    for taken in (whole, *((index,) for index in range(len(entries)) if index not in set(whole))):
        some = value.model_copy(update={key: tuple(entries[index] for index in taken)})
        yield Document(file, some, places, (key, taken))


def _parsed(file: str, text: str) -> tuple[Parsed, Places]:
    if file.endswith(".jsonl"):
        return _parsed_lines(file, text)
    parsed = parse_yaml(text)
    if parsed.is_empty:
        raise UnreadableFile(file, "holds no values, only comments")
    return parsed, YamlPlaces(text)


def _parsed_lines(file: str, text: str) -> tuple[Parsed, Places]:
    lines = parse_lines(text, lines_key)
    if lines.is_empty:
        raise UnreadableFile(file, "holds no complete line")
    places = LinePlaces(lines.key, lines.head_line, lines.record_lines)
    if not isinstance(lines.head, dict):
        return Parsed(lines.head, lines.faults, is_whole=not lines.faults, further=lines.further), places
    tree = {**lines.head, lines.key: lines.records}
    return Parsed(tree, lines.faults, further=lines.further, doubtful=lines.doubtful), places


def _validation(file: str, value: Any, is_counting: Callable[[], bool]) -> Validation[Any] | _NoKind:
    fault = head_fault(value) if file.endswith(".jsonl") else kind_fault(value)
    return Validation(KINDS[value["megasolve"]], value, is_counting) if fault is None else _NoKind(fault)


@dataclass(frozen=True, slots=True)
class _NoKind:
    """What comes of a file that is of no kind: it is refused as a whole."""

    fault: Fault
    value: None = None
    counted: Mapping[Rule, int] = field(default_factory=dict)

    def refused(self) -> Iterator[PendingFault]:
        """Yield the one fault."""
        yield PendingFault(self.fault.rule, self.fault.path, lambda: self.fault)


def _made(file: str, places: Places, refused: PendingFault) -> Finding:
    return _finding(file, places, refused.fault())


def _finding(file: str, places: Places, fault: Fault) -> Finding:
    span = places.key(fault.path) if fault.at_key else places.value(fault.path)
    place = Place(file, span.line, span.column)
    repair = None if fault.repair is None else PlacedRepair(fault.path, fault.repair.text, fault.at_key)
    return Finding(fault.rule, place, path_text(fault.path), fault.message, fault.severity, span.end_column, repair=repair)


def _text_finding(file: str, fault: TextFault) -> Finding:
    place = Place(file, fault.line, fault.column)
    return Finding(fault.rule, place, path_text(fault.path), fault.message, fault.severity, fault.end_column)
