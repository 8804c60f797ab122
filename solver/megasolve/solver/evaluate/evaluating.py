"""Evaluating: from timed runs to judged cases, one for each batch that was measured, for the planner and both ablations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median_low

from megasolve.contracts import Study, checked
from megasolve.contracts.runs.slips import unit_factor
from megasolve.contracts.runs.timed_run import TimedRun, TimedRuns
from megasolve.contracts.runs.unusable import RunFault, UnusableRuns
from megasolve.simulate.plan.budgets import planned_spec

from ..evidence.asking import asked_objective
from ..select.told.notes import kind_notes
from .case import Case
from .chosen import RunsByBatch, chosen_runs, left_out
from .evaluation import Evaluation
from .forecasts.forecast import PLANNERS, Forecast
from .forecasts.forecasting import Forecasts, FrozenPlans, forecasts, refuse_other_plans, unfrozen
from .forecasts.living import Scoring
from .judging import judge_case
from .pool import Contender, pool_of
from .statistic import RESAMPLES, Statistic
from .timed_design import TimedDesign, timed_pool

# Records that were solved backwards from totals: who is judged by totals like those knew them.
REGRESSION = {"reconstructed"}


@dataclass(frozen=True, slots=True)
class Judgement:
    """How runs are judged: at which *batches*, by default all of the spec, by which *statistic*, with which *seed*."""

    batches: tuple[int, ...] = ()
    statistic: Statistic = field(default_factory=Statistic)
    seed: int = 0


def evaluate(
    study: Study, timed: TimedRuns, judgement: Judgement | None = None, scoring: Scoring | None = None, frozen: FrozenPlans | None = None
) -> Evaluation:
    """Hold the plan of *study*, or plans that were *frozen* before, against what was *timed*.

    Raises
    ------
    UnusableRuns
        Runs are of unknown candidates, of another device, precision or batch, or in another unit than the others.
    UnusablePlan
        A frozen plan is of another spec, device or objective.
    """
    study = checked(study)
    asked, how, plans = judgement or Judgement(), scoring or Scoring(), frozen or FrozenPlans()
    objective = asked_objective(planned_spec(study), how.objective)
    batches = asked.batches or study.spec.value.batches
    refuse_other_plans(study, plans, objective)
    runs = chosen_runs(study, timed, batches, objective, plans.candidates)
    found = forecasts(study, runs, how, plans)
    pools = {batch: _pool(of, _leading(found, batch)) for batch, of in runs.items()}
    timed_pools = {batch: timed_pool(pool, asked.statistic, asked.seed) for batch, pool in pools.items() if pool}
    cases = {planner: tuple(_cases(planner, timed_pools, found, asked.statistic)) for planner in PLANNERS}
    kinds = _kinds(found, pools)
    told = [*timed.notes, *left_out(timed, batches), *_partial(runs, found), *unfrozen(plans, runs, found), *_published(runs)]
    told += kind_notes(kinds) if kinds != REGRESSION else ()
    return Evaluation(
        spec=study.spec.value.name,
        device=study.device.value.name,
        objective=objective,
        statistic=asked.statistic,
        seed=asked.seed,
        resamples=RESAMPLES,
        cases={planner: judged for planner, judged in cases.items() if judged},
        changes=None if frozen is None else plans.changes,
        is_regression=kinds == REGRESSION,
        notes=tuple(dict.fromkeys(told)),
    )


def _cases(planner: str, pools: Mapping[int, tuple[TimedDesign, ...]], found: Forecasts, statistic: Statistic) -> Iterator[Case]:
    for batch, pool in pools.items():
        if (planner, batch) in found:
            yield judge_case(found[planner, batch], pool, statistic)


def _leading(found: Forecasts, batch: int) -> Forecast:
    """Return the forecast that says which candidates of a batch are one design: that of the full planner, if there is one."""
    return next(found[planner, batch] for planner in PLANNERS if (planner, batch) in found)


def _pool(runs: Sequence[TimedRun], forecast: Forecast) -> tuple[Contender, ...]:
    """Return the designs that were timed as a whole."""
    pool = tuple(one for one in pool_of(runs, forecast) if one.blocks)
    _refuse_slips(runs, pool, forecast)
    return pool


def _refuse_slips(runs: Sequence[TimedRun], pool: Sequence[Contender], forecast: Forecast) -> None:
    """Refuse designs that lie a step between units beside their predictions, where the others do not."""
    scores = {one.id: score for one in pool if (score := forecast.score_of(one.id, one.entries))}
    ratios = {one.id: Statistic().of(one.blocks) / scores[one.id] for one in pool if one.id in scores}
    usual = median_low(ratios.values()) if ratios else 1
    slipped = {name: factor for name, ratio in ratios.items() if (factor := unit_factor(ratio, usual))}
    if slipped:
        places = {run.candidate: run.place for run in reversed(runs)}
        raise UnusableRuns([RunFault(places[name], _slip(name, factor)) for name, factor in slipped.items()])


def _slip(name: str, factor: int) -> str:
    size = "longer" if factor > 0 else "shorter"
    return f"{name} took about {abs(factor):,} times {size} than predicted, and others did not: a slip of the unit? correct its rows"


def _partial(runs: RunsByBatch, found: Forecasts) -> Iterator[str]:
    for batch, of in runs.items():
        for one in pool_of(of, _leading(found, batch)):
            if not one.blocks:
                yield f"batch {batch}: {one.name} has times of groups alone, and none of the whole"


def _published(runs: RunsByBatch) -> Iterator[str]:
    of = [run for timed in runs.values() for run in timed]
    if published := sum(run.is_published for run in of):
        yield f"{'all' if published == len(of) else 'some'} times are published ones of somebody else's runs"


def _kinds(found: Forecasts, pools: Mapping[int, Sequence[Contender]]) -> set[str]:
    """Return the kinds of evidence that the scores of all pools rest on."""
    rows = [_leading(found, batch).predicted.get(one.id) for batch, pool in pools.items() for one in pool]
    return {kind for row in rows if row is not None for kind in row.evidence}
