"""Reading JSON lines: tools write one complete line at a time, so an unterminated last line never happened."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ...model.findings import Severity
from ...model.rules import Rule
from ...model.wording import KeyPath, shown
from ..tally import Further, Tally
from .documents import MAX_DEPTH, MAX_VALUES, too_many_values_message
from .parsed import TextFault
from .rules import BROKEN_LINE, DUPLICATE_KEY, NUMBER_TOO_LONG, TOO_DEEP, TOO_MANY_VALUES, UNTERMINATED_LINE
from .scalars import NumberTooLong, exact_decimal, exact_int

# A text that is never closed ends with the line: otherwise each of its quotes would be tried as the start of another one.
_TEXT = re.compile(r'"(?:[^"\\]++|\\.)*+"?')


@dataclass(frozen=True, slots=True)
class JsonLines:
    """The head of a JSON lines text and its records, each with its line number and its text; *key* is what they stand under."""

    head: Any
    key: str
    records: tuple[Any, ...]
    head_line: tuple[int, str]
    record_lines: LineTable
    faults: tuple[TextFault, ...]
    further: Further

    @property
    def is_empty(self) -> bool:
        """Whether the text holds no complete line."""
        return not self.head_line[1]

    @property
    def doubtful(self) -> frozenset[KeyPath]:
        """The paths of the lines that say a key twice; the head, which all others depend on, is the root."""
        lines = {fault.line for fault in self.faults if fault.rule == DUPLICATE_KEY}
        records = {(self.key, index) for index, number in enumerate(self.record_lines.numbers) if number in lines}
        return frozenset({(), *records} if self.head_line[0] in lines else records)


@dataclass(frozen=True, slots=True)
class LineTable:
    """Lines of *text* by their position: their numbers, from 1, and where they start."""

    text: str
    numbers: array[int] = field(default_factory=lambda: array("I"))
    starts: array[int] = field(default_factory=lambda: array("I"))

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: int) -> tuple[int, str]:
        start = self.starts[index]
        return self.numbers[index], self.text[start : self.text.index("\n", start)]

    def add(self, number: int, start: int) -> None:
        """Take the line *number*, which begins at *start*."""
        self.numbers.append(number)
        self.starts.append(start)


def parse_lines(text: str, key_of: Callable[[Any], str]) -> JsonLines:
    """Read the complete lines of *text*; a broken one is a fault, and reading goes on after it.

    *key_of* says of the head which key the lines stand under.
    """
    reader = _LineReader()
    lines = _complete_lines(text)
    number, start, line = next(lines, (1, 0, ""))
    head = reader.read(number, line, ()) if line else None
    key, head_line = key_of(head), (number, line)
    if isinstance(head, dict) and key in head:
        message = f"the first line is the head: write each {key.removesuffix('s')} on a line of its own"
        reader.report(BROKEN_LINE, number, 1, (key,), message)
    records: list[Any] = []
    kept = LineTable(text)
    for number, start, line in lines:
        record = reader.read(number, line, (key,))
        if record is not _BROKEN:
            records.append(record)
            kept.add(number, start)
        if reader.values > MAX_VALUES:
            reader.report(TOO_MANY_VALUES, number, 1, (key,), too_many_values_message())
            break
    _report_unterminated(text, reader.faults)
    head = head if head is not _BROKEN else None
    return JsonLines(head, key, tuple(records), head_line, kept, tuple(reader.faults.kept), reader.faults.further)


_BROKEN = object()


def _complete_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield number, start and text of each complete line that is not blank."""
    number, start = 0, 0
    while (end := text.find("\n", start)) >= 0:
        number += 1
        if (line := text[start:end]).strip():
            yield number, start, line
        start = end + 1


def _report_unterminated(text: str, faults: Tally[TextFault]) -> None:
    end = text.rfind("\n") + 1
    if text[end:].strip():
        message = "the last line has no line end, so it was never finished and is not read; end it, or remove it"
        number = text.count("\n") + 1
        fault = TextFault(UNTERMINATED_LINE, number, 1, (), message, severity=Severity.WARNING)
        faults.take(UNTERMINATED_LINE, Severity.WARNING, lambda: fault)


class _LineReader:
    """Reads one line after the other, and counts the values in them."""

    def __init__(self) -> None:
        self.faults: Tally[TextFault] = Tally()
        self.values = 0
        self._place: tuple[int, KeyPath] = (1, ())
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._mapping, parse_float=exact_decimal, parse_int=exact_int, parse_constant=Decimal
        )

    def report(self, rule: Rule, number: int, column: int, path: KeyPath, message: str) -> None:
        """Take a fault."""
        self.faults.take(rule, Severity.ERROR, lambda: TextFault(rule, number, column, path, message))

    def read(self, number: int, line: str, path: KeyPath) -> Any:
        """Return what *line* holds, or _BROKEN."""
        self._place = number, path
        if column := _too_deep_column(line):
            return self._broken(TOO_DEEP, f"this is nested {MAX_DEPTH + 1} deep: at most {MAX_DEPTH}", column)
        try:
            return _encodable(line, self._decoder.decode(line))
        except NumberTooLong:
            return self._broken(NUMBER_TOO_LONG, "this line holds a number of more than 64 characters, or with an exponent beyond 308")
        except json.JSONDecodeError as error:
            message = f"this line is not a complete JSON object: {error.msg.removesuffix(' starting at').lower()}"
            return self._broken(BROKEN_LINE, message, error.colno)
        except UnicodeEncodeError:
            return self._broken(BROKEN_LINE, "this line holds half of a surrogate pair, which is no character")

    def _broken(self, rule: Rule, message: str, column: int = 1) -> object:
        number, path = self._place
        self.report(rule, number, column, path, message)
        return _BROKEN

    def _mapping(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        self.values += 2 * len(pairs)
        mapping: dict[str, Any] = {}
        for key, value in pairs:
            if key in mapping:
                first, second = shown(mapping[key]), shown(self._frozen(value))
                self._broken(DUPLICATE_KEY, f"duplicate key {shown(key)}: {first} and {second} on this line; keep one")
            else:
                mapping[key] = self._frozen(value)
        return mapping

    def _frozen(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        self.values += len(value)
        return tuple(self._frozen(entry) for entry in value)


def _encodable(line: str, parsed: Any) -> Any:
    """Return *parsed*, or raise UnicodeEncodeError where an escape made a text that no output can hold."""
    if "\\u" in line:
        json.dumps(parsed, ensure_ascii=False, default=str).encode()
    return parsed


def _too_deep_column(line: str) -> int:
    """Return the column of the first bracket beyond the limit, or 0."""
    if line.count("[") + line.count("{") <= MAX_DEPTH:
        return 0
    depths = _depths(_TEXT.sub(lambda text: " " * len(text[0]), line))
    return next((column for column, depth in enumerate(depths, start=1) if depth > MAX_DEPTH), 0)


def _depths(line: str) -> Iterator[int]:
    depth = 0
    for character in line:
        depth += (character in "[{") - (character in "]}")
        yield depth
