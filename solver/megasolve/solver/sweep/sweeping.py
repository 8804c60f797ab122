"""Sweeping a study over its batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from megasolve.contracts import Study, asked_batches
from megasolve.contracts.fields.scale import Range
from megasolve.simulate import Objective

from ..goals.where import stated_where
from ..robust.draws import Drawing
from ..robust.robustness import robustness
from ..search.predicates import Judge
from ..select.result import BatchResult, Ranked
from .category import category_of
from .planner import How, Planner
from .result import BatchSweep, Change, Sweep
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
    planner = Planner(study, how)
    asked = sorted(asked_batches(planner.spec, batches))
    judges = {objective: [planner.judge(batch, objective) for batch in asked] for objective in objectives}
    planner.prepare([judge for each in judges.values() for judge in each])
    tiles = TileSteps(study, how.derivation)
    swept = tuple(_swept(planner, each, tiles) for each in judges.values())
    plans = [pair for one in swept for pair in zip(judges[one.objective], one.results, strict=True)] if drawing else []
    robust = tuple(robustness(judge, result, drawing or Drawing()) for judge, result in plans)
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


def _swept(planner: Planner, judges: Sequence[Judge], tiles: TileSteps) -> BatchSweep:
    return swept_plans(planner, judges, list(map(planner.plan, judges)), tiles)


def swept_plans(planner: Planner, judges: Sequence[Judge], results: Sequence[BatchResult], tiles: TileSteps) -> BatchSweep:
    """Return how the *results* of the questions of *judges*, one for each batch from the smallest on, change from one to the next."""
    saved = tuple(one for judge, result in zip(judges, results, strict=True) for one in savings(judge, result, tiles))
    plain = {} if planner.size.is_small else _plain(planner, judges)
    return BatchSweep(judges[0].question.objective, tuple(results), changes(results), saved, category_of(results, saved, plain))


def _plain(planner: Planner, judges: Sequence[Judge]) -> dict[int, Ranked | None]:
    """Return the best design without megakernels at each batch: it need not be among the best that a search finds."""
    how = replace(planner.how, where=(*planner.how.where, stated_where(planner.study, "megakernels<=0")))
    without = Planner(planner.study, how, planner.evidence)
    plans = [without.plan(without.judge(judge.question.batch, judge.question.objective)) for judge in judges]
    return {plan.batch: plan.ranking[0] if plan.ranking else None for plan in plans}


def changes(results: Sequence[BatchResult]) -> tuple[Change, ...]:
    """Return every two neighbouring batches between which no best design stays one of the best."""
    pairs = pairwise(results)
    return tuple(Change(one.batch, other.batch, one.best, other.best) for one, other in pairs if not {*one.best} & {*other.best})
