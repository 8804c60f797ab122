"""Goals: the times by which plans are ordered, first things first, and those that have a limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from megasolve.contracts.model.base import us_text
from megasolve.simulate import Ablation, Deadlock, Objective, score
from megasolve.simulate.plan.candidate import Candidate
from megasolve.simulate.plan.cause import Cause
from megasolve.simulate.plan.need import Question
from megasolve.simulate.plan.policy import Policy

from ...goals.constraint import Limit
from ...search.predicates import Judge, Variant
from ..compose import Composed, compose
from ..times import Ps

TIME_WORDS = {
    Objective.FIRST_PUBLICATION: "first publication",
    Objective.PRODUCER_STEP: "a producer step",
    Objective.CHUNK_INTERVAL: "a chunk interval",
}


@dataclass(frozen=True, slots=True)
class TimeOf:
    """One time of a variant, with what it was simulated from."""

    value_ps: Ps
    composed: Composed


Times: TypeAlias = "dict[Objective, TimeOf]"


@dataclass(frozen=True, slots=True)
class Goals:
    """What orders plans, *objectives* in order of priority, and the *limits* on their times, with the judge of each time.

    *together* judges what all of the times ask for.
    """

    objectives: tuple[Objective, ...]
    limits: tuple[Limit, ...]
    judges: Mapping[Objective, Judge]
    ablation: Ablation
    together: Judge

    @property
    def most(self) -> tuple[int | None, ...]:
        """What each of the times may be at most; None where it may be anything."""
        least = {limit.objective: limit.at_most_ps for limit in sorted(self.limits, key=lambda one: -one.at_most_ps)}
        return tuple(least.get(objective) for objective in self.judges)

    def missing(self, variant: Variant, policy: Policy) -> tuple[Cause, ...]:
        """Return what keeps a variant that the first objective allows from having all of the times."""
        others = list(self.judges.values())[1:]
        return tuple(dict.fromkeys(cause for judge in others for cause in judge.variant_causes(variant, policy)))

    def times(self, candidate: Candidate, variant: Variant) -> Times | Deadlock:
        """Simulate every time of one variant, or return the deadlock that it runs into."""
        found: Times = {}
        for objective, judge in self.judges.items():
            composed = compose(judge, candidate, variant)
            outcome = score(composed.composition, objective, ablation=self.ablation)
            if isinstance(outcome, Deadlock):
                return outcome
            found[objective] = TimeOf(outcome.value_ps, composed)
        return found

    def order(self, times: Mapping[Objective, TimeOf]) -> tuple[Ps, ...]:
        """Return what plans are ordered by."""
        return tuple(times[objective].value_ps for objective in self.objectives)

    def over(self, times: Mapping[Objective, TimeOf]) -> tuple[Cause, ...]:
        """Return a cause for each limit that is passed."""
        return tuple(
            _over(limit, times[limit.objective].value_ps) for limit in self.limits if times[limit.objective].value_ps > limit.at_most_ps
        )


def _over(limit: Limit, value: Ps) -> Cause:
    # A time above the limit is never printed as equal to it.
    above = us_text(-(-value.numerator // value.denominator))
    return Cause(limit.rule, f"{TIME_WORDS[limit.objective]} of {above} us > {us_text(limit.at_most_ps)} us ({limit.path})", limit.path)


def goals_of(judge: Judge, objectives: Sequence[Objective], ablation: Ablation) -> Goals:
    """Return the goals of the question that *judge* judges: its objective first, then *objectives* and what its constraints limit."""
    limits = tuple(one for one in judge.constraints if isinstance(one, Limit))
    ordered = tuple(dict.fromkeys((judge.question.objective, *objectives)))
    named = dict.fromkeys((*ordered, *(limit.objective for limit in limits)))
    judges = {objective: judge if objective is judge.question.objective else _asked_for(judge, objective) for objective in named}
    others = tuple(judges.values())[1:]
    together = Judge(judge.study, judge.question, judge.evidence, judge.effects, judge.constraints, also=others) if others else judge
    return Goals(ordered, limits, judges, ablation, together)


def _asked_for(judge: Judge, objective: Objective) -> Judge:
    """Return a judge of the same study under another objective; constraints on choices are judged once."""
    question = Question(judge.question.spec, judge.question.batch, objective)
    return Judge(judge.study, question, judge.evidence, judge.effects, constraints=())
