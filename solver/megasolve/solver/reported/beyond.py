"""What a report says beyond the plan itself: how it changes from batch to batch, what else could be built, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from megasolve.contracts import Study
from megasolve.simulate import Effects

from ..assuming.expanded import with_assumptions
from ..evidence.asking import SpaceTooLarge
from ..evidence.derivation import Derivation
from ..explain.explanation import judge_of
from ..headroom.baseline import NothingToday
from ..headroom.headroom import BatchHeadroom, headroom
from ..headroom.ordering.planning import BatchPlan, plan
from ..optimize.solving import Effort, Progress
from ..robust.draws import Drawing
from ..robust.result import Robustness
from ..robust.robustness import robustness
from ..select.result import BatchResult
from ..sweep.planner import How, Planner
from ..sweep.result import BatchSweep
from ..sweep.sweeping import swept_plans
from ..sweep.tile_steps import TileSteps


@dataclass(frozen=True, slots=True)
class Beyond:
    """What is said of one batch beyond its plan: how far times may be off, what else could be built, and in which order.

    The last two are None where nobody can say it, and where nothing is assumed.
    """

    robust: Robustness
    headroom: BatchHeadroom | None
    order: BatchPlan | None


def beyond(study: Study, result: BatchResult, derivation: Derivation | None, say: Progress | None = None) -> Beyond | None:
    """Return what is said beyond *result*, and *say* what is looked at on the way; None where nothing is feasible."""
    if not result.ranking:
        return None
    full = with_assumptions(study, derivation)
    judge = judge_of(full, batch=result.batch, objective=result.objective, derivation=derivation)
    tell = say or (lambda _line: None)
    tell(f"how far times of batch {result.batch} may be off")
    robust = robustness(judge, result, Drawing())
    tell(f"what else could be built for batch {result.batch}")
    return Beyond(robust, _headroom(study, result, derivation), _order(study, result, derivation))


def swept(study: Study, results: Sequence[BatchResult], derivation: Derivation | None, effort: Effort | None) -> BatchSweep | None:
    """Return how *results* change from batch to batch; None where fewer than two have a plan."""
    ordered = sorted((one for one in results if one.ranking), key=lambda one: one.batch)
    if len(ordered) < 2:
        return None
    how = How(derivation or Derivation(), Effects(), effort=effort)
    full = with_assumptions(study, how.derivation)
    planner = Planner(full, how)
    judges = [planner.judge(one.batch, one.objective) for one in ordered]
    planner.prepare(judges)
    return swept_plans(planner, judges, ordered, TileSteps(full, how.derivation))


def _headroom(study: Study, result: BatchResult, derivation: Derivation | None) -> BatchHeadroom | None:
    try:
        (found,) = headroom(study, batches=[result.batch], objective=result.objective, derivation=derivation).batches
    except (NothingToday, SpaceTooLarge):
        return None
    return found


def _order(study: Study, result: BatchResult, derivation: Derivation | None) -> BatchPlan | None:
    kinds = {record.provenance.kind for document in study.records for record in document.value.records}
    if not study.spec.value.assume and "assumed" not in kinds:
        return None
    try:
        (found,) = plan(study, batches=[result.batch], objective=result.objective, derivation=derivation).batches
    except (NothingToday, SpaceTooLarge):
        return None
    return found
