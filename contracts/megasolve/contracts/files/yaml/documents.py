"""Reading YAML 1.2 text into plain values, with every fault of the text found at its place.

The parser's events are turned into values directly: mappings become dicts, sequences tuples, numbers exact. No tree of
positions is built on the way; `_places` composes one from the same text when a place is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import yaml

from ...model.findings import Severity
from ...model.rules import Rule
from ...model.wording import KeyPath, shown
from ..tally import Tally
from .collector import uncollected
from .parsed import Parsed, TextFault
from .rules import (
    BAD_ALIAS,
    CONTROL_CHARACTER,
    DUPLICATE_KEY,
    FOREIGN_TAG,
    KEY_NOT_TEXT,
    MERGE_KEY,
    NUMBER_TOO_LONG,
    SEVERAL_DOCUMENTS,
    SYNTAX,
    TOO_DEEP,
    TOO_MANY_VALUES,
)
from .scalars import NumberTooLong, PlainValue, plain_value
from .syntax import control_characters, syntax_message, syntax_position

MAX_DEPTH = 64
MAX_ALIASED_VALUES = 200_000
MAX_VALUES = 2_000_000

_SHOWN_STEPS = 3
_LONGEST_NAME = 60

PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_CORE = "tag:yaml.org,2002:"
_SCALAR_TAGS: dict[str, tuple[type, ...]] = {
    f"{_CORE}int": (int,),
    f"{_CORE}float": (Decimal, int),
    f"{_CORE}bool": (bool,),
    f"{_CORE}null": (type(None),),
}
_TEXT_TAGS = frozenset({f"{_CORE}str", "!"})


def parse_yaml(text: str) -> Parsed:
    """Read *text*. Of a duplicate key the first value counts; what is refused elsewhere is left out or kept as text."""
    if characters := control_characters(text):
        return Parsed(None, tuple(_control_faults(characters)), is_whole=False)
    with uncollected():
        return _Reader(text).read()


def _control_faults(characters: list[tuple[int, int, str]]) -> Iterator[TextFault]:
    for line, column, character in characters:
        message = f"found the control character U+{ord(character):04X}: remove it, or write it as an escape in double quotes"
        yield TextFault(CONTROL_CHARACTER, line, column, (), message, column + 1)


class _Stopped(Exception):
    """Reading cannot go on after the last fault."""


class _NoKey:
    """The state of a mapping that waits for its next key."""


class _Refused:
    """A key that was reported: its value is read and dropped."""


class _Open:
    """The value of an anchor whose collection is not closed yet."""


_NO_KEY, _REFUSED, _OPEN = _NoKey(), _Refused(), _Open()
# Shared by all lists, which have neither keys nor marks.
_NOTHING: dict[str, Any] = {}


class _Frame:
    """One open collection: a list of *entries*, or a mapping with the key that waits for its value."""

    __slots__ = ("anchor", "entries", "key", "mapping", "marks", "repeated", "values_before")

    def __init__(self, anchor: str | None, values_before: int, *, is_list: bool) -> None:
        self.anchor = anchor
        self.values_before = values_before
        self.entries: list[Any] | None = [] if is_list else None
        self.mapping: dict[str, Any] = _NOTHING if is_list else {}
        self.marks: dict[str, Any] = _NOTHING if is_list else {}
        self.key: str | _NoKey | _Refused = _NO_KEY
        self.repeated: Any = None

    def step(self) -> str | int | None:
        if self.entries is not None:
            return len(self.entries)
        return self.key if isinstance(self.key, str) else None


class _Reader:
    """Turns the events of one text into a value, one collection per frame; it never recurses."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parser = PARSER(text)
        self.faults: Tally[TextFault] = Tally()
        self.refused: set[KeyPath] = set()
        self.frames: list[_Frame] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.values = 0
        self.aliased = 0
        self.documents = 0
        self.root: Any = None
        self.handlers: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.SequenceStartEvent: self._sequence_start,
            yaml.MappingStartEvent: self._mapping_start,
            yaml.SequenceEndEvent: self._sequence_end,
            yaml.MappingEndEvent: self._mapping_end,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document_start,
        }

    def read(self) -> Parsed:
        """Read the one document of the text."""
        is_whole = True
        try:
            self._run()
        except yaml.YAMLError as error:
            fault = self._syntax_fault(error)
            self.faults.take(fault.rule, fault.severity, lambda: fault)
            is_whole = False
        except _Stopped:
            is_whole = False
        finally:
            self.parser.dispose()
        return Parsed(
            self.root if is_whole else None,
            tuple(self.faults.kept),
            is_whole,
            is_whole and self.documents == 0,
            self.faults.further,
            frozenset(self.refused),
            frozenset(self.refused) | {fault.path for fault in self.faults.kept if fault.rule == DUPLICATE_KEY} | self._merged(),
        )

    def _merged(self) -> frozenset[KeyPath]:
        """Return the paths of mappings that were to take keys from elsewhere."""
        return frozenset(fault.path[:-1] for fault in self.faults.kept if fault.rule == MERGE_KEY)

    def _syntax_fault(self, error: yaml.YAMLError) -> TextFault:
        if "nesting depth" in str(error):
            return self._too_deep(error)
        line, column = syntax_position(error)
        return TextFault(SYNTAX, line, column, self._path(), syntax_message(error, self.text))

    def _too_deep(self, error: Any) -> TextFault:
        """Return the fault of the first collection beyond the limit: the parser reads ahead of its events, and stops at its own limit."""
        before = _Reader(self.text[: error.problem_mark.index]).read().faults
        here = TextFault(TOO_DEEP, *syntax_position(error), self._path()[:_SHOWN_STEPS], _too_deep_message())
        return next((fault for fault in before if fault.rule is TOO_DEEP), here)

    def _run(self) -> None:
        next_event, handlers = self.parser.get_event, self.handlers
        while (event := next_event()) is not None and self.documents < 2:
            handler = handlers.get(type(event))
            if handler is not None:
                handler(event)
                if self.values - self.aliased > MAX_VALUES:
                    self._report(TOO_MANY_VALUES, event, too_many_values_message())
                    raise _Stopped

    def _document_start(self, event: Any) -> None:
        self.documents += 1
        if self.documents == 2:
            self._report(SEVERAL_DOCUMENTS, event, "a second document starts here: write one document per file", ())

    def _scalar(self, event: Any) -> None:
        self.values += 1
        value: PlainValue = event.value
        if event.tag is not None:
            value = self._tagged(event)
        elif event.implicit[0]:
            value = self._plain(event, event.value)
        if event.anchor is not None:
            self._define(event, event.anchor, value, 1)
        self._put(event, value)

    def _plain(self, event: Any, text: str) -> PlainValue:
        try:
            return plain_value(text)
        except NumberTooLong:
            message = f"found the number {text[:20]}{'...' * (len(text) > 20)}: at most 64 characters, and an exponent within 308"
            self._report(NUMBER_TOO_LONG, event, message)
            return None

    def _tagged(self, event: Any) -> PlainValue:
        if event.tag in _TEXT_TAGS:
            return str(event.value)
        value = self._plain(event, event.value)
        allowed = _SCALAR_TAGS.get(event.tag)
        if allowed is None:
            self._foreign_tag(event)
        elif type(value) not in allowed:
            self._report(FOREIGN_TAG, event, f"{shown(event.value)} is not what its tag {_tag_text(event.tag)} says")
        return value

    def _foreign_tag(self, event: Any) -> None:
        message = f"the tag {_tag_text(event.tag)} is not read here: remove it"
        self._report(FOREIGN_TAG, event, message)

    def _sequence_start(self, event: Any) -> None:
        self._open(event, _Frame(event.anchor, self.values, is_list=True), f"{_CORE}seq")

    def _mapping_start(self, event: Any) -> None:
        self._open(event, _Frame(event.anchor, self.values, is_list=False), f"{_CORE}map")

    def _open(self, event: Any, frame: _Frame, core_tag: str) -> None:
        self.values += 1
        if len(self.frames) >= MAX_DEPTH:
            self._report(TOO_DEEP, event, _too_deep_message(), self._path()[:_SHOWN_STEPS])
            raise _Stopped
        if event.tag not in (None, "!", core_tag):
            self._foreign_tag(event)
        if event.anchor is not None:
            self._define(event, event.anchor, _OPEN, 0)
        self.frames.append(frame)

    def _define(self, event: Any, anchor: str, value: Any, weight: int) -> None:
        if anchor in self.anchors:
            self._report(BAD_ALIAS, event, f"the anchor &{_named(anchor)} is defined twice: give each anchor its own name")
            raise _Stopped
        self.anchors[anchor] = (value, weight)

    def _sequence_end(self, event: Any) -> None:
        frame = self.frames.pop()
        self._close(event, frame, tuple(frame.entries or ()))

    def _mapping_end(self, event: Any) -> None:
        frame = self.frames.pop()
        self._close(event, frame, frame.mapping)

    def _close(self, event: Any, frame: _Frame, value: Any) -> None:
        if frame.anchor is not None:
            self.anchors[frame.anchor] = (value, self.values - frame.values_before)
        self._put(event, value)

    def _alias(self, event: Any) -> None:
        value, weight = self.anchors.get(event.anchor, (_NO_KEY, 0))
        if value is _NO_KEY:
            self._report(BAD_ALIAS, event, f"the alias *{_named(event.anchor)} has no anchor &{_named(event.anchor)} before it")
            raise _Stopped
        if value is _OPEN:
            self._report(BAD_ALIAS, event, f"the alias *{_named(event.anchor)} stands inside its own anchor &{_named(event.anchor)}")
            raise _Stopped
        self._count_aliased(event, weight)
        self._put(event, value)

    def _count_aliased(self, event: Any, weight: int) -> None:
        self.values += weight
        self.aliased += weight
        if self.aliased > MAX_ALIASED_VALUES:
            message = f"aliases expand this file to {self.values:,} values by here: at most {MAX_ALIASED_VALUES:,} may come from aliases"
            self._report(TOO_MANY_VALUES, event, message)
            raise _Stopped

    def _put(self, event: Any, value: Any) -> None:
        if not self.frames:
            self.root = value
            return
        frame = self.frames[-1]
        if frame.entries is not None:
            frame.entries.append(value)
        elif frame.key is _NO_KEY:
            frame.key = self._accepted_key(event, frame, value)
        else:
            self._put_in_mapping(frame, value)

    def _accepted_key(self, event: Any, frame: _Frame, key: Any) -> str | _Refused:
        if not isinstance(key, str):
            self._report(KEY_NOT_TEXT, event, f"the key {shown(key)} is not text: put it in quotes")
            return _REFUSED
        if key == "<<" and getattr(event, "implicit", (False,))[0]:
            self._report(MERGE_KEY, event, "merge keys (<<) are not supported: write the keys out", self._path(key))
            return _REFUSED
        if key in frame.marks:
            frame.repeated = (event, key)
            return _REFUSED
        frame.marks[key] = event.start_mark
        return key

    def _put_in_mapping(self, frame: _Frame, value: Any) -> None:
        if isinstance(frame.key, str):
            frame.mapping[frame.key] = value
        elif frame.repeated is not None:
            self._report_repeated(frame, value)
        frame.key = _NO_KEY

    def _report_repeated(self, frame: _Frame, value: Any) -> None:
        event, key = frame.repeated
        frame.repeated = None
        first, line = shown(frame.mapping[key]), frame.marks[key].line + 1
        again = event.start_mark.line + 1
        message = f"duplicate key {shown(key)}: {first} on line {line} and {shown(value)} on line {again}; keep one"
        self._report(DUPLICATE_KEY, event, message, self._path(key))

    def _path(self, key: str | None = None) -> KeyPath:
        steps = [frame.step() for frame in self.frames]
        if key is not None and steps:
            steps[-1] = key
        return tuple(step for step in steps if step is not None)

    def _report(self, rule: Rule, event: Any, message: str, path: KeyPath | None = None) -> None:
        if rule in (FOREIGN_TAG, NUMBER_TOO_LONG):
            self.refused.add(self._path())
        self.faults.take(rule, Severity.ERROR, lambda: self._fault(rule, event, message, path))

    def _fault(self, rule: Rule, event: Any, message: str, path: KeyPath | None) -> TextFault:
        start, end = event.start_mark, event.end_mark
        end_column = end.column + 1 if end.line == start.line and end.column > start.column else None
        where = self._path() if path is None else path
        return TextFault(rule, start.line + 1, start.column + 1, where, message, end_column)


def too_many_values_message() -> str:
    """Return what a file with more values than can be read is told."""
    return f"this is value {MAX_VALUES + 1:,}: a file holds at most {MAX_VALUES:,}; split it into several"


def _too_deep_message() -> str:
    return f"this is nested {MAX_DEPTH + 1} deep: at most {MAX_DEPTH}"


def _tag_text(tag: str) -> str:
    return _named(tag.replace(_CORE, "!!"))


def _named(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..."
