"""Cases: one batch, judged inside its pool."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..select.times import Ps
from .pool import Contender
from .ratio import Ratio


@dataclass(frozen=True, slots=True)
class GroupError:
    """What the calls of one group took in a run, beside what their records say; *group* None is the rest: launches, waits, overlap."""

    group: str | None
    measured_ps: Fraction
    predicted_ps: Ps

    @property
    def difference_ps(self) -> Fraction:
        """By how much the prediction is too long."""
        return Fraction(self.predicted_ps) - self.measured_ps

    @property
    def error(self) -> Fraction | None:
        """The same, relative to what was measured."""
        return Fraction(self.predicted_ps) / self.measured_ps - 1 if self.measured_ps > 0 and self.group else None


@dataclass(frozen=True, slots=True)
class JudgedDesign:
    """A design of the pool: what was measured, what was predicted, and how it stands to the fastest one.

    Without a prediction *because* says why. *ratio* is its time over that of the measured best.
    """

    contender: Contender
    measured_ps: Fraction
    predicted_ps: Ps | None
    because: str | None
    ratio: Ratio | None
    groups: tuple[GroupError, ...] = ()

    @property
    def error(self) -> Fraction | None:
        """The prediction over the measurement, less one."""
        return None if self.predicted_ps is None else Fraction(self.predicted_ps) / self.measured_ps - 1

    @property
    def cancelled_ps(self) -> Fraction:
        """How much of the errors of its groups does not show in the whole, as others are off in the other direction."""
        over = sum((one.difference_ps for one in self.groups if one.difference_ps > 0), Fraction(0))
        under = sum((-one.difference_ps for one in self.groups if one.difference_ps < 0), Fraction(0))
        return min(over, under)


@dataclass(frozen=True, slots=True)
class Case:
    """A batch as one planner sees it: the designs of its pool, fastest first, and whether the planner names the fastest.

    *match* says that one design alone is the fastest, and that it alone is predicted to be; None for a pool of one. *regret* is that of the
    worst design that the planner names. *ratio* is the time of the second design over that of the first; *too_close* says that its interval
    holds one. *outside* are the best of the whole space that nobody measured.
    """

    batch: int
    planner: str
    objective: str
    pool: tuple[JudgedDesign, ...]
    measured_best: tuple[str, ...]
    predicted_best: tuple[str, ...]
    match: bool | None
    regret: Fraction | None
    tau_b: float | None
    ratio: Ratio | None
    predicted_margin: Fraction | None
    is_within_accuracy: bool | None
    outside: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def too_close(self) -> bool | None:
        """Whether the measurements leave open which design is the fastest; None where they have too few blocks to say."""
        return None if self.ratio is None else self.ratio.holds_one

    @property
    def measured_margin(self) -> Fraction | None:
        """By how much the second design is slower than the first, as they were measured."""
        return None if len(self.pool) < 2 else self.pool[1].measured_ps / self.pool[0].measured_ps - 1
