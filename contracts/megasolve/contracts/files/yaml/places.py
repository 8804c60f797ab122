"""Where the values of a file stand: looked up in an index of its text that is made when the first place is asked for, never before."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from ...model.wording import KeyPath
from .json_lines import LineTable
from .place_index import PlaceIndex, TextSpan, place_index

__all__ = ["LinePlaces", "Places", "TextSpan", "YamlPlaces"]


class Places(Protocol):
    """Finds the place of a path; an absent path has the place of its nearest enclosing value."""

    def value(self, path: KeyPath) -> TextSpan:
        """Return where the value at *path* stands; of a block collection, where its key stands."""

    def key(self, path: KeyPath) -> TextSpan:
        """Return where the key at *path* stands; of a list entry, where the entry stands."""


class YamlPlaces:
    """The places of one YAML *text*."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __reduce__(self) -> tuple[type[YamlPlaces], tuple[str]]:
        # An index finds keys by their hashes, which are others in another process: it is made anew there.
        return YamlPlaces, (self.text,)

    @cached_property
    def _index(self) -> PlaceIndex:
        return place_index(self.text)

    def value(self, path: KeyPath) -> TextSpan:
        """Return where the value at *path* stands."""
        return self._index.value(path)

    def key(self, path: KeyPath) -> TextSpan:
        """Return where the key at *path* stands."""
        return self._index.key(path)


class LinePlaces:
    """The places of a JSON lines text: the head on the first line, then one record per line, which stand under *key*."""

    def __init__(self, key: str, head: tuple[int, str], records: LineTable) -> None:
        self._key = key
        self._head = head
        self._records = records
        self._lines: dict[int, YamlPlaces] = {}

    def value(self, path: KeyPath) -> TextSpan:
        """Return where the value at *path* stands."""
        line, places, rest = self._line(path)
        return _moved(places.value(rest), line)

    def key(self, path: KeyPath) -> TextSpan:
        """Return where the key at *path* stands."""
        line, places, rest = self._line(path)
        return _moved(places.key(rest), line)

    def _line(self, path: KeyPath) -> tuple[int, YamlPlaces, KeyPath]:
        match path:
            case (str(key), int(index), *rest) if key == self._key and index < len(self._records):
                return (*self._places(*self._records[index]), tuple(rest))
            case _:
                return (*self._places(*self._head), path)

    def _places(self, line: int, text: str) -> tuple[int, YamlPlaces]:
        # Each line once, however many places in it are asked for.
        if line not in self._lines:
            self._lines[line] = YamlPlaces(text)
        return line, self._lines[line]


def _moved(span: TextSpan, line: int) -> TextSpan:
    return TextSpan(span.line + line - 1, span.column, span.end_column)
