"""Tables as plain text and as Markdown."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from .paint import PLAIN, Paint

GAP = "  "
_MORE = "..."
_NARROWEST = 8


@dataclass(frozen=True, slots=True)
class Column:
    """A column's title; numbers stand at its right edge."""

    title: str
    is_number: bool = False


def aligned(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], paint: Paint = PLAIN, bold: Collection[int] = (), *, indent: int = 2
) -> list[str]:
    """Return the lines of a table: the titles, then one line per row; rows whose index is in *bold* are bold.

    Where *paint* has fewer columns than the table needs, behind the *indent* of the caller, its columns at the right are left out. A text
    that reaches over the edge is cut; a number is shown whole or not at all.
    """
    titles = [column.title for column in columns]
    widths = [max(map(len, cells)) for cells in zip(titles, *rows, strict=True)]
    if paint.columns is not None:
        widths = list(_fitting(columns, widths, paint.columns - indent))
    lines = [_line(columns, widths, row) for row in rows]
    return [_line(columns, widths, titles), *(paint.bold(line) if index in bold else line for index, line in enumerate(lines))]


def _fitting(columns: Sequence[Column], widths: Sequence[int], room: int) -> Iterator[int]:
    """Yield the widths of the columns that fit into *room*; the last one may be narrower than it would be."""
    for column, width in zip(columns, widths, strict=True):
        if width <= room:
            yield width
            room -= width + len(GAP)
            continue
        if not column.is_number and room >= _NARROWEST:
            yield room
        return


def titled(columns: Sequence[Column], rows: Sequence[Sequence[str]], paint: Paint) -> list[str]:
    """Return the lines of a table whose titles are bold and that an empty line ends; none where it has no rows."""
    if not rows:
        return []
    titles, *others = aligned(columns, rows, Paint(columns=paint.columns), indent=0)
    return [paint.bold(titles), *others, ""]


def _line(columns: Sequence[Column], widths: Sequence[int], cells: Sequence[str]) -> str:
    # Columns without a width are those that no room is left for.
    cases = zip(columns, widths, cells, strict=False)
    padded = (cell.rjust(width) if column.is_number else _cut(cell, width).ljust(width) for column, width, cell in cases)
    return GAP.join(padded).rstrip()


def _cut(cell: str, width: int) -> str:
    return cell if len(cell) <= width else f"{cell[: width - len(_MORE)]}{_MORE}"


def markdown(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table."""
    rule = ["---:" if column.is_number else "---" for column in columns]
    return [_markdown_line(cells) for cells in ([column.title for column in columns], rule, *rows)]


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(markdown_text(cell) for cell in cells)} |"


def markdown_text(text: str) -> str:
    """Return *text* so that it stays in one cell of a Markdown table and is no HTML, link or image."""
    return one_line(text).replace("|", "\\|").replace("<", "&lt;").replace("](", "]\\(")


def one_line(text: str) -> str:
    """Return *text* with every control character escaped, so that it stays on one line and sends nothing to a terminal.

    Nor does it hold what GitHub takes for a command wherever it stands in a log: `##[`.
    """
    printable = "".join(char if char.isprintable() or char == " " else char.encode("unicode_escape").decode() for char in text)
    return printable.replace("##[", "##\\[")


def place_line(text: str) -> str:
    """Return *text*, which begins with the path of a file, on one line that GitHub does not take for a command: those begin with `::`."""
    shown = one_line(text)
    return f"./{shown}" if shown.lstrip().startswith("::") else shown


def indented(lines: Sequence[str], by: int = 2) -> list[str]:
    """Return *lines* moved to the right."""
    return [f"{' ' * by}{line}" if line else line for line in lines]
