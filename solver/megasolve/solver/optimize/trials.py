"""Trials: what becomes of a cover that a search names. Its best entries are simulated, in every time, and it is cut off."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from megasolve.simulate import Deadlock, design_key

from ..goals.constraint import JOINT
from ..search.kept import SolverFault
from ..select.goals.times import Goals, Times
from .fronts import Front
from .hits import Hit, OverLimit
from .space.arcs import Arc, Ps
from .ways.naming import candidates_of, named
from .ways.walking import Key, Limits

Way = tuple[Arc, ...]


@dataclass
class Trials:
    """Tries what a search names under some *goals*; where a front is wanted, every choice of entries that no other one beats.

    *over* has the candidates of which no choice of entries was found that keeps to the limits.
    """

    goals: Goals
    is_front: bool = False
    simulated: int = 0
    over: dict[tuple[Key, int], OverLimit] = field(default_factory=dict)

    @property
    def is_joint(self) -> bool:
        """Whether constraints bear on several choices together, so that entries cannot be chosen region by region."""
        return any(isinstance(one, JOINT) for one in self.goals.together.constraints)

    @property
    def is_plain(self) -> bool:
        """Whether the best entries of a cover are all that is wanted of it, in one time and without limits."""
        return not self.is_joint and len(self.goals.judges) == 1 and not self.goals.limits

    def tried(self, front: Front, way: Way) -> list[Hit]:
        """Simulate the best choices of entries for the cover of *way*, cut off what was looked at, and learn from it."""
        longer = front.longer(way)
        ways = self._choices(front, way, longer)
        if ways is None:
            # Another choice of entries may be better: only the model knows whether it is allowed, only simulation in which order it runs.
            front.model.cut_choices(way)
        else:
            front.model.cut([arc.slot for arc in way])
        front.learn(way, longer)
        # Where no choice keeps to the limits, this one says by how much.
        return [hit for one in ways or [way] if (hit := self.simulated_hit(front, one)) is not None]

    def _choices(self, front: Front, way: Way, longer: Sequence[int]) -> list[Way] | None:
        """Return what of the cover of *way* is worth simulating; None where that cannot be told without asking for one after the other."""
        values = self._values(front, way)
        is_allowed = self._keeps(values)
        if not front.space.is_chain:
            return None
        if self.is_joint:
            return None if longer or self.is_front or not is_allowed else [way]
        prefixes = front.choices(way, self._limits(front, values[0] if is_allowed and not self.is_front else None))
        if prefixes is None:
            return None
        valued = [(found, one.entries, one.arcs) for one in prefixes if self._keeps(found := self._values(front, one.arcs))]
        ordered = len(self.goals.objectives)
        best = sorted(valued, key=lambda one: (one[0][:ordered], one[1]))
        return [way for *_, way in (_undominated(best, ordered) if self.is_front else best[:1])]

    def _values(self, front: Front, way: Way) -> tuple[Ps, ...]:
        return tuple(front.space.score(way, time) for time in range(len(front.space.clocks)))

    def _keeps(self, values: Sequence[Ps]) -> bool:
        return all(most is None or value <= most for value, most in zip(values, self.goals.most, strict=True))

    def _limits(self, front: Front, first: Ps | None) -> Limits:
        """Return what each time may be, in units of its clock; the first no more than *first*, either."""
        most: list[Ps | None] = list(self.goals.most)
        if first is not None:
            most[0] = first if most[0] is None else min(first, most[0])
        return tuple(None if one is None else one * clock.divisor for one, clock in zip(most, front.space.clocks, strict=True))

    def simulated_hit(self, front: Front, way: Way) -> Hit | None:
        """Simulate one choice of entries in every time; None where it deadlocks, or passes a limit.

        Raises
        ------
        SolverFault
            The matrices of a chain do not say what simulation says.
        """
        candidate, variant = named(front.walker, way)
        times = self.goals.times(candidate, variant)
        self.simulated += 1
        if isinstance(times, Deadlock):
            return None
        for expected, found in zip(self._values(front, way), times.values(), strict=True):
            if front.space.is_chain and found.value_ps != expected:
                raise SolverFault(f"{candidate}: the search expects {expected} ps, simulation takes {found.value_ps} ps")
        place, number = (front.place(way), front.index), candidates_of(front.walker, way)
        if causes := self.goals.over(times):
            self.over.setdefault(place, OverLimit(causes[0].rule, number, str(candidate), causes[0].because))
            return None
        return Hit(self.goals.order(times), place, candidate, variant, times, self._design(times), number, ((front.index, way),))

    def _design(self, times: Times) -> tuple[tuple[Hashable, ...], ...]:
        return tuple(design_key(times[one].composed.composition, one) for one in self.goals.objectives)


def _undominated(best: Sequence[tuple[tuple[Ps, ...], object, Way]], ordered: int) -> list[tuple[tuple[Ps, ...], object, Way]]:
    """Return those of *best*, which are in order, that no other is at most as long as in every time."""
    kept: list[tuple[tuple[Ps, ...], object, Way]] = []
    for one in best:
        if not any(all(mine <= theirs for mine, theirs in zip(other[0][:ordered], one[0][:ordered], strict=True)) for other in kept):
            kept.append(one)
    return kept
