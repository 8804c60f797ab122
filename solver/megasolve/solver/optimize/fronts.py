"""Fronts: one space of a search with its model, the bounds of what is left of it, and what is learnt from each answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from .bounding import Bounding
from .hits import Order
from .space.arcs import Arc, Space
from .ways.naming import enumeration_key
from .ways.walking import Key, Limits, Prefix, Walker
from .ways.words import critical_words, first_words

# Above so many undominated choices of entries for one cover they are asked for one by one.
MOST_CHOICES = 2_000


@dataclass
class Front:
    """One space, by its place among the policies: no design of it that was not simulated is before *bound*, and nothing is left if done."""

    space: Space
    index: int
    roles: Mapping[str, str]
    ordered: int = 1
    model: Bounding = field(init=False)
    walker: Walker = field(init=False)
    bound: Order = field(init=False)
    is_done: bool = False

    def __post_init__(self) -> None:
        words = [word for time in range(len(self.space.clocks)) for word in first_words(self.space, time)] if self.space.arcs else []
        self.model = Bounding(self.space, words, self.ordered)
        self.walker = Walker(self.space, words, self.roles)
        self.bound = (0,) * self.ordered

    def ask(self, seconds: float | None, is_stopped: Callable[[], bool]) -> tuple[Arc, ...] | None:
        """Solve the model once; return the way of least bounds, if there is one."""
        answer = self.model.solve(seconds=seconds, is_stopped=is_stopped)
        self.is_done = answer.is_last
        clocks = self.space.clocks[: self.ordered]
        found = tuple(Fraction(bound, clock.divisor) for bound, clock in zip(answer.bounds, clocks, strict=True))
        self.bound = max(self.bound, found)
        return answer.way

    def longer(self, way: Sequence[Arc]) -> list[int]:
        """Return the times in which *way* takes longer than all known words say."""
        return [time for time in range(len(self.space.clocks)) if self.space.value(way, time) > self.model.length(way, time)]

    def learn(self, way: Sequence[Arc], times: Sequence[int]) -> None:
        """Add the paths that *way* takes in some *times* to the words."""
        # The letters of a word belong to the cuts of a chain: in another order of regions they would be no path.
        if not self.space.is_chain or any(arc.is_split for arc in way):
            return
        for time in times:
            for word in critical_words(self.space, way, time):
                if word not in self.model.words:
                    self.model.add(word)

    def choices(self, way: Sequence[Arc], limits: Limits) -> tuple[Prefix, ...] | None:
        """Return the undominated choices of entries for the cover of *way* within *limits*; None where there are too many to look at."""
        only = Walker(self.space, self.model.words, self.roles, [arc.slot for arc in way])
        return only.only(limits, MOST_CHOICES)

    def rewalk(self) -> None:
        """Make the walker anew, with all that was learnt."""
        self.walker = Walker(self.space, self.model.words, self.roles)

    def place(self, way: Sequence[Arc]) -> Key:
        """Return what puts the first candidate that *way* is a design of into the order of enumeration."""
        if not self.space.is_chain:
            return enumeration_key(self.space.groups, [choice.region for arc in way for choice in arc.choices])
        return self.walker.key(way)
