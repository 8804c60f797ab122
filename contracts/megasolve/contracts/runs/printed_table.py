"""Tables as serving benchmarks print them: a line `Name:   value` for each figure, and a run between two lines of `=====`."""

from __future__ import annotations

from collections.abc import Iterator

from .rows import Row, Table

_LEAST_FIGURES = 2


def is_printed(text: str) -> bool:
    """Whether the first line that says something is a rule of `=====`, or a figure with its name, and more of those follow."""
    lines = [line for line in text.splitlines() if line.strip()]
    first = lines[0] if lines else ""
    is_begun = _is_rule(first) or _figure(first) is not None
    return is_begun and sum(_figure(line) is not None for line in lines) >= _LEAST_FIGURES


def printed_table(file: str, text: str) -> Table:
    """Return the runs in *text*; a figure that stands again begins another run, and so does a rule."""
    return Table(file, tuple(_rows(text)))


def _rows(text: str) -> Iterator[Row]:
    line, cells = 1, dict[str, object]()
    for number, row in enumerate(text.splitlines(), start=1):
        figure = _figure(row)
        if cells and (_is_rule(row) or (figure and figure[0] in cells)):
            yield Row(line, cells)
            cells = {}
        if figure:
            line = line if cells else number
            cells[figure[0]] = figure[1]
    if cells:
        yield Row(line, cells)


def _is_rule(line: str) -> bool:
    return line.strip().startswith("==")


def _figure(line: str) -> tuple[str, str] | None:
    """Return the name and the value of a figure; None where a line is none."""
    name, _, value = line.partition(":")
    is_one = name.strip() and "=" not in name and value[:1].isspace() and value.strip()
    return (name.strip(), value.strip()) if is_one else None
