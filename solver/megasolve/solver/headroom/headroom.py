"""Headroom: for every region that could be a megakernel and is none yet, what it would have to reach and what it could save."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from megasolve.contracts import OutsideTime, Study, asked_batches
from megasolve.simulate import Ablation, Objective
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.need import Question
from megasolve.simulate.plan.region_graph import Groups

from ..evidence.asking import asked_objective, refuse_wide_graph
from ..evidence.derivation import Derivation
from ..evidence.lookup import Evidence
from ..goals.constraint import JOINT
from ..optimize.space.arcs import Ps
from ..optimize.space.builder import SERIAL, Builder
from ..optimize.space.spaces import space_of
from ..search.predicates import Judge
from .against import against
from .asked import AskedTrial
from .baseline import Baseline, baseline
from .break_even import break_even
from .floor import floor_of
from .launching import LaunchAssumed, Staying, launch_assumed, stayings
from .looking import Headroom
from .regions import open_regions
from .spent import SpentToday, spent_today
from .today import Todays
from .trial import SerialTrial
from .verdict import judged


@dataclass(frozen=True, slots=True)
class BatchHeadroom:
    """The regions of one batch, those that can save most first, beside the *baseline* that they would have to beat.

    *spent* is what the conventional kernels of today spend their time on; *launch* what one launch of a new megakernel is taken to cost.
    """

    batch: int
    objective: Objective
    baseline: Baseline
    spent: SpentToday | None
    launch: LaunchAssumed
    regions: tuple[Headroom, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeadroomResult:
    """The headroom of one spec on one device, batch by batch."""

    spec: str
    device: str
    batches: tuple[BatchHeadroom, ...]
    outside: tuple[OutsideTime, ...] = ()


def headroom(
    study: Study,
    *,
    batches: Sequence[int] | None = None,
    objective: Objective | str | None = None,
    launch_ps: int | None = None,
    derivation: Derivation | None = None,
) -> HeadroomResult:
    """Return what every region of *study* without megakernel evidence could save, at each batch.

    Parameters
    ----------
    batches
        The batches to look at; by default all that the spec lists.
    objective
        The time to save; by default what the spec minimises first.
    launch_ps
        What one launch of a new megakernel costs; by default what the device says of its launches.
    derivation
        How times that nobody recorded are derived from the contracts' programs.

    Raises
    ------
    UnknownBatch, UnknownName, ImpossibleObjective, SpaceTooLarge, NothingToday
        The spec does not list a batch, no objective has that name, the spec has no such time, its regions cannot be listed, or
        there is no design today.
    """
    refuse_wide_graph(study.spec.value)
    spec = planned_spec(study)
    asked = asked_objective(spec, objective)
    launch, evidence = launch_assumed(study.device.value, launch_ps), Evidence(study, derivation)
    judges = [Judge(study, Question(spec, batch, asked), evidence) for batch in asked_batches(spec, batches)]
    return HeadroomResult(spec.name, study.device.value.name, tuple(_batch(judge, launch) for judge in judges), spec.outside)


def _batch(judge: Judge, launch: LaunchAssumed) -> BatchHeadroom:
    question, todays = judge.question, Todays(judge)
    trial = _trial(judge)
    best = baseline(judge, trial.sides if isinstance(trial, SerialTrial) else None)
    found = open_regions(judge, todays)
    looking = _Looking(judge, todays, trial, launch, best.score_ps)
    rows = [row for groups in found.regions for row in looking.rows(groups)]
    ordered = tuple(sorted(rows, key=lambda row: row.order))
    spent = spent_today(judge, todays, best)
    return BatchHeadroom(question.batch, question.objective, best, spent, launch, ordered, found.notes)


def _trial(judge: Judge) -> SerialTrial | AskedTrial:
    """Return what tries regions: by products of matrices where the serial designs form a chain and nothing bears on several choices."""
    builder = Builder(judge, SERIAL, Ablation.FULL)
    if builder.is_chain and not any(isinstance(one, JOINT) for one in judge.constraints):
        return SerialTrial.of(builder, space_of(judge, SERIAL))
    return AskedTrial(judge)


@dataclass(frozen=True, slots=True)
class _Looking:
    """Looks at the regions of one batch."""

    judge: Judge
    todays: Todays
    trial: SerialTrial | AskedTrial
    launch: LaunchAssumed
    baseline_ps: Ps

    def rows(self, groups: Groups) -> Iterator[Headroom]:
        """Yield a row for each way in which a launch of *groups* can stay."""
        for staying in stayings(self.judge.question.spec, groups):
            if (row := self._row(groups, staying)) is not None:
                yield row

    def _row(self, groups: Groups, staying: Staying) -> Headroom | None:
        today = self.todays.of(groups)
        if today is None:
            return None
        device, question = self.judge.study.device.value, self.judge.question
        score, floor = self.trial.score(today, staying.launching(self.launch.cost)), floor_of(question, device, today)
        cycle_ps = -int(-self.baseline_ps * question.scores_per_cycle // 1)
        found = break_even(score, self.baseline_ps, floor_ps=floor.time_ps, kernels_ps=today.kernels_ps, cycle_ps=cycle_ps)
        at_floor, at_kernels = (self._saved(score(ps)) for ps in (floor.time_ps, today.kernels_ps))
        verdict = judged(found, floor_ps=floor.time_ps, kernels_ps=today.kernels_ps)
        return Headroom(groups, staying.words, today, floor, found, verdict, at_floor, at_kernels, against(today, device))

    def _saved(self, score_ps: Ps | None) -> Ps:
        return 0 if score_ps is None else max(self.baseline_ps - score_ps, 0)
