"""Tables as serving benchmarks print them: a line `Name:   value` for each figure, and a run between two lines of `=====`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .rows import Row, Table

_FIGURE = re.compile(r"\s*(?P<name>[^:=]*[^:=\s])\s*:\s+(?P<value>\S.*?)\s*")
_RULE = re.compile(r"\s*=+(?P<title>[^=]*)=+\s*")
_LEAST_FIGURES = 2


def is_printed(text: str) -> bool:
    """Whether the first line that says something is a rule of `=====`, or a figure with its name, and more of those follow."""
    lines = [line for line in text.splitlines() if line.strip()]
    first = lines[0] if lines else ""
    figures = sum(_FIGURE.fullmatch(line) is not None for line in lines)
    return figures >= _LEAST_FIGURES and (_RULE.fullmatch(first) is not None or _FIGURE.fullmatch(first) is not None)


def printed_table(file: str, text: str) -> Table:
    """Return the runs in *text*; a figure that stands again begins another run, and so does a rule with a title."""
    return Table(file, tuple(_rows(text)))


def _rows(text: str) -> Iterator[Row]:
    line, cells = 1, dict[str, object]()
    for number, row in enumerate(text.splitlines(), start=1):
        figure, rule = _FIGURE.fullmatch(row), _RULE.fullmatch(row)
        if cells and (rule or (figure and figure["name"] in cells)):
            yield Row(line, cells)
            cells = {}
        if figure:
            line = number if not cells else line
            cells[figure["name"]] = figure["value"]
    if cells:
        yield Row(line, cells)
