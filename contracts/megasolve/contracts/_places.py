"""Where the values of a file stand: composed from its text when the first place is asked for, never before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import yaml

from ._wording import KeyPath
from ._yaml import PARSER

_COMPOSER: Any = type("_Composer", (PARSER,), {"yaml_implicit_resolvers": {}})


@dataclass(frozen=True, slots=True)
class Span:
    """Line, column and exclusive end column (None where the end is on another line), all from 1."""

    line: int = 1
    column: int = 1
    end_column: int | None = None


class Places(Protocol):
    """Finds the place of a path; an absent path has the place of its nearest enclosing value."""

    def value(self, path: KeyPath) -> Span:
        """Return where the value at *path* stands; of a block collection, where its key stands."""

    def key(self, path: KeyPath) -> Span:
        """Return where the key at *path* stands; of a list entry, where the entry stands."""


class YamlPlaces:
    """The places of one YAML text."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _root(self) -> Any:
        return _composed(self._text)

    def value(self, path: KeyPath) -> Span:
        """Return where the value at *path* stands."""
        key, node = self._nearest(path)
        is_block = not isinstance(node, yaml.ScalarNode) and not getattr(node, "flow_style", None)
        return _span(key if is_block and key is not None else node)

    def key(self, path: KeyPath) -> Span:
        """Return where the key at *path* stands."""
        key, node = self._nearest(path)
        return _span(node if key is None else key)

    def _nearest(self, path: KeyPath) -> tuple[Any, Any]:
        key, node = None, self._root
        for step in path:
            found = _child(node, step)
            if found is None:
                break
            key, node = found
        return key, node


class LinePlaces:
    """The places of a JSON lines text: the head on the first line, then one record per line, which stand under *key*."""

    def __init__(self, key: str, head: tuple[int, str], records: tuple[tuple[int, str], ...]) -> None:
        self._key = key
        self._head = head
        self._records = records

    def value(self, path: KeyPath) -> Span:
        """Return where the value at *path* stands."""
        line, places, rest = self._line(path)
        return _moved(places.value(rest), line)

    def key(self, path: KeyPath) -> Span:
        """Return where the key at *path* stands."""
        line, places, rest = self._line(path)
        return _moved(places.key(rest), line)

    def _line(self, path: KeyPath) -> tuple[int, YamlPlaces, KeyPath]:
        match path:
            case (str(key), int(index), *rest) if key == self._key and index < len(self._records):
                line, text = self._records[index]
                return line, YamlPlaces(text), tuple(rest)
            case _:
                line, text = self._head
                return line, YamlPlaces(text), path


def _composed(text: str) -> Any:
    loader = _COMPOSER(text)
    try:
        return loader.get_node() if loader.check_node() else None
    except yaml.YAMLError:  # JSON may escape what YAML does not; its faults then stand at the start of their line
        return None
    finally:
        loader.dispose()


def _child(node: Any, step: str | int) -> tuple[Any, Any] | None:
    if isinstance(node, yaml.MappingNode):
        return next(_entries(node, step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
        return None, node.value[step]
    return None


def _entries(node: Any, step: str | int) -> Iterator[tuple[Any, Any]]:
    return ((key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode) and key.value == step)


def _span(node: Any) -> Span:
    if node is None:
        return Span()
    start, end = node.start_mark, node.end_mark
    is_one_line = end.line == start.line and end.column > start.column
    return Span(start.line + 1, start.column + 1, end.column + 1 if is_one_line else None)


def _moved(span: Span, line: int) -> Span:
    return Span(span.line + line - 1, span.column, span.end_column)
