"""Forecasting: what each planner says of each batch, as it was frozen before anybody measured, or else as it is now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from megasolve.contracts import Study
from megasolve.contracts.model.wording import shown
from megasolve.contracts.runs.timed_run import TimedRun
from megasolve.simulate import Objective

from ...evidence.derivation import Derivation
from ...pool.executor import in_order
from ...pool.shared import Shared
from ..chosen import RunsByBatch
from .changes import InputChange
from .forecast import PLANNERS, Forecast
from .frozen_plan import FrozenPlan, UnusablePlan, forecasts_of
from .living import ForecastTask, Planners, Scoring, forecast_of

Forecasts = Mapping[tuple[str, int], Forecast]


@dataclass(frozen=True, slots=True)
class FrozenPlans:
    """Plans that were made before anything was measured, and what has changed since then."""

    plans: tuple[FrozenPlan, ...] = ()
    changes: tuple[InputChange, ...] = ()

    @property
    def candidates(self) -> frozenset[str]:
        """Every candidate that they name."""
        batches = [batch for plan in self.plans for batch in plan.results]
        ranked = frozenset(row.id for batch in batches for row in batch.ranking)
        return ranked | {row.id for batch in batches for row in batch.excluded}


def refuse_other_plans(study: Study, frozen: FrozenPlans, objective: Objective) -> None:
    """Refuse a frozen plan of something else than *study*, or two of the same planner and batch."""
    seen = set[tuple[str, int]]()
    for plan in frozen.plans:
        for what, planned, now in (("spec", plan.spec, study.spec.value.name), ("device", plan.device, study.device.value.name)):
            if planned != now:
                raise UnusablePlan(f"the frozen plan is of {what} {shown(planned)}, and this is {now!r}")
        for batch in plan.results:
            if batch.objective != objective.value:
                other = f"the frozen plan ranks by {shown(batch.objective)}, and {objective.value!r} is to be judged"
                raise UnusablePlan(f"{other}: --objective says which")
            if (batch.ablation, batch.batch) in seen:
                raise UnusablePlan(f"two frozen plans of batch {batch.batch} by the planner {batch.ablation}: say one of them")
            seen.add((batch.ablation, batch.batch))


def forecasts(study: Study, runs: RunsByBatch, how: Scoring, frozen: FrozenPlans) -> Forecasts:
    """Return what every planner says of the batches of *runs*.

    What no plan froze is scored now, unless what the plans were made of has changed: then they would not be of the same plan.
    """
    found = {(one.planner, one.batch): one for plan in frozen.plans for one in forecasts_of(plan)}
    if frozen.changes:
        if lacking := [batch for batch in runs if not any(planned == batch for _, planned in found)]:
            raise UnusablePlan(
                f"the frozen plan has no batch {lacking[0]}, and what it was made of has changed since: --batch leaves it out"
            )
        return found
    missing = [(planner, batch) for batch in runs for planner in PLANNERS if (planner, batch) not in found or _has_groups(runs[batch])]
    planners = Shared(Planners(study, [batch for _, batch in missing], how))
    tasks = [
        ForecastTask(planners, planner, batch, tuple(dict.fromkeys(run.candidate for run in runs[batch]))) for planner, batch in missing
    ]
    derivation = how.derivation or Derivation()
    for (planner, batch), living in zip(missing, in_order(derivation.pool, forecast_of, tasks, derivation.planned), strict=True):
        found[planner, batch] = found[planner, batch].with_groups(living) if (planner, batch) in found else living
    return found


def _has_groups(runs: Sequence[TimedRun]) -> bool:
    return any(run.group is not None for run in runs)


def unfrozen(frozen: FrozenPlans, runs: RunsByBatch, found: Forecasts) -> Iterator[str]:
    """Yield what cannot be judged, as it was not frozen in time."""
    if frozen.changes and any(map(_has_groups, runs.values())):
        yield "groups: a frozen plan has no times of groups, and what it was made of has changed, so theirs are not judged"
    absent = [planner for planner in PLANNERS if not any(one == planner for one, _ in found)]
    if frozen.changes and absent:
        how = "megasolve solve --ablation NAME -o FILE.json freezes one"
        yield f"{' and '.join(absent)}: in no frozen plan, and what it was made of has changed, so it cannot be scored now; {how}"
