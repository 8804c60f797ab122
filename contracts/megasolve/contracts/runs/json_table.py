"""Tables in JSON: one object per line, or one list of objects, or a single object. What a key holds is a cell."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from decimal import Decimal

from ..model.base import Place
from ..model.wording import kind_shown, shown
from .rows import Row, Table
from .unusable import RunFault


class _Repeated(ValueError):
    """A key that stands in one object twice."""


def json_table(file: str, text: str, faults: list[RunFault]) -> Table:
    """Return the rows in *text*; what is no object joins *faults*."""
    values = _lines(file, text, faults) if _is_lines(text) else _whole(file, text, faults)
    return Table(file, tuple(_objects(file, values, faults)))


def _is_lines(text: str) -> bool:
    """Whether the first line is an object by itself."""
    try:
        return isinstance(_parsed(text.lstrip().partition("\n")[0]), dict)
    except _Repeated:
        return True
    except (ValueError, RecursionError):
        return False


def _lines(file: str, text: str, faults: list[RunFault]) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield number, _parsed(line)
        except (ValueError, RecursionError) as error:
            why = str(error) if isinstance(error, _Repeated) else "this line is not one complete JSON object"
            faults.append(RunFault(Place(file, number), why))


def _whole(file: str, text: str, faults: list[RunFault]) -> Iterator[tuple[int, object]]:
    try:
        value = _parsed(text)
    except json.JSONDecodeError as error:
        faults.append(RunFault(Place(file, error.lineno, error.colno), f"is neither JSON lines nor one JSON text: {error.msg.lower()}"))
    except (ValueError, RecursionError) as error:
        faults.append(RunFault(Place(file), str(error) if isinstance(error, _Repeated) else "is nested too deep"))
    else:
        rows = value if isinstance(value, list) else [value]
        lines = list(_beginnings(text)) if isinstance(value, list) and all(isinstance(one, dict) for one in rows) else [1] * len(rows)
        yield from zip(lines, rows, strict=True)


def _beginnings(text: str) -> Iterator[int]:
    """Yield the line on which each object of a list of objects begins."""
    decoder, place, line = json.JSONDecoder(), text.index("[") + 1, 1 + text.count("\n", 0, text.index("["))
    while (start := text.find("{", place)) >= 0:
        line += text.count("\n", place, start)
        yield line
        _, end = decoder.raw_decode(text, start)
        line, place = line + text.count("\n", start, end), end


def _objects(file: str, values: Iterable[tuple[int, object]], faults: list[RunFault]) -> Iterator[Row]:
    for line, value in values:
        if isinstance(value, dict):
            yield Row(line, value)
        else:
            faults.append(RunFault(Place(file, line), f"found {kind_shown(value)}, expected an object with the columns as keys"))


def _parsed(text: str) -> object:
    return json.loads(text, parse_float=Decimal, parse_constant=Decimal, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise _Repeated(f"duplicate key {shown(key)}: {shown(found[key])} and {shown(value)}; keep one")
        found[key] = value
    return found
