"""Reading JSON lines: tools write one complete line at a time, so an unterminated last line never happened."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ._parsed import Problem
from ._scalars import NumberTooLong, exact_decimal, exact_int
from ._wording import KeyPath, shown
from ._yaml import MAX_DEPTH
from ._yaml_rules import BROKEN_LINE, DUPLICATE_KEY, NUMBER_TOO_LONG, TOO_DEEP, UNTERMINATED_LINE
from .findings import Rule, Severity

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True, slots=True)
class Lines:
    """The head of a JSON lines text and its records, each with its line number and its text; *key* is what they stand under."""

    head: Any
    key: str
    records: tuple[Any, ...]
    head_line: tuple[int, str]
    record_lines: tuple[tuple[int, str], ...]
    problems: tuple[Problem, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the text holds no complete line."""
        return not self.head_line[1]


def parse_lines(text: str, key_of: Callable[[Any], str]) -> Lines:
    """Read the complete lines of *text*; a broken one is a problem, and reading goes on after it.

    *key_of* says of the head which key the lines stand under.
    """
    problems = _unterminated(text)
    lines = [(number, line) for number, line in enumerate(text.split("\n")[:-1], start=1) if line.strip()]
    head_line = lines[0] if lines else (1, "")
    head = _parse_line(head_line, (), problems) if lines else None
    key = key_of(head)
    if isinstance(head, dict) and key in head:
        message = f"the first line is the head: write each {key.removesuffix('s')} on a line of its own"
        problems.append(Problem(BROKEN_LINE, head_line[0], 1, (key,), message))
    records: list[Any] = []
    kept: list[tuple[int, str]] = []
    for line in lines[1:]:
        record = _parse_line(line, (key,), problems)
        if record is not _BROKEN:
            records.append(record)
            kept.append(line)
    return Lines(head if head is not _BROKEN else None, key, tuple(records), head_line, tuple(kept), tuple(problems))


_BROKEN = object()


def _unterminated(text: str) -> list[Problem]:
    before, _, rest = text.rpartition("\n")
    if not rest.strip():
        return []
    message = "the last line has no line end, so it was never finished and is not read; end it, or remove it"
    return [Problem(UNTERMINATED_LINE, before.count("\n") + 2, 1, (), message, severity=Severity.WARNING)]


def _parse_line(numbered: tuple[int, str], path: KeyPath, problems: list[Problem]) -> Any:
    number, line = numbered

    def report(rule: Rule, message: str, column: int = 1) -> object:
        problems.append(Problem(rule, number, column, path, message))
        return _BROKEN

    if column := _too_deep_column(line):
        return report(TOO_DEEP, f"this is nested {MAX_DEPTH + 1} deep: at most {MAX_DEPTH}", column)
    try:
        return _encodable(line, _decoder(lambda message: report(DUPLICATE_KEY, message)).decode(line))
    except NumberTooLong:
        return report(NUMBER_TOO_LONG, "this line holds a number of more than 64 characters, or with an exponent beyond 308")
    except json.JSONDecodeError as error:
        message = f"this line is not a complete JSON object: {error.msg.removesuffix(' starting at').lower()}"
        return report(BROKEN_LINE, message, error.colno)
    except UnicodeEncodeError:
        return report(BROKEN_LINE, "this line holds half of a surrogate pair, which is no character")


def _encodable(line: str, parsed: Any) -> Any:
    """Return *parsed*, or raise UnicodeEncodeError where an escape made a text that no output can hold."""
    if "\\u" in line:
        json.dumps(parsed, ensure_ascii=False, default=str).encode()
    return parsed


def _decoder(report: Callable[[str], object]) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=lambda pairs: _mapping(pairs, report),
        parse_float=exact_decimal,
        parse_int=exact_int,
        parse_constant=Decimal,
    )


def _mapping(pairs: list[tuple[str, Any]], report: Callable[[str], object]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key, value in pairs:
        if key in mapping:
            report(f"duplicate key {key!r}: {shown(mapping[key])} and {shown(_frozen(value))} on this line; keep one")
        else:
            mapping[key] = _frozen(value)
    return mapping


def _frozen(value: Any) -> Any:
    return tuple(_frozen(entry) for entry in value) if isinstance(value, list) else value


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
