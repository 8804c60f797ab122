"""A field as a whole number that the plan is asked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from megasolve.contracts import Study, checked
from megasolve.contracts.fields.named import NamedField, named_fields
from megasolve.contracts.fields.scale import Scale, scale_of
from megasolve.contracts.fields.setting import with_settings, with_value
from megasolve.contracts.model.base import Tree
from megasolve.simulate import Deadlock, Objective, score
from megasolve.simulate.plan.candidate import Candidate, candidates

from ..crossings.sounding import Sounding
from ..search.predicates import Judge, Variant
from ..select.compose import compose
from ..select.result import BatchResult
from ..select.times import Ps
from .planner import How, Planner
from .record_times import Best, asking_times


@dataclass(slots=True)
class AskedField:
    """The field that *path* names in *study*, whose plan is made at any of its values; each value is planned once."""

    study: Study
    path: str
    how: How
    named: tuple[NamedField, ...] = ()
    scale: Scale = field(init=False)
    _planners: dict[int, Planner] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Once for all values: a study that is only read would be checked with each of them.
        self.study = checked(self.study)
        self.named = named_fields(self.study, self.path)
        self.scale = scale_of(self.path, self.named)

    @property
    def now(self) -> Tree:
        """What the files have; None where they have nothing, or several values."""
        known = {str(one.value): one.value for one in self.named}
        return next(iter(known.values())) if len(known) == 1 else None

    def planner(self, steps: int) -> Planner:
        """Return who plans at the value of so many *steps*."""
        if steps not in self._planners:
            self._planners[steps] = Planner(with_value(self.study, self.path, self.named, self.scale.value(steps)), self.how)
        return self._planners[steps]

    def check(self, steps: int) -> None:
        """Check the study at the value of so many *steps*, as `with_settings` does."""
        with_settings(self.study, [(self.path, self.scale.value(steps))])

    def plan(self, steps: int, batch: int, objective: Objective) -> BatchResult:
        """Return the plan at the value of so many *steps*."""
        planner = self.planner(steps)
        judge = planner.judge(batch, objective)
        planner.prepare([judge])
        return planner.plan(judge)

    def asking(self, batch: int, objective: Objective) -> Callable[[int], Sounding[Best]]:
        """Return what asks for the best designs, and their score, at a number of steps."""
        planner = Planner(self.study, self.how)
        judge = planner.judge(batch, objective)
        planner.prepare([judge])
        quick = asking_times(judge, planner.plan(judge), self.named) if self.named[0].path[0] == "records" else None
        if quick is not None:
            return quick

        def ask(steps: int) -> Sounding[Best]:
            planner = self.planner(steps)
            if not planner.size.is_small:
                result = self.plan(steps, batch, objective)
                return Sounding(result.best, result.ranking[0].score_ps if result.ranking else None)
            judge = planner.judge(batch, objective)
            planner.prepare([judge])
            return best_of(judge)

        return ask


def best_of(judge: Judge) -> Sounding[Best]:
    """Return the candidates of least score of one question, and that score: what `rank` says, and nothing else of it."""
    least: Ps | None = None
    best: list[str] = []
    for candidate in candidates(judge.question.spec, judge.graph):
        values = [_value(judge, candidate, one) for one in judge.variants(candidate) if judge.is_feasible(one, candidate.policy)]
        known = [value for value in values if value is not None]
        if not known:
            continue
        value = min(known)
        if least is None or value < least:
            least, best = value, []
        if value == least:
            best.append(str(candidate))
    return Sounding(tuple(best), None if least is None else Fraction(least))


def _value(judge: Judge, candidate: Candidate, variant: Variant) -> Ps | None:
    outcome = score(compose(judge, candidate, variant).composition, judge.question.objective)
    return None if isinstance(outcome, Deadlock) else outcome.value_ps
