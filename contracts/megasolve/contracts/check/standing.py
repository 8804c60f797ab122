"""Judging what stands of files that are not usable: each check says what it can before it meets something that is not known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from ..files.documents import Document
from ..files.schema.standing import is_known
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


def with_one_part_each(study: Study) -> Iterator[Study]:
    """Yield *study* with each of its files that are not whole as if it were the only one, beside some that nobody knows.

    In the whole study a check ends at the first of them, which is judged there.
    """
    yield from (replace(study, contracts=contracts) for contracts in _one_part_each(study.contracts))
    yield from (replace(study, records=records) for records in _one_part_each(study.records))


def _one_part_each(documents: tuple[Document[ModelT], ...]) -> Iterator[tuple[Document[ModelT], ...]]:
    known = [one for one in documents if one is not UNKNOWN]
    whole = [one for one in known if is_known(one.value)]
    for part in known[len(whole) + 1 :][:MOST_PARTS]:
        yield (*whole, part, UNKNOWN)
