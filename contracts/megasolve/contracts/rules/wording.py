"""The recurring phrases of messages: the nearest name, lists of names, times, differing leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

ABSENT = "nothing"
MOST_DIFFERENCES = 8


def listed(names: Iterable[object]) -> str:
    """Return *names* as one phrase, in the given order; `none` where there are none."""
    return ", ".join(str(name) for name in names) or "none"


def counted(number: int, noun: str) -> str:
    """Return *number* with *noun* in the right form, digits grouped: `1 step`, `12,000 steps`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the closest of the *known* names, else which names there are."""
    names = {name.casefold(): name for name in sorted(set(known), reverse=True)}
    close = get_close_matches(name.casefold(), names, n=1)
    return f"; did you mean '{names[close[0]]}'?" if close else f"; known: {listed(sorted(set(known)))}"


def repeats(values: Sequence[object]) -> Iterator[tuple[int, int]]:
    """Yield (index, index of the first equal value) for each value that stands in *values* again."""
    first: dict[object, int] = {}
    for index, value in enumerate(values):
        if value in first:
            yield index, first[value]
        first.setdefault(value, index)


def microseconds(duration_ps: int) -> str:
    """Return an exact time in microseconds, digits grouped: 2500000 ps is `2.5 µs`."""
    return f"{Decimal(duration_ps).scaleb(-6).normalize():,f} µs"


def leaves(tree: object, path: str = "") -> dict[str, Any]:
    """Return the leaves of *tree* by their path, as `roles[1].registers`; an empty mapping or list inside is a leaf, too."""
    if isinstance(tree, Mapping) and (tree or not path):
        parts = {f"{path}.{key}" if path else str(key): value for key, value in tree.items()}
    elif isinstance(tree, list | tuple) and tree:
        parts = {f"{path}[{index}]": value for index, value in enumerate(tree)}
    else:
        return {path: tree if isinstance(tree, str | int | Decimal | float | None) else str(tree)}
    return {place: leaf for part, value in parts.items() for place, leaf in leaves(value, part).items()}


def differences(record: Mapping[str, Any], contract: Mapping[str, Any]) -> str:
    """Return which leaves of two contexts differ, in the order of their paths, with both values; empty where none does."""
    left, right = leaves(record), leaves(contract)
    pairs = {path: (left.get(path, ABSENT), right.get(path, ABSENT)) for path in sorted(left.keys() | right.keys())}
    paths = [path for path, (a, b) in pairs.items() if a != b]
    # An empty mapping on one side says nothing beside the leaves that the other side has in its place.
    telling = [path for path in paths if not any(other.startswith((f"{path}.", f"{path}[")) for other in paths)]
    differing = [f"{path}: {_plain(pairs[path][0])} in the record, {_plain(pairs[path][1])} in the contract" for path in telling]
    further = len(differing) - MOST_DIFFERENCES
    return "; ".join([*differing[:MOST_DIFFERENCES], *([f"and {further} more"] if further > 0 else [])])


def _plain(value: object) -> str:
    """Return *value* as files hold it: decimals without trailing zeros, truth values in lower case."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value.normalize():f}" if isinstance(value, Decimal) else str(value)
