"""The recurring phrases of messages: lists of names, counts, repeats and times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from ...model.base import BudgetRange

MOST_COUNTS = 4_096


def listed(names: Iterable[object]) -> str:
    """Return *names* as one phrase, in the given order; `none` where there are none."""
    return ", ".join(str(name) for name in names) or "none"


def repeated(value: str, first: int, among: str = "the list") -> str:
    """Return that *value* stands in a list again, of which the entry with index *first* is it already, and the repair."""
    return f"{value} is number {first + 1} of {among} already; remove one of the two"


def microseconds(duration_ps: int) -> str:
    """Return an exact time in microseconds, digits grouped: 2500000 ps is `2.5 µs`."""
    return f"{Decimal(duration_ps).scaleb(-6).normalize():,f} µs"


def range_faults(budget: BudgetRange) -> Iterator[str]:
    """Yield what is wrong with a range of budgets by itself."""
    if budget.start > budget.to:
        yield f"from {budget.start:,} to {budget.to:,} is empty; say the smaller count first"
    elif len(budget.counts) > MOST_COUNTS:
        yield f"{len(budget.counts):,} counts > {MOST_COUNTS:,}; say a larger step, or a shorter range"
