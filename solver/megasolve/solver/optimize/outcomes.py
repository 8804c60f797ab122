"""Outcomes: what constraints on several choices make of covers, counted over all covers without listing any.

Under each such constraint a choice of entries has a number, and those of a plan add up (a sum, no further than just above what is
allowed) or join (which of some entries are used). A cover comes to the set of what its variants come to. These sets multiply as the
regions of a cover join, so that covers are counted by them as they are by weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from megasolve.contracts import MegasolveError, Rule
from megasolve.simulate.plan.candidate import Choice
from megasolve.simulate.plan.cover import Region

from ..goals.constraint import JOINT, Alone, Constraint, Needs, Total, names_of

# Above so many different sets, or states in one, what is excluded is not counted.
MOST_OUTCOMES = 2_000
State = tuple[int, ...]
Outcome = frozenset[State]


class TooManyOutcomes(MegasolveError):
    """The covers come to more different sets than are worth counting."""


@dataclass(frozen=True)
class Demands:
    """The constraints on several choices, by their place in a state."""

    constraints: tuple[Total | Needs | Alone, ...]
    _joined: dict[tuple[Outcome, Outcome], Outcome] = field(default_factory=dict, compare=False, repr=False)

    def state_of(self, *choices: Choice) -> State:
        """Return what *choices* come to."""
        state = self.nothing
        for choice in choices:
            state = self._with(state, tuple(_number(one, choice) for one in self.constraints))
        return state

    @property
    def nothing(self) -> State:
        """What no choice comes to."""
        return (0,) * len(self.constraints)

    def broken(self, state: State) -> frozenset[Rule]:
        """Return the rules that a plan with *state* breaks."""
        return frozenset(one.rule for one, number in zip(self.constraints, state, strict=True) if _is_broken(one, number))

    def joined(self, one: Outcome, other: Outcome) -> Outcome:
        """Return what two parts of a cover come to together.

        Raises
        ------
        TooManyOutcomes
            There are too many states to go on.
        """
        if (one, other) not in self._joined:
            found = frozenset(self._with(first, second) for first, second in product(one, other))
            if len(found) > MOST_OUTCOMES or len(self._joined) > MOST_OUTCOMES**2:
                raise TooManyOutcomes(f"more than {MOST_OUTCOMES:,} states")
            self._joined[one, other] = found
        return self._joined[one, other]

    def _with(self, one: State, other: State) -> State:
        pairs = zip(self.constraints, one, other, strict=True)
        return tuple(min(a + b, rule.at_most + 1) if isinstance(rule, Total) else a | b for rule, a, b in pairs)


def demands_of(constraints: Iterable[Constraint]) -> Demands:
    """Return those of *constraints* that bear on several choices."""
    return Demands(tuple(one for one in constraints if isinstance(one, JOINT)))


def _number(one: Total | Needs | Alone, choice: Choice) -> int:
    if isinstance(one, Total):
        return min(one.weight(choice), one.at_most + 1)
    names = names_of(choice)
    asked = (one.entry, one.needs) if isinstance(one, Needs) else one.entries
    return sum((name in names) << place for place, name in enumerate(asked))


def _is_broken(one: Total | Needs | Alone, number: int) -> bool:
    if isinstance(one, Total):
        return number > one.at_most
    return number == 1 if isinstance(one, Needs) else number.bit_count() > 1


@dataclass(frozen=True)
class Spread:
    """How many covers come to each outcome, with one of them by its regions: numbers that add, and multiply as parts of covers join."""

    demands: Demands
    terms: Mapping[Outcome, tuple[int, tuple[Region, ...]]]

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: Spread) -> Spread:
        found = dict(self.terms)
        for outcome, (count, example) in other.terms.items():
            before, known = found.get(outcome, (0, example))
            found[outcome] = (before + count, known)
        return Spread(self.demands, {outcome: term for outcome, term in found.items() if term[0]})

    def __neg__(self) -> Spread:
        return Spread(self.demands, {outcome: (-count, example) for outcome, (count, example) in self.terms.items()})

    def __mul__(self, other: Spread) -> Spread:
        found: dict[Outcome, tuple[int, tuple[Region, ...]]] = {}
        for outcome, count, example in self._products(other):
            before, known = found.get(outcome, (0, example))
            found[outcome] = (before + count, known)
        if len(found) > MOST_OUTCOMES:
            raise TooManyOutcomes(f"more than {MOST_OUTCOMES:,} outcomes")
        return Spread(self.demands, {outcome: term for outcome, term in found.items() if term[0]})

    def _products(self, other: Spread) -> Iterator[tuple[Outcome, int, tuple[Region, ...]]]:
        for (one, (count, example)), (more, (times, further)) in product(self.terms.items(), other.terms.items()):
            yield self.demands.joined(one, more), count * times, (*example, *further)

    def excluded(self) -> Iterator[tuple[frozenset[Rule], int, tuple[Region, ...]]]:
        """Yield the rules that all variants of some covers break among them, how many covers these are, and one of them."""
        for outcome, (count, example) in self.terms.items():
            broken = [self.demands.broken(state) for state in outcome]
            if all(broken):
                yield frozenset[Rule]().union(*broken), count, example
