"""Walking the lists of a file, also where some of their entries are not known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from ...files.schema.standing import is_known
from ...model.base import NotKnown, PartlyKnown

Entry = TypeVar("Entry")
Where = TypeVar("Where")


def one_by_one(entries: Sequence[Entry]) -> Iterator[tuple[int, Entry]]:
    """Yield each of *entries* with its index, for a judgement on each that no other one changes.

    In a list that is partly known those come first that are, then the one whose turn it is; behind that nothing is known.
    """
    return known_first(enumerate(entries), entries.turn if isinstance(entries, PartlyKnown) else None)


def known_first(placed: Iterable[tuple[Where, Entry]], turn: int | None) -> Iterator[tuple[Where, Entry]]:
    """Yield entries with where they stand: all of them where it is no one's *turn*, else as `one_by_one` does."""
    if turn is None:
        yield from placed
        return
    listed = [(where, entry, is_known(entry)) for where, entry in placed]
    yield from ((where, entry) for where, entry, known in listed if known)
    others = [(where, entry) for where, entry, known in listed if not known]
    yield from others[turn:][:1]
    if len(others) > 1:
        raise NotKnown


def repeats(entries: Sequence[Entry], value: Callable[[Entry], Any] = lambda entry: entry) -> Iterator[tuple[int, int]]:
    """Yield (index, index of the first equal one) for each of *entries* whose *value* another one has before it; unknown ones have none."""
    first: dict[object, int] = {}
    for index, entry in enumerate(entries):
        with suppress(NotKnown):
            found = value(entry)
            hash(found)
            if found in first:
                yield index, first[found]
            first.setdefault(found, index)
