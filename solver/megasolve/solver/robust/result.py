"""What is known of the robustness of a plan: plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from megasolve.simulate import Objective

from .designs import TimeInUse
from .flips import Flip


@dataclass(frozen=True, slots=True)
class TimeFlips:
    """How far one *time* may move, down and up, before another design is the best."""

    time: TimeInUse
    below: Flip | None
    above: Flip | None

    @property
    def nearest(self) -> Flip | None:
        """The flip that is the least off, relative to what the time is."""
        return nearest(self.below, self.above)

    @property
    def distance(self) -> Fraction:
        """How far off the nearest flip is.

        Raises
        ------
        LookupError
            There is none.
        """
        if self.nearest is None:
            raise LookupError(f"nothing turns where {self.time.name} moves")
        return abs(self.nearest.ratio)


@dataclass(frozen=True, slots=True)
class CommonFlips:
    """How far all *times* of one kind of *evidence*, on one *backend* or on both (None), may move by one factor."""

    evidence: str
    backend: str | None
    times: int
    below: Flip | None
    above: Flip | None

    @property
    def nearest(self) -> Flip | None:
        """The flip that is the least off."""
        return nearest(self.below, self.above)


def nearest(*flips: Flip | None) -> Flip | None:
    """Return the flip that is the least off; None where there is none."""
    return min((one for one in flips if one is not None), key=lambda one: abs(one.ratio), default=None)


@dataclass(frozen=True, slots=True)
class IdChance:
    """How likely the candidate *id* is the best; *same_as* is the first candidate of its design, None for that itself."""

    id: str
    share: float
    same_as: str | None = None


@dataclass(frozen=True, slots=True)
class NextMeasurement:
    """A *time* that would settle the choice: how likely that is right now and once it is known, None if nobody can say.

    *command* measures it, where its contract says how the kernel is run.
    """

    time: TimeFlips
    chance_now: float | None
    chance_then: float | None
    command: str | None


@dataclass(frozen=True, slots=True)
class Robustness:
    """How robust the plan at *batch* is: *stated* of all times say how accurate they are, *chances* are of *draws* worlds.

    All is said of *designs* designs, which are not all that there are unless the space *is_whole*. Limits on times, where it
    *is_limited*, are not looked at while times move.
    """

    batch: int
    objective: Objective
    best: tuple[str, ...]
    designs: int
    is_whole: bool
    is_limited: bool
    draws: int
    seed: int
    stated: int
    assumed_accuracy: Fraction | None
    chances: tuple[IdChance, ...]
    flips: tuple[TimeFlips, ...]
    common: tuple[CommonFlips, ...]
    measure_next: tuple[NextMeasurement, ...]

    @property
    def every_flip(self) -> Iterator[TimeFlips]:
        """The times that can turn the answer, the nearest flip first."""
        found = [one for one in self.flips if one.nearest is not None]
        yield from sorted(found, key=lambda one: one.distance)

    @property
    def chance(self) -> float | None:
        """How likely the best design is the best; None where nobody can say."""
        return next((one.share for one in self.chances if one.id in self.best), None)
