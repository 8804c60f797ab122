"""The recurring phrases of messages: the nearest name, lists of names, times, differing leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from difflib import get_close_matches


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
