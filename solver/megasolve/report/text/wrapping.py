"""Prose on a terminal: lines that are longer than it end between two words, and go on a little further in."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PAINT = re.compile(r"\x1b\[\d*m")
# A number stays with its unit.
_WORDS = re.compile(r"\S+(?: (?:%|[mµ]s(?!\w))\S*)?")
_HANGING = 4
# A line of so few words in so little room would be one word below the other.
NARROWEST = 24


def wrapped(text: str, columns: int | None) -> str:
    """Return *text* with no line of several words longer than *columns*; a word that is longer stays whole.

    Lines that fit stay as they are, also where they align something by several spaces: tables are never wider than their terminal.
    """
    if columns is None or columns < NARROWEST:
        return text
    return "\n".join(part for line in text.split("\n") for part in _parts(line, columns))


def _parts(line: str, columns: int) -> Iterator[str]:
    if _width(line) <= columns:
        yield line
        return
    indent = line[: len(line) - len(line.lstrip(" "))]
    head, hanging = indent, indent + " " * _HANGING
    for word in _WORDS.findall(line):
        if head.strip() and _width(head) + _width(word) >= columns:
            yield head.rstrip()
            head = hanging
        head += f"{word} "
    yield head.rstrip()


def _width(text: str) -> int:
    return len(_PAINT.sub("", text))
