"""What two sides that run beside each other pay for it: the times of each in a steady cycle, beside the other one and alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from megasolve.simulate import Deadlock, Objective
from megasolve.simulate.plan.candidate import Candidate
from megasolve.simulate.plan.need import Question
from megasolve.simulate.plan.policy import Policy
from megasolve.simulate.plan.sharing import Sharing
from megasolve.simulate.predict.cycles.sides import serial_cycle_ps, sides_alone, sides_beside

from ..search.predicates import Judge
from ..select.compose import compose
from ..select.result import Ranked
from ..select.times import Ps


@dataclass(frozen=True, slots=True)
class PaidSide:
    """What the `steps` of a cycle, or its `chunk`, take *beside_ps* the other side, and *alone_ps* on the whole device; None if unknown."""

    name: str
    beside_ps: Ps
    alone_ps: Ps | None

    @property
    def paid(self) -> Fraction | None:
        """By which share of its time alone it takes longer beside the other side; None where that is not known."""
        return Fraction(self.beside_ps) / Fraction(self.alone_ps) - 1 if self.alone_ps else None


@dataclass(frozen=True, slots=True)
class PaidBySides:
    """A steady cycle of *steps* steps and a chunk on two streams or partitions, by its *sides*.

    *serial_ps* is what both take one after the other on the whole device; None where evidence for that is missing.
    """

    steps: int
    sides: tuple[PaidSide, PaidSide]
    serial_ps: Ps | None

    @property
    def cycle_ps(self) -> Ps:
        """How long the cycle takes: as long as the longer side."""
        return max(one.beside_ps for one in self.sides)


def paid_by_sides(judge: Judge, row: Ranked) -> PaidBySides | None:
    """Return what the sides of a candidate on two streams or partitions pay; None under other policies, and without the evidence."""
    policy, spec = row.candidate.policy, judge.question.spec
    if not (policy.is_streams or policy.is_partition):
        return None
    has_later_chunks = spec.stream is not None and spec.stream.next_chunk is not None
    asked = Objective.CHUNK_INTERVAL if has_later_chunks else Objective.PRODUCER_STEP
    steady = Judge(judge.study, Question(spec, judge.question.batch, asked), judge.evidence, judge.effects)
    variant, serial = row.tied[0], Policy(Sharing.SERIAL)
    if not steady.is_feasible(variant, policy):
        return None
    composition = compose(steady, row.candidate, variant).composition
    beside = sides_beside(composition)
    if isinstance(beside, Deadlock):
        return None
    ordered = compose(steady, Candidate(row.candidate.cover, serial), variant).composition if steady.is_feasible(variant, serial) else None
    alone = None if ordered is None else sides_alone(ordered)
    sides = (
        PaidSide("steps", beside.steps_ps, None if alone is None else alone.steps_ps),
        PaidSide("chunk", beside.chunk_ps, None if alone is None else alone.chunk_ps),
    )
    return PaidBySides(composition.schedule.cycle_steps, sides, None if ordered is None else serial_cycle_ps(ordered))
