"""Judging what stands of files that are not usable: each check says what it can before it meets something that is not known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from ..files.documents import Document
from ..files.schema.standing import in_turn, is_known, turns
from ..files.study import Study
from ..model.base import UNKNOWN, Frozen, NotKnown

ModelT = TypeVar("ModelT", bound=Frozen)
Found = TypeVar("Found")

# Whoever has more of them at a time mends those first.
MOST_PARTS = 20


def before_unknown(found: Iterator[Found]) -> Iterator[Found]:
    """Yield what is *found* before something is looked at that is not known."""
    # What is written in C says no more of it than that it is not of the type that is needed.
    with suppress(NotKnown, TypeError):
        yield from found


def with_one_entry_each(value: ModelT) -> Iterator[ModelT]:
    """Yield *value*, then as often as it takes with the turn of another entry in each list that has several that are not whole."""
    yield value
    yield from (in_turn(value, turn) for turn in range(1, min(turns(value), MOST_PARTS)))


def with_one_part_each(study: Study) -> Iterator[Study]:
    """Yield *study* with each of its files that are not whole as if it were the only one, beside some that nobody knows.

    In the whole study a check ends at the first of them, which is judged there. Entries in lists of the spec have their turns, too.
    """
    yield from (replace(study, spec=replace(study.spec, value=spec)) for spec in islice(with_one_entry_each(study.spec.value), 1, None))
    yield from (replace(study, contracts=contracts) for contracts in _one_part_each(study.contracts))
    yield from (replace(study, records=records) for records in _one_part_each(study.records))


def _one_part_each(documents: tuple[Document[ModelT], ...]) -> Iterator[tuple[Document[ModelT], ...]]:
    known = [one for one in documents if one is not UNKNOWN]
    whole = [one for one in known if is_known(one.value)]
    for part in known[len(whole) + 1 :][:MOST_PARTS]:
        yield (*whole, part, UNKNOWN)
