"""Sweeping a study over its batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from megasolve.contracts import Study, asked_batches, checked
from megasolve.contracts.fields.scale import Range
from megasolve.simulate import Objective

from ..goals.where import stated_where
from ..pool.executor import in_order
from ..pool.shared import Shared
from ..robust.draws import Drawing
from ..robust.result import Robustness
from ..robust.robustness import robustness
from ..search.predicates import Judge
from ..select.result import BatchResult, Ranked
from .category import category_of
from .planner import How, Planner
from .result import BatchSweep, Change, Sweep
from .saving import RegionSaving
from .savings import savings
from .tile_steps import TileSteps
from .varying import vary


def sweep_batches(
    study: Study, objectives: Sequence[Objective], how: How, batches: Sequence[int] | None = None, *, drawing: Drawing | None = None
) -> Sweep:
    """Return how the plan of *study* for each of *objectives* changes over *batches*, by default all of the spec.

    With *drawing*, also how robust each plan is.

    Raises
    ------
    UnknownBatch, ImpossibleObjective, SpaceTooLarge
        As for `solve`.
    """
    study = checked(study)
    planner = Planner(study, how)
    asked = sorted(asked_batches(planner.spec, batches))
    planner.prepare([planner.judge(batch, objective) for objective in objectives for batch in asked])
    sweeping = Shared(Sweeping(planner, TileSteps(study, how.derivation), drawing))
    tasks = [PlanTask(sweeping, batch, objective) for objective in objectives for batch in asked]
    plans = in_order(how.derivation.pool, swept_plan, tasks, how.derivation.planned)
    swept = tuple(_swept(plans[first : first + len(asked)]) for first in range(0, len(plans), len(asked)))
    robust = tuple(plan.robustness for plan in plans if plan.robustness is not None)
    off = (*how.derivation.off, *how.effects.off)
    return Sweep(planner.spec.name, study.device.value.name, swept, (), robust, off, planner.spec.outside, study.settings)


def sweep_fields(
    study: Study, ranges: Sequence[Range], objectives: Sequence[Objective], how: How, batches: Sequence[int] | None = None
) -> Sweep:
    """Return how the plan of *study* for each of *objectives*, at each batch, changes over the values of fields, one after the other.

    Raises
    ------
    UnusableField, CheckFailed
        As for `vary`.
    """
    swept = tuple(one for asked in ranges for one in vary(study, asked, objectives, how, batches))
    off = (*how.derivation.off, *how.effects.off)
    return Sweep(study.spec.value.name, study.device.value.name, (), swept, (), off, study.spec.value.outside, study.settings)


@dataclass(frozen=True, slots=True)
class Sweeping:
    """What all plans of a sweep have in common: who plans, how times come about, and with *drawing*, how robustness is found."""

    planner: Planner
    tiles: TileSteps
    drawing: Drawing | None


@dataclass(frozen=True, slots=True)
class PlanTask:
    """One *batch*, for one *objective*, of a sweep."""

    sweeping: Shared[Sweeping]
    batch: int
    objective: Objective


@dataclass(frozen=True, slots=True)
class SweptPlan:
    """The plan of one batch, what its megakernels save, the best design without any where the plan need not have it, and how sure it is."""

    result: BatchResult
    savings: tuple[RegionSaving, ...]
    plain: Ranked | None
    robustness: Robustness | None


def swept_plan(task: PlanTask) -> SweptPlan:
    """Make the plan of a task, in whichever process."""
    sweeping = task.sweeping.value
    judge = sweeping.planner.judge(task.batch, task.objective)
    return _told_of(sweeping, judge, sweeping.planner.plan(judge))


def swept_plans(planner: Planner, judges: Sequence[Judge], results: Sequence[BatchResult], tiles: TileSteps) -> BatchSweep:
    """Return how the *results* of the questions of *judges*, one for each batch from the smallest on, change from one to the next."""
    sweeping = Sweeping(planner, tiles, None)
    return _swept([_told_of(sweeping, judge, result) for judge, result in zip(judges, results, strict=True)])


def _told_of(sweeping: Sweeping, judge: Judge, result: BatchResult) -> SweptPlan:
    plain = None if sweeping.planner.size.is_small else _plain(sweeping.planner, judge)
    robust = None if sweeping.drawing is None else robustness(judge, result, sweeping.drawing)
    return SweptPlan(result, tuple(savings(judge, result, sweeping.tiles)), plain, robust)


def _swept(plans: Sequence[SweptPlan]) -> BatchSweep:
    results = tuple(one.result for one in plans)
    saved = tuple(saving for one in plans for saving in one.savings)
    plain = {one.result.batch: one.plain for one in plans}
    return BatchSweep(results[0].objective, results, changes(results), saved, category_of(results, saved, plain))


def _plain(planner: Planner, judge: Judge) -> Ranked | None:
    """Return the best design without megakernels: it need not be among the best that a search finds."""
    how = replace(planner.how, where=(*planner.how.where, stated_where(planner.study, "megakernels<=0")))
    without = Planner(planner.study, how, planner.evidence)
    return next(iter(without.plan(without.judge(judge.question.batch, judge.question.objective)).ranking), None)


def changes(results: Sequence[BatchResult]) -> tuple[Change, ...]:
    """Return every two neighbouring batches between which no best design stays one of the best."""
    pairs = pairwise(results)
    return tuple(Change(one.batch, other.batch, one.best, other.best) for one, other in pairs if not {*one.best} & {*other.best})
