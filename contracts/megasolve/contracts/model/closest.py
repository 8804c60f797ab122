"""The name that was meant, among those that are known, and the phrases that propose it.

The cost of a search has a bound, whatever the names are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from heapq import nsmallest
from itertools import islice

# Nobody misspells a name of a page, and nobody reads a list of thousands.
LONGEST_NAME = 200
MOST_KNOWN = 500
MOST_LISTED = 20

_is_proposing: ContextVar[bool] = ContextVar("_is_proposing", default=True)


def closest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the one of the *known* names that is closest to *name*, None where none is close."""
    if len(name) > LONGEST_NAME or not _is_proposing.get():
        return None
    candidates = [one for one in islice(known, MOST_KNOWN) if len(one) <= LONGEST_NAME]
    return next(iter(get_close_matches(name, candidates, n=1, cutoff=cutoff)), None)


def closest_few(name: str, known: Sequence[str], number: int) -> tuple[str, ...]:
    """Return the *number* of the *known* names that are closest to *name*, the closest first, however far they are."""
    return tuple(get_close_matches(name, known, n=number, cutoff=0.0))


def nearest_of(found: object, names: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the name closest to *found*, or nothing."""
    close = closest(str(found).lower(), names)
    return f"; did you mean {close!r}?" if close else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the closest of the *known* names, else which names there are."""
    if not _is_proposing.get():
        return ""
    every = nsmallest(MOST_KNOWN, set(known))
    names = {one.casefold(): one for one in reversed(every)}
    if close := closest(name.casefold(), names):
        return f"; did you mean '{names[close]}'?"
    more = f" and {len(every) - MOST_LISTED} more" if len(every) > MOST_LISTED else ""
    return f"; known: {', '.join(every[:MOST_LISTED]) or 'none'}{more}"


@contextmanager
def without_proposals() -> Iterator[None]:
    """Search for no names: what is found is only counted, or so much was found that nobody reads all repairs."""
    token = _is_proposing.set(False)
    try:
        yield
    finally:
        _is_proposing.reset(token)
