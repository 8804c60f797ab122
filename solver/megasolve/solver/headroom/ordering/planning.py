"""From a study to its build order, batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from megasolve.contracts import Study, asked_batches, checked
from megasolve.simulate import Ablation, Objective
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.need import Question
from megasolve.simulate.plan.policy import policies

from ...assuming.expanded import with_assumptions
from ...evidence.asking import asked_objective, refuse_wide_graph
from ...evidence.derivation import Derivation
from ...evidence.lookup import Evidence
from ...optimize.solving import ranked
from ...optimize.space.builder import Builder
from ...optimize.space.costing import SERIAL
from ...search.predicates import Judge
from ...search.size import planned_size
from ..baseline import NothingToday
from .built import Builds, New, RankedBuilds, all_new, assumed_entries, chain_builds
from .hunted import HuntedBuilds
from .order import BuildOrder, build_order


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """The build order of one batch."""

    batch: int
    objective: Objective
    order: BuildOrder


@dataclass(frozen=True, slots=True)
class PlanResult:
    """The build order of one spec on one device, batch by batch."""

    spec: str
    device: str
    batches: tuple[BatchPlan, ...]


def plan(
    study: Study,
    *,
    batches: Sequence[int] | None = None,
    objective: Objective | str | None = None,
    derivation: Derivation | None = None,
) -> PlanResult:
    """Return in which order to build the entries of *study* of which there is only assumed evidence.

    The parameters and errors are those of `headroom`.
    """
    refuse_wide_graph(study.spec.value)
    study = with_assumptions(checked(study), derivation)
    spec, evidence = planned_spec(study), Evidence(study, derivation)
    asked = asked_objective(spec, objective)
    judges = [Judge(study, Question(spec, batch, asked), evidence) for batch in asked_batches(spec, batches)]
    return PlanResult(spec.name, study.device.value.name, tuple(map(_batch, judges)))


def _batch(judge: Judge) -> BatchPlan:
    entries = assumed_entries(judge.study, judge.question.batch)
    order = build_order(_builds(judge, entries), all_new(judge, entries))
    if not order.rows:
        name = f"{judge.question.spec.name}, batch {judge.question.batch}"
        raise NothingToday(f"{name}: no design has evidence, not even with all that is assumed; megasolve says what is missing")
    return BatchPlan(judge.question.batch, judge.question.objective, order)


def _builds(judge: Judge, entries: New) -> Builds:
    """Return what finds designs: products of matrices for serial chains, a ranking for small spaces, else a search."""
    is_chain = Builder(judge, SERIAL, Ablation.FULL).is_chain
    if is_chain and not judge.constraints and not any(one.is_shared for one in policies(judge.question.spec)):
        return chain_builds(judge, entries)
    if planned_size(judge.study, judge.question.spec).is_small:
        return RankedBuilds(ranked(judge, Ablation.FULL, (judge.question.objective,), ()), entries)
    return HuntedBuilds(judge, entries)
