"""An index of the places in one YAML text: flat arrays of numbers, some forty bytes a value, read in one pass over the parser's events."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import yaml

from ...model.wording import KeyPath
from .documents import PARSER

_NONE = 0
_HASH_BITS = 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Line, column and exclusive end column (None where the end is on another line), all from 1."""

    line: int = 1
    column: int = 1
    end_column: int | None = None


class PlaceIndex:
    """The nodes of a text in their order, each with its own span and that of its key; children follow their parent."""

    def __init__(self) -> None:
        self.values = array("I")
        self.keys = array("I")
        self.hashes = array("Q")
        self.ends = array("I")
        self.blocks = bytearray()
        self.mappings = bytearray()
        self.aliases: dict[int, int] = {}
        self._children: dict[int, array[int]] = {}
        self._named: dict[int, dict[int, int]] = {}

    def value(self, path: KeyPath) -> TextSpan:
        """Return where the value at *path* stands; of a block collection, where its key stands."""
        node = self._found(path)
        if node is None:
            return TextSpan()
        target = self.aliases.get(node, node)
        return _span(self.keys, node) if self.blocks[target] and self._has_key(node) else _span(self.values, target)

    def key(self, path: KeyPath) -> TextSpan:
        """Return where the key at *path* stands; of a list entry, where the entry stands."""
        node = self._found(path)
        if node is None:
            return TextSpan()
        return _span(self.keys, node) if self._has_key(node) else _span(self.values, self.aliases.get(node, node))

    def _has_key(self, node: int) -> bool:
        return self.keys[3 * node] != _NONE

    def _found(self, path: KeyPath) -> int | None:
        """Return the node at *path*, or the nearest one that encloses it."""
        if not self.ends:
            return None
        node = 0
        for step in path:
            child = self._child(self.aliases.get(node, node), step)
            if child is None:
                break
            node = child
        return node

    def _child(self, parent: int, step: str | int) -> int | None:
        if self.mappings[parent]:
            if parent not in self._named:
                children = self._children_of(parent)
                # Of a key that stands twice, the first counts.
                self._named[parent] = {self.hashes[child]: child for child in reversed(children)}
            return self._named[parent].get(hash(step) & _HASH_BITS) if isinstance(step, str) else None
        children = self._children_of(parent)
        return children[step] if isinstance(step, int) and 0 <= step < len(children) else None

    def _children_of(self, parent: int) -> array[int]:
        if parent not in self._children:
            found, child, end = array("I"), parent + 1, self.ends[parent]
            while child < end:
                found.append(child)
                child = self.ends[child]
            self._children[parent] = found
        return self._children[parent]


def place_index(text: str) -> PlaceIndex:
    """Return the index of *text*; empty where it is no YAML: JSON may escape what YAML does not, and stands at its start then."""
    parser = PARSER(text)
    try:
        return _Indexer(parser).index()
    except yaml.YAMLError:
        return PlaceIndex()
    finally:
        parser.dispose()


class _Indexer:
    """Takes the events of one text; of a mapping every second value is a key, unless it is a collection itself."""

    def __init__(self, parser: Any) -> None:
        self.parser = parser
        self.made = PlaceIndex()
        self.open: list[int] = []
        self.key: Any = None
        self.anchors: dict[str, int] = {}
        # How many collections are open inside a key that is one itself: they have no place.
        self.skipped = 0
        self.waits: list[bool] = []

    def index(self) -> PlaceIndex:
        single, start, end = self._single, self._start, self._end
        handlers: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: single,
            yaml.AliasEvent: single,
            yaml.SequenceStartEvent: start,
            yaml.MappingStartEvent: start,
            yaml.SequenceEndEvent: end,
            yaml.MappingEndEvent: end,
        }
        next_event = self.parser.get_event
        while (event := next_event()) is not None and type(event) is not yaml.DocumentEndEvent:
            if (handler := handlers.get(type(event))) is not None:
                handler(event)
        return self.made

    def _is_key(self) -> bool:
        return bool(self.waits) and self.waits[-1]

    def _single(self, event: Any) -> None:
        if self.skipped:
            return
        if self._is_key():
            self.key, self.waits[-1] = event, False
            return
        node = self._node(event, is_block=False, is_mapping=False)
        self.made.ends[node] = node + 1
        if isinstance(event, yaml.AliasEvent):
            anchor = self.anchors.get(event.anchor or "", node)
            self.made.aliases[node] = anchor
        self._took_value()

    def _start(self, event: Any) -> None:
        if self.skipped or self._is_key():
            self.skipped += 1
            return
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        self.open.append(self._node(event, is_block=not event.flow_style, is_mapping=is_mapping))
        self.waits.append(is_mapping)

    def _end(self, event: Any) -> None:
        if self.skipped:
            self.skipped -= 1
            if not self.skipped:
                self.key, self.waits[-1] = None, False
            return
        node = self.open.pop()
        self.waits.pop()
        self.made.ends[node] = len(self.made.ends)
        _end_span(self.made.values, node, event)
        self._took_value()

    def _took_value(self) -> None:
        self.key = None
        if self.open and self.made.mappings[self.open[-1]]:
            self.waits[-1] = True

    def _node(self, event: Any, *, is_block: bool, is_mapping: bool) -> int:
        made, node, key = self.made, len(self.made.ends), self.key
        made.values.extend(_numbers(event))
        is_named = isinstance(key, yaml.ScalarEvent)
        made.keys.extend(_numbers(key) if is_named else (_NONE, _NONE, _NONE))
        made.hashes.append(hash(key.value) & _HASH_BITS if is_named else 0)
        made.ends.append(0)
        made.blocks.append(is_block)
        made.mappings.append(is_mapping)
        if (anchor := getattr(event, "anchor", None)) is not None and not isinstance(event, yaml.AliasEvent):
            self.anchors[anchor] = node
        self.key = None
        return node


def _numbers(event: Any) -> tuple[int, int, int]:
    start, end = event.start_mark, event.end_mark
    is_one_line = end.line == start.line and end.column > start.column
    return start.line + 1, start.column + 1, end.column + 1 if is_one_line else _NONE


def _end_span(spans: array[int], node: int, event: Any) -> None:
    end, line, column = event.end_mark, spans[3 * node], spans[3 * node + 1]
    spans[3 * node + 2] = end.column + 1 if end.line + 1 == line and end.column + 1 > column else _NONE


def _span(spans: array[int], node: int) -> TextSpan:
    line, column, end_column = spans[3 * node : 3 * node + 3]
    return TextSpan(line, column, end_column or None)
