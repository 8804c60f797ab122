"""Soundings: what is so at one value of a field, each asked for once; and crossings, between which of them it changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Generic, TypeVar

S = TypeVar("S", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Sounding(Generic[S]):
    """What is so at one value: a *state*, which may change from value to value, and the *score* that decides it, where it is a number."""

    state: S
    score: int | Fraction | None = None


@dataclass(frozen=True, slots=True)
class Crossing(Generic[S]):
    """The state is *before* at *last* and *after* at *first*, and nothing was asked between them; downwards *first* is the smaller one."""

    last: int
    first: int
    before: S
    after: S

    @property
    def is_exact(self) -> bool:
        """Whether no value lies between the two."""
        return abs(self.first - self.last) == 1


Ask = Callable[[int], Sounding[S]]


@dataclass(slots=True)
class Sounded(Generic[S]):
    """Asks for each value once, and remembers the sounding."""

    ask: Ask[S]
    known: dict[int, Sounding[S]] = field(default_factory=dict)

    def at(self, value: int) -> Sounding[S]:
        """Return the sounding at *value*."""
        if value not in self.known:
            self.known[value] = self.ask(value)
        return self.known[value]

    def crossing(self, last: int, first: int) -> Crossing[S]:
        """Return the crossing between two values whose states differ."""
        return Crossing(last, first, self.at(last).state, self.at(first).state)

    def differ(self, one: int, other: int) -> bool:
        """Whether the states at two values differ."""
        return self.at(one).state != self.at(other).state
