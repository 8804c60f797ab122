"""The name that was meant, among those that are known: a search whose cost has a bound, whatever the names are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from itertools import islice

# Nobody misspells a name of a page, and nobody reads a list of thousands.
LONGEST_NAME = 200
MOST_KNOWN = 500

_is_proposing: ContextVar[bool] = ContextVar("_is_proposing", default=True)


def closest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the one of the *known* names that is closest to *name*, None where none is close."""
    if len(name) > LONGEST_NAME or not _is_proposing.get():
        return None
    candidates = [one for one in islice(known, MOST_KNOWN) if len(one) <= LONGEST_NAME]
    return next(iter(get_close_matches(name, candidates, n=1, cutoff=cutoff)), None)


def is_proposing() -> bool:
    """Whether names are searched for."""
    return _is_proposing.get()


@contextmanager
def without_proposals() -> Iterator[None]:
    """Search for no names: what is found is only counted, or so much was found that nobody reads all repairs."""
    token = _is_proposing.set(False)
    try:
        yield
    finally:
        _is_proposing.reset(token)
