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
    """Keeps the first 1,000 items and counts all others: by what they say where one that is kept says it, else by rule and severity."""

    def __init__(self) -> None:
        self.kept: list[Item] = []
        self.further: Counter[tuple[Rule, Severity]] = Counter()
        self.equal: Counter[tuple[Rule, Severity, str]] = Counter()

    @property
    def is_full(self) -> bool:
        """Whether further items are only counted."""
        return len(self.kept) >= MOST_FINDINGS

    def take(self, rule: Rule, severity: Severity, make: Callable[[], Item], message: str | None = None) -> None:
        """Keep what *make* returns, or count it; *message* is what it says, where that is known without making it."""
        if not self.is_full:
            self.kept.append(make())
            if message is not None:
                self.equal[rule, severity, gist(message)] += 0
        elif message is not None and (rule, severity, gist(message)) in self.equal:
            self.equal[rule, severity, gist(message)] += 1
        else:
            self.further[rule, severity] += 1


def gist(message: str) -> str:
    """Return *message* without the name that it proposes: from the hundredth finding on none is searched for."""
    head, _, last = message.rpartition("; ")
    return head if last.startswith(("did you mean ", "known: ")) else message


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
