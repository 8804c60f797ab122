"""Headroom: for every region that could be a megakernel and is none yet, what it would have to reach and what it could save."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from megasolve.contracts import OutsideTime, Study, asked_batches, checked
from megasolve.simulate import Ablation, Objective
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.need import Question
from megasolve.simulate.plan.policy import policies
from megasolve.simulate.plan.region_graph import Groups

from ..assuming.expanded import with_assumptions
from ..evidence.asking import asked_objective, refuse_wide_graph
from ..evidence.derivation import Derivation
from ..evidence.lookup import Evidence
from ..goals.constraint import JOINT
from ..optimize.space.arcs import Ps
from ..optimize.space.builder import Builder
from ..optimize.space.costing import SERIAL
from ..optimize.space.spaces import space_of
from ..search.predicates import Judge
from ..search.size import planned_size
from .baseline import Baseline, baseline
from .facts.against import against
from .facts.floor import floor_of
from .facts.today import Today, Todays
from .known import has_assumed, today_of
from .launching import LaunchAssumed, launch_assumed, stayings, words_of
from .looking import Headroom
from .regions import open_regions
from .spent import SpentToday, spent_today
from .supposition import Assumed, Supposition, assumed_of, outlook
from .trying.asked import AskedTrial
from .trying.break_even import Score, break_even
from .trying.trial import SerialTrial
from .verdict import judged

MANY = 300
"""From so many regions on, looking at them takes seconds."""


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
    wait_ps: int | None = None,
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
    wait_ps
        What one wait between its stages takes, for the floor with waits; by default there is none.
    derivation
        How times that nobody recorded are derived from the contracts' programs.

    Raises
    ------
    UnknownBatch, UnknownName, ImpossibleObjective, SpaceTooLarge, NothingToday
        The spec does not list a batch, no objective has that name, the spec has no such time, its regions cannot be listed, or
        there is no design today.
    """
    refuse_wide_graph(study.spec.value)
    study = with_assumptions(checked(study), derivation)
    spec = planned_spec(study)
    asked = asked_objective(spec, objective)
    launch, known = replace(launch_assumed(study.device.value, launch_ps), wait_ps=wait_ps), today_of(study)
    evidence, supposed = Evidence(known, derivation), Evidence(study, derivation)
    questions = [Question(spec, batch, asked) for batch in asked_batches(spec, batches)]
    pairs = [(Judge(known, question, evidence), Judge(study, question, supposed)) for question in questions]
    return HeadroomResult(spec.name, study.device.value.name, tuple(_batch(*pair, launch, derivation) for pair in pairs), spec.outside)


def _batch(judge: Judge, full: Judge, launch: LaunchAssumed, derivation: Derivation | None) -> BatchHeadroom:
    question, trial = judge.question, _trial(judge)
    best = baseline(judge, trial.sides if isinstance(trial, SerialTrial) else None, has_assumed=has_assumed(full.study))
    todays = Todays(judge, best.variant)
    found = open_regions(judge, todays)
    looking = _Looking(judge, full, todays, trial, launch, best.score_ps)
    rows = [row for groups in _watched(found.regions, derivation) for row in looking.rows(groups)]
    ordered = tuple(sorted(rows, key=lambda row: row.order))
    spent = spent_today(judge, todays, best)
    return BatchHeadroom(question.batch, question.objective, best, spent, launch, ordered, found.notes)


def _watched(regions: Sequence[Groups], derivation: Derivation | None) -> Iterator[Groups]:
    """Yield *regions*; where they are many, whoever watches is told of each that is done."""
    watched = derivation if len(regions) >= MANY else None
    for done, groups in enumerate(regions):
        if watched:
            watched.tell("regions", done, len(regions))
        yield groups
    if watched:
        watched.tell("regions", len(regions), len(regions))


def _trial(judge: Judge) -> SerialTrial | AskedTrial:
    """Return what tries regions: by products of matrices where the serial designs form a chain and nothing bears on several choices."""
    builder = Builder(judge, SERIAL, Ablation.FULL)
    if builder.is_chain and not any(isinstance(one, JOINT) for one in judge.constraints):
        return SerialTrial.of(builder, space_of(judge, SERIAL))
    return AskedTrial(judge)


@dataclass(frozen=True)
class _Looking:
    """Looks at the regions of one batch: *judge* knows what there is today, *full* what is assumed beside it."""

    judge: Judge
    full: Judge
    todays: Todays
    trial: SerialTrial | AskedTrial
    launch: LaunchAssumed
    baseline_ps: Ps

    def rows(self, groups: Groups) -> Iterator[Headroom]:
        """Yield a row for each entry that is assumed for *groups*, else for each way in which a launch of them can stay."""
        if (today := self.todays.of(groups)) is None:
            return
        every = list(assumed_of(self.full, groups))
        for one in every:
            yield self._supposed(today, one)
        for staying in () if every else stayings(self.judge.question.spec, groups):
            yield self._row(today, self.trial.score(today, staying.launching(self.launch.cost)), staying.words)

    def _supposed(self, today: Today, one: Assumed) -> Headroom:
        launching, is_shared = one.launching(self.full), self._may_share
        trial = AskedTrial(self.judge, is_for_all=True) if is_shared else self.trial
        score = AskedTrial(self.judge, is_for_all=True).score_like(self.full, one, today) if is_shared else trial.score(today, launching)
        row = self._row(today, score, words_of(self.judge.question.spec, today.choice.region.groups, launching), is_serial=not is_shared)
        found = trial.assumed(self.full, one)
        saves_ps = -self.baseline_ps if found is None else self.baseline_ps - found
        entry = one.choice.contracts[0].value.entry
        said = Supposition(entry, one.time_ps, one.accuracy, saves_ps, outlook(one, row.break_even, saves_ps, today.accuracy))
        return replace(row, supposed=said)

    @cached_property
    def _may_share(self) -> bool:
        """Whether an assumed entry may stand beside another one, in a space that is small enough to score again and again."""
        splits = any(policy.is_shared for policy in policies(self.judge.question.spec))
        return splits and planned_size(self.judge.study, self.judge.question.spec).is_small

    def _row(self, today: Today, score: Score, words: str, *, is_serial: bool = True) -> Headroom:
        groups, device, question = today.choice.region.groups, self.judge.study.device.value, self.judge.question
        # The search for the break-even, the verdict and the savings ask for the same few times.
        score = cache(score)
        floor, kernels_ps = floor_of(question, device, today), today.kernels_ps
        cycle_ps = -int(-self.baseline_ps * question.scores_per_cycle // 1)
        times = {"floor_ps": floor.time_ps, "kernels_ps": kernels_ps}
        found = break_even(score, self.baseline_ps, **times, cycle_ps=cycle_ps, is_serial=is_serial)
        at_floor, at_kernels = (self._saved(score(ps)) for ps in (floor.time_ps, kernels_ps))
        verdict = judged(found, **times, saves_ps=at_kernels)
        stands = against(today, device)
        wait_ps = self.launch.wait_ps
        with_waits_ps = None if wait_ps is None else floor.time_ps + stands.waits * wait_ps
        return Headroom(groups, words, today, floor, found, verdict, at_floor, at_kernels, stands, with_waits_ps)

    def _saved(self, score_ps: Ps | None) -> Ps:
        return 0 if score_ps is None else max(self.baseline_ps - score_ps, 0)
