"""Forecasts of the plan as it is now: every planner scores the same candidates with the same evidence."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from megasolve.contracts import Study
from megasolve.simulate import Ablation, Effects, Objective, design_key
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.need import Question

from ...evidence.asking import asked_objective
from ...evidence.derivation import Derivation
from ...evidence.lookup import Evidence
from ...explain.alone import candidate_of, judged
from ...goals.constraint import Limit
from ...optimize.solving import Effort, searched
from ...optimize.studies.batches import ranked
from ...pool.shared import Shared
from ...search.predicates import Judge
from ...search.size import Size, planned_size, refuse_whole
from ...search.wanted import wanted_times
from ...select.result import BatchResult, Excluded, Ranked
from .forecast import Forecast, Predicted


@dataclass(frozen=True, slots=True)
class Scoring:
    """How candidates are scored: which *objective*, how times are derived, which mechanisms are on, and how a large space is searched."""

    objective: Objective | str | None = None
    derivation: Derivation | None = None
    effects: Effects = field(default_factory=Effects)
    effort: Effort = field(default_factory=Effort)


class Planners:
    """The full planner and both ablations over one study: evidence is looked up, and derived, once for all of them."""

    def __init__(self, study: Study, batches: Sequence[int], scoring: Scoring) -> None:
        self._spec = planned_spec(study)
        self._size: Size = planned_size(study, self._spec)
        self._effort = scoring.effort
        objective, evidence = asked_objective(self._spec, scoring.objective), Evidence(study, scoring.derivation)
        self.judges = {
            batch: Judge(study, Question(self._spec, batch, objective), evidence, scoring.effects) for batch in dict.fromkeys(batches)
        }
        evidence.prepare(wanted for judge in self.judges.values() for wanted in wanted_times(judge))

    def forecast(self, planner: str, batch: int, asked: Collection[str]) -> Forecast:
        """Return what *planner* says of *batch*; of a space that is too large to rank, what it says of the candidates *asked* for, too."""
        judge, ablation = self.judges[batch], Ablation(planner)
        limited = any(isinstance(one, Limit) for one in judge.constraints)
        if limited and not self._size.is_small:
            refuse_whole(self._size)
        objectives = [judge.question.objective]
        is_whole = self._size.is_small or limited
        result = ranked(judge, ablation, objectives, ()) if is_whole else searched(judge, ablation, self._size, self._effort)
        return _forecast(judge, result, [] if is_whole else list(_alone(judge, result, asked, ablation)))


@dataclass(frozen=True, slots=True)
class ForecastTask:
    """What one *planner* says of one *batch*, and of the candidates *asked* for, is to be said by *planners*."""

    planners: Shared[Planners]
    planner: str
    batch: int
    asked: tuple[str, ...]


def forecast_of(task: ForecastTask) -> Forecast:
    """Return the forecast of a task, in whichever process."""
    return task.planners.value.forecast(task.planner, task.batch, task.asked)


def _alone(judge: Judge, result: BatchResult, asked: Collection[str], ablation: Ablation) -> Iterator[Ranked | Excluded]:
    """Yield the candidates that a search was not asked for, each judged by itself."""
    found = {row.id for row in result.ranking}
    for name in asked:
        candidate = None if name in found else candidate_of(judge, name)
        if candidate is not None:
            yield judged(judge, candidate, ablation)


def _forecast(judge: Judge, result: BatchResult, alone: Sequence[Ranked | Excluded]) -> Forecast:
    rows = [*result.ranking, *(row for row in alone if isinstance(row, Ranked))]
    excluded = [*result.excluded, *(row for row in alone if isinstance(row, Excluded))]
    objective, first = judge.question.objective, dict[object, str]()
    predicted = {
        row.id: _predicted(row, first.setdefault(design_key(row.composed.composition, objective), row.id), objective) for row in rows
    }
    causes = {row.id: "; ".join(dict.fromkeys(f"{cause.rule.code} {cause.because}" for cause in row.causes)) for row in excluded}
    return Forecast(result.ablation.value, result.batch, objective.value, result.best, predicted, causes, result.notes)


def _predicted(row: Ranked, design: str, objective: Objective) -> Predicted:
    return Predicted(
        id=row.id,
        score_ps=row.score_ps,
        design=design,
        variants=row.variants,
        slower={one.entries: one.score_ps for one in row.slower},
        evidence=row.evidence,
        accuracy=row.accuracy,
        groups=_groups(row) if objective is Objective.FIRST_PUBLICATION else None,
    )


def _groups(row: Ranked) -> dict[str, int]:
    """Return what the calls of each group take until the first publication, as their records state it."""
    spent: dict[str, int] = {}
    for usage in row.composed.usages:
        name = usage.need.group.name
        spent[name] = spent.get(name, 0) + usage.spent_ps
    return spent
