"""The recurring phrases of messages: the nearest name, lists of names, times, differing leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from heapq import nsmallest

from ...model.closest import MOST_KNOWN, closest, is_proposing

MOST_LISTED = 20


def listed(names: Iterable[object]) -> str:
    """Return *names* as one phrase, in the given order; `none` where there are none."""
    return ", ".join(str(name) for name in names) or "none"


def counted(number: int, noun: str) -> str:
    """Return *number* with *noun* in the right form, digits grouped: `1 step`, `12,000 steps`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the closest of the *known* names, else which names there are."""
    if not is_proposing():
        return ""
    every = nsmallest(MOST_KNOWN, set(known))
    names = {one.casefold(): one for one in reversed(every)}
    if close := closest(name.casefold(), names):
        return f"; did you mean '{names[close]}'?"
    more = f" and {len(every) - MOST_LISTED} more" if len(every) > MOST_LISTED else ""
    return f"; known: {listed(every[:MOST_LISTED])}{more}"


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
