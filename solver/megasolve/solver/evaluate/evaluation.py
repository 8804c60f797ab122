"""Evaluation: the planner and its ablations beside each other, over all batches that were measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from megasolve.simulate import Objective

from .case import Case
from .forecasts.changes import InputChange
from .statistic import Statistic


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The *cases* of each planner. *changes* are what a frozen plan was made of and is no longer so; None where nothing was frozen.

    *is_regression*: the planner knew totals like those that judge it, so that its success counts for nothing.
    """

    spec: str
    device: str
    objective: Objective
    statistic: Statistic
    seed: int
    resamples: int
    cases: Mapping[str, tuple[Case, ...]]
    changes: tuple[InputChange, ...] | None = None
    is_regression: bool = False
    notes: tuple[str, ...] = ()

    @property
    def planners(self) -> tuple[str, ...]:
        """The planners that judged something, the full one first."""
        return tuple(self.cases)

    @property
    def leading(self) -> tuple[Case, ...]:
        """The cases of the first planner; what was measured is the same in those of all."""
        return next(iter(self.cases.values()), ())

    def matches(self, planner: str) -> int:
        """Return in how many cases *planner* names the one fastest design."""
        return sum(case.match is True for case in self.cases[planner])

    def decided(self, planner: str) -> int:
        """Return how many cases there are in which there was something to choose."""
        return sum(case.match is not None for case in self.cases[planner])

    def most_regret(self, planner: str) -> Fraction | None:
        """Return the largest regret of *planner*; None where it named nothing."""
        return max((case.regret for case in self.cases[planner] if case.regret is not None), default=None)
