"""A planner makes the plans of one study, question by question, as `solve` makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from megasolve.contracts import Spec, Study
from megasolve.simulate import Ablation, Effects, Objective
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.need import Question

from ..evidence.derivation import Derivation
from ..evidence.lookup import Evidence
from ..goals.stated import Where, stated_constraints
from ..optimize.solving import Effort, searched
from ..optimize.studies.batches import ranked
from ..search.predicates import Judge
from ..search.size import Size, planned_size
from ..search.wanted import wanted_times
from ..select.result import BatchResult


@dataclass(frozen=True, slots=True)
class How:
    """How plans of a sweep are made: as `solve` makes them."""

    derivation: Derivation
    effects: Effects
    where: Sequence[Where] = ()
    effort: Effort | None = None


class Planner:
    """Plans one study for any batch and objective; what was derived for one, or is *evidence* already, is at hand for all."""

    def __init__(self, study: Study, how: How, evidence: Evidence | None = None) -> None:
        self.study = study
        self.how = how
        self.spec: Spec = planned_spec(study)
        self.size: Size = planned_size(study, self.spec)
        self.evidence = evidence or Evidence(study, how.derivation)
        self._constraints = stated_constraints(study, how.where)

    def judge(self, batch: int, objective: Objective) -> Judge:
        """Return who judges the candidates of one question."""
        return Judge(self.study, Question(self.spec, batch, objective), self.evidence, self.how.effects, self._constraints)

    def prepare(self, judges: Sequence[Judge]) -> None:
        """Derive together what the questions of *judges* need."""
        self.evidence.prepare(wanted for judge in judges for wanted in wanted_times(judge))

    def plan(self, judge: Judge) -> BatchResult:
        """Return the plan of one question: all candidates, or the best designs of a space that is too large."""
        if self.size.is_small:
            return ranked(judge, Ablation.FULL, (judge.question.objective,), ())
        return searched(judge, Ablation.FULL, self.size, self.how.effort or Effort())
