"""The recurring phrases of messages: lists of names, counts, repeats and times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal


def listed(names: Iterable[object]) -> str:
    """Return *names* as one phrase, in the given order; `none` where there are none."""
    return ", ".join(str(name) for name in names) or "none"


def counted(number: int, noun: str) -> str:
    """Return *number* with *noun* in the right form, digits grouped: `1 step`, `12,000 steps`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


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
