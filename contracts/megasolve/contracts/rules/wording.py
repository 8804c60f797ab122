"""The recurring phrases of messages: the nearest name, lists of names, times, differing leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

ABSENT = "nothing"


def listed(names: Iterable[object]) -> str:
    """Return *names* as one phrase, in the given order; `none` where there are none."""
    return ", ".join(str(name) for name in names) or "none"


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
    """Return a time as it stands in files: 2500000 ps is `2.5 us`."""
    return f"{Decimal(duration_ps).scaleb(-6).normalize():f} us"


def leaves(tree: object, path: str = "") -> dict[str, Any]:
    """Return the leaves of *tree* by their path, as `roles[1].registers`; an empty mapping or list is a leaf, too."""
    found: dict[str, Any] = {}
    if isinstance(tree, Mapping) and tree:
        for key, value in tree.items():
            found |= leaves(value, f"{path}.{key}" if path else str(key))
    elif isinstance(tree, list | tuple) and tree:
        for index, value in enumerate(tree):
            found |= leaves(value, f"{path}[{index}]")
    else:
        found[path] = tree if isinstance(tree, str | int | Decimal | float | None) else str(tree)
    return found


def differences(record: Mapping[str, Any], contract: Mapping[str, Any]) -> str:
    """Return which leaves of two contexts differ, in the order of their paths, with both values; empty where none does."""
    left, right = leaves(record), leaves(contract)
    paths = sorted(path for path in left.keys() | right.keys() if left.get(path, ABSENT) != right.get(path, ABSENT))
    return "; ".join(f"{path}: {left.get(path, ABSENT)} in the record, {right.get(path, ABSENT)} in the contract" for path in paths)
