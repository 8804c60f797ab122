"""What is assumed of a region: an entry that nobody built, with the time that its calls are said to take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from megasolve.simulate.plan.candidate import Choice
from megasolve.simulate.plan.cover import Backend, Region
from megasolve.simulate.plan.launches import Persistent, launching_of
from megasolve.simulate.plan.region_graph import Groups

from ..evidence.lookup import NoEvidence, RecordUse
from ..optimize.space.arcs import Ps
from ..optimize.space.costing import SERIAL
from ..search.predicates import Judge
from ..select.compose import launch_cost
from .trying.break_even import BreakEven


class Outlook(Enum):
    """What an assumed time means beside the break-even."""

    PAYS = "pays as assumed"
    LOSES = "loses as assumed"
    TOO_CLOSE = "too close to call"


@dataclass(frozen=True, slots=True)
class Supposition:
    """One *entry* for a region: one occurrence of its members takes *time_ps*, known to *accuracy*.

    With it the best design saves *saves_ps*, below zero where it loses.
    """

    entry: str
    time_ps: int
    accuracy: Fraction | None
    saves_ps: Ps
    outlook: Outlook


@dataclass(frozen=True, slots=True)
class Assumed:
    """An assumed entry of a region with its records."""

    choice: Choice
    uses: tuple[tuple[int, RecordUse], ...]

    @property
    def time_ps(self) -> int:
        """What one occurrence of all members takes."""
        return sum(calls * use.record.time_ps for calls, use in self.uses)

    @property
    def accuracy(self) -> Fraction | None:
        """How accurate that is by what its records state; None where none states it."""
        stated = [Fraction(use.record.accuracy) * calls * use.record.time_ps for calls, use in self.uses if use.record.accuracy is not None]
        return sum(stated, Fraction(0)) / self.time_ps if stated else None

    def launching(self, judge: Judge) -> Persistent:
        """Return how its contract says that it is launched."""
        first = self.choice.contracts[0].value
        found = launching_of(first, launch_cost(judge.study.device.value, first))
        if not isinstance(found, Persistent):
            raise TypeError(f"{first.entry} is no megakernel")
        return found


def assumed_of(judge: Judge, groups: Groups) -> Iterator[Assumed]:
    """Yield the entries for *groups* that break no rule and have assumed evidence."""
    for choice in judge.choices(Region(Backend.MEGAKERNEL, groups)):
        if not judge.causes_alone(choice, SERIAL):
            found = [(need.group.calls, use) for need in judge.needs(choice, SERIAL) for use in judge.records(choice, need)]
            uses = tuple((calls, use) for calls, use in found if not isinstance(use, NoEvidence))
            if any(use.record.provenance.kind == "assumed" for _, use in uses):
                yield Assumed(choice, uses)


def outlook(one: Assumed, found: BreakEven, saves_ps: Ps, today: Fraction | None) -> Outlook:
    """Return what the assumed time of *one* means beside the break-even that was *found*; *today* is how accurate the kernels of today are.

    Where either time states an accuracy, and what both may be meets, nobody can tell.
    """
    if found.time_ps is not None and (one.accuracy or today) and _meet((one.time_ps, one.accuracy), (found.time_ps, today)):
        return Outlook.TOO_CLOSE
    return Outlook.PAYS if saves_ps >= 0 else Outlook.LOSES


def _meet(one: tuple[int, Fraction | None], other: tuple[int, Fraction | None]) -> bool:
    """Whether two times, each with its accuracy, may be equal."""
    spans = [(time_ps * (1 - (accuracy or 0)), time_ps * (1 + (accuracy or 0))) for time_ps, accuracy in (one, other)]
    return spans[0][0] <= spans[1][1] and spans[1][0] <= spans[0][1]
