"""The first findings of a file, and how many more there are: a flood is counted, not kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from ..model.closest import without_proposals
from ..model.findings import MOST_FINDINGS, Severity
from ..model.rules import Rule

Item = TypeVar("Item")
Further = Mapping[tuple[Rule, Severity], int]

# Behind so many, a repair is left to whoever mended those.
MOST_PROPOSALS = 100


class Tally(Generic[Item]):
    """Keeps the first 1,000 items; of all others it counts the rule and the severity, exactly."""

    def __init__(self) -> None:
        self.kept: list[Item] = []
        self.further: Counter[tuple[Rule, Severity]] = Counter()

    @property
    def is_full(self) -> bool:
        """Whether further items are only counted."""
        return len(self.kept) >= MOST_FINDINGS

    def take(self, rule: Rule, severity: Severity, make: Callable[[], Item]) -> None:
        """Keep what *make* returns, or count it."""
        if self.is_full:
            self.further[rule, severity] += 1
        else:
            self.kept.append(make())


def proposing_at_first(found: Iterable[Item]) -> Iterator[Item]:
    """Yield what is *found*; from the hundredth on, nothing searches for the name that was meant."""
    remaining = iter(found)
    for number, item in enumerate(remaining, start=1):
        yield item
        if number == MOST_PROPOSALS:
            break
    while True:
        with without_proposals():
            following = next(remaining, None)
        if following is None:
            return
        yield following
