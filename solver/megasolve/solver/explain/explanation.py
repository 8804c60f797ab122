"""Explanations: why a candidate stands where it does, or every reason why it is excluded."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from megasolve.contracts import Study, UnknownBatch, asked_batches
from megasolve.contracts.model.closest import closest_few
from megasolve.simulate import Branches, Effects, Objective, Score, Segment, branches, critical_path, score
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.candidate import candidates
from megasolve.simulate.plan.cause import Cause
from megasolve.simulate.plan.need import Question

from ..assuming.expanded import with_assumptions
from ..evidence.asking import asked_objective
from ..evidence.derivation import Derivation
from ..evidence.lookup import Evidence
from ..search.predicates import Judge
from ..search.size import planned_size
from ..search.wanted import wanted_times
from ..select.compose import Usage
from ..select.fitting import Fitting, fitting
from ..select.result import Excluded, Ranked
from ..select.selection import rank
from ..select.steps import Steps, steps_of
from ..select.stream.continuity import continuity_of
from ..select.stream.findings import PlanFinding, findings_in
from ..select.times import Ps
from ..select.told.beside import with_measured
from .alone import candidate_of, judged, like
from .kernels import RegionShare, region_shares
from .lacking import to_measure
from .paid import PaidBySides, paid_by_sides
from .picture import Picture, picture
from .strangers import excluded_by_edges

SECONDS_TO_COMPARE = 20.0


@dataclass(frozen=True, slots=True)
class GroupShare:
    """What one group costs until the objective: *given_ps* as its records state it, and its share of all service."""

    group: str
    given_ps: int
    share: Fraction


@dataclass(frozen=True, slots=True)
class Explanation:
    """A ranked candidate, explained. The *segments* of the critical path sum exactly to the row's score.

    *place* counts from 1; candidates of equal score share the place of the first of them; None is behind the last that a search
    found. *difference* is relative to the best score. *without* names the mechanisms of derived times that were off. *continuity*
    says whether playback goes on, *findings* are those of it that say what is wrong. *picture* is the region graph, where that is more than
    a chain. *to_measure* says of two streams what would tell by how much their score is a best case, and
    *paid_by_sides* of streams and partitions what each side pays for the other one.
    """

    batch: int
    objective: Objective
    row: Ranked
    place: int | None
    of: int
    difference: Fraction
    segments: tuple[Segment, ...]
    branches: Branches | None
    groups: tuple[GroupShare, ...]
    usages: tuple[Usage, ...]
    steps: Steps
    regions: tuple[RegionShare, ...]
    fitting: tuple[Fitting, ...]
    without: tuple[str, ...] = ()
    continuity: tuple[str, ...] = ()
    picture: Picture | None = None
    findings: tuple[PlanFinding, ...] = ()
    to_measure: tuple[str, ...] = ()
    paid_by_sides: PaidBySides | None = None

    @property
    def largest_group(self) -> GroupShare:
        """The group that a first cut should target."""
        return max(self.groups, key=lambda group: group.given_ps)


@dataclass(frozen=True, slots=True)
class WhyNot:
    """An excluded candidate with every cause."""

    batch: int
    objective: Objective
    row: Excluded
    steps: Steps
    without: tuple[str, ...] = ()

    @property
    def causes(self) -> tuple[Cause, ...]:
        """All causes, never only the first."""
        return self.row.causes


@dataclass(frozen=True, slots=True)
class UnknownCandidate:
    """No candidate has this id; *nearest* lists ids that look like it."""

    id: str
    nearest: tuple[str, ...]


def explain(
    study: Study,
    candidate_id: str,
    *,
    batch: int | None = None,
    objective: Objective | str | None = None,
    derivation: Derivation | None = None,
    effects: Effects | None = None,
) -> Explanation | WhyNot | UnknownCandidate:
    """Explain one candidate at one batch (by default the spec's only one); *derivation* and *effects* are as for `solve`.

    Raises
    ------
    UnknownBatch
        The spec has several batches and none is named, or it does not list the one that is.
    """
    judge = judge_of(study, batch=batch, objective=objective, derivation=derivation, effects=effects)
    if not planned_size(judge.study, judge.question.spec).is_small:
        return _without_a_list(judge, candidate_id)
    every_id = [str(candidate) for candidate in candidates(judge.question.spec, judge.graph)]
    if candidate_id not in every_id:
        if stranger := excluded_by_edges(judge, candidate_id):
            return _why_not(judge, stranger)
        return UnknownCandidate(candidate_id, closest_few(candidate_id, every_id, 5))
    judge.evidence.prepare(wanted_times(judge))
    result = rank(judge)
    for excluded in result.excluded:
        if excluded.id == candidate_id:
            return _why_not(judge, excluded)
    row = next(row for row in result.ranking if row.id == candidate_id)
    place = 1 + sum(1 for other in result.ranking if other.score_ps < row.score_ps)
    return explained(judge, row, place, len(result.ranking), result.ranking[0].score_ps)


def judge_of(
    study: Study,
    *,
    batch: int | None = None,
    objective: Objective | str | None = None,
    derivation: Derivation | None = None,
    effects: Effects | None = None,
) -> Judge:
    """Return what judges the candidates of *study* at one batch, by default the spec's only one, as `solve` does.

    Raises
    ------
    UnknownBatch
        The spec has several batches and none is named, or it does not list the one that is.
    """
    study = with_assumptions(study, derivation)
    spec = planned_spec(study)
    if batch is None and len(spec.batches) > 1:
        raise UnknownBatch(f"the spec has batches {', '.join(map(str, spec.batches))}: say which")
    (asked,) = asked_batches(spec, [spec.batches[0] if batch is None else batch])
    return Judge(study, Question(spec, asked, asked_objective(spec, objective)), Evidence(study, derivation), effects)


def standing(judge: Judge, candidate_id: str) -> Ranked | WhyNot | UnknownCandidate:
    """Return one candidate judged and scored by itself, whatever the size of its space, or why it has no score."""
    candidate = candidate_of(judge, candidate_id)
    if candidate is None:
        stranger = excluded_by_edges(judge, candidate_id)
        return _why_not(judge, stranger) if stranger else UnknownCandidate(candidate_id, like(judge, candidate_id))
    row = judged(judge, candidate)
    return _why_not(judge, row) if isinstance(row, Excluded) else row


def _why_not(judge: Judge, row: Excluded) -> WhyNot:
    return WhyNot(judge.question.batch, judge.question.objective, row, steps_of(judge.question), judge.without)


def _without_a_list(judge: Judge, candidate_id: str) -> Explanation | WhyNot | UnknownCandidate:
    """Explain a candidate of a space that is too large to rank, beside the best designs that a search finds."""
    from ..optimize.counting import counted
    from ..optimize.hunt import Hunt

    row = standing(judge, candidate_id)
    if not isinstance(row, Ranked):
        return row
    found = Hunt(judge, seconds=SECONDS_TO_COMPARE).run()
    scores = [hit.score_ps for hit in found.hits]
    better = [hit.candidates for hit in found.hits if hit.score_ps < row.score_ps]
    place = 1 + sum(better) if found.is_proven and row.score_ps <= max(scores) else None
    return explained(judge, row, place, counted(judge).feasible, min([row.score_ps, *scores]))


def explained(judge: Judge, row: Ranked, place: int | None, of: int, best_ps: Ps) -> Explanation:
    """Return the explanation of a row that is known to be ranked: at *place* of so many, where the best takes *best_ps*."""
    (row,) = (row,) if row.measured else with_measured(judge, [row])
    composition, objective = row.composed.composition, judge.question.objective
    scored = score(composition, objective)
    if not isinstance(scored, Score):
        raise TypeError(f"{row.id} was ranked, yet it deadlocks")
    first_publication = objective is Objective.FIRST_PUBLICATION
    continuity = continuity_of(judge, row)
    return Explanation(
        batch=judge.question.batch,
        objective=objective,
        row=row,
        place=place,
        of=of,
        difference=_relative(row.score_ps, best_ps),
        segments=critical_path(scored),
        branches=branches(composition, scored) if first_publication else None,
        groups=_shares(row),
        usages=row.composed.usages,
        steps=steps_of(judge.question),
        regions=region_shares(row.composed.usages),
        fitting=fitting(judge, row),
        without=judge.without,
        continuity=tuple(map(str, continuity)),
        findings=findings_in(continuity),
        picture=picture(judge, row, objective),
        to_measure=to_measure(judge, row),
        paid_by_sides=paid_by_sides(judge, row),
    )


def _relative(value: Ps, best: Ps) -> Fraction:
    return Fraction(value) / Fraction(best) - 1


def _shares(row: Ranked) -> tuple[GroupShare, ...]:
    spent: dict[str, int] = {}
    for usage in row.composed.usages:
        group = usage.use.record.group
        spent[group] = spent.get(group, 0) + usage.spent_ps
    total = sum(spent.values())
    return tuple(GroupShare(group, ps, Fraction(ps, total) if total else Fraction(0)) for group, ps in spent.items())
