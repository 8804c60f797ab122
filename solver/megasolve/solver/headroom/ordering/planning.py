"""From a study to its build order, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from megasolve.contracts import RuleKind, Study, asked_batches, checked
from megasolve.contracts.model.contract import Assumption
from megasolve.simulate import Ablation, Objective
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.cover import Backend, Region
from megasolve.simulate.plan.need import Question
from megasolve.simulate.plan.policy import policies

from ...assuming.expanded import with_assumptions
from ...assuming.usual import assuming
from ...evidence.asking import asked_objective, refuse_wide_graph
from ...evidence.derivation import Derivation
from ...evidence.lookup import Evidence
from ...optimize.space.builder import Builder
from ...optimize.space.costing import SERIAL
from ...optimize.studies.batches import ranked
from ...search.predicates import Judge
from ...search.size import planned_size
from ..baseline import NothingToday
from ..known import has_assumed
from .built import Builds, New, RankedBuilds, all_new, assumed_entries, chain_builds
from .hunted import HuntedBuilds
from .order import BuildOrder, build_order


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """The build order of one batch. *unfit* has the assumed entries that the device cannot hold, each with the reason."""

    batch: int
    objective: Objective
    order: BuildOrder
    unfit: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PlanResult:
    """The build order of one spec on one device, batch by batch; *usual* is what was assumed because the study assumes nothing."""

    spec: str
    device: str
    batches: tuple[BatchPlan, ...]
    usual: Assumption | None = None


def plan(
    study: Study,
    *,
    batches: Sequence[int] | None = None,
    objective: Objective | str | None = None,
    usual: Assumption | None = None,
    derivation: Derivation | None = None,
) -> PlanResult:
    """Return in which order to build the entries of *study* of which there is only assumed evidence.

    A study in which nothing is assumed is planned with *usual*, if that is given. All else is as for `headroom`.
    """
    refuse_wide_graph(study.spec.value)
    taken = None if study.spec.value.assume or has_assumed(study) else usual
    sound = checked(study if taken is None else assuming(study, taken))
    study = with_assumptions(sound, derivation, is_shape_open=taken is not None)
    spec, evidence = planned_spec(study), Evidence(study, derivation)
    asked = asked_objective(spec, objective)
    judges = [Judge(study, Question(spec, batch, asked), evidence) for batch in asked_batches(spec, batches)]
    return PlanResult(spec.name, study.device.value.name, tuple(map(_batch, judges)), taken)


def _batch(judge: Judge) -> BatchPlan:
    entries = assumed_entries(judge.study, judge.question.batch)
    order = build_order(_builds(judge, entries), all_new(judge, entries))
    if not order.rows:
        name = f"{judge.question.spec.name}, batch {judge.question.batch}"
        raise NothingToday(f"{name}: no design has evidence, not even with all that is assumed; megasolve says what is missing")
    return BatchPlan(judge.question.batch, judge.question.objective, order, tuple(_unfit(judge, entries)))


def _unfit(judge: Judge, entries: New) -> Iterator[tuple[str, str]]:
    """Yield the *entries* that no design can have because of their launch shape, each with the first reason."""
    for groups in judge.graph.regions:
        for choice in judge.choices(Region(Backend.MEGAKERNEL, groups)):
            causes = [one for one in judge.causes_alone(choice, SERIAL) if one.rule.kind is RuleKind.LIMIT]
            if causes and entries.issuperset(choice.entries):
                yield choice.contracts[0].value.entry, causes[0].because


def _builds(judge: Judge, entries: New) -> Builds:
    """Return what finds designs: products of matrices for serial chains, a ranking for small spaces, else a search."""
    is_chain = Builder(judge, SERIAL, Ablation.FULL).is_chain
    if is_chain and not judge.constraints and not any(one.is_shared for one in policies(judge.question.spec)):
        return chain_builds(judge, entries)
    if planned_size(judge.study, judge.question.spec).is_small:
        return RankedBuilds(ranked(judge, Ablation.FULL, (judge.question.objective,), ()), entries)
    return HuntedBuilds(judge, entries)
