"""Explanations: why a candidate stands where it does, or every reason why it is excluded."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from megasolve.contracts import Study, UnknownBatch, asked_batches
from megasolve.contracts.model.closest import closest_few
from megasolve.simulate import Branches, Effects, Objective, Score, Segment, branches, critical_path, score
from megasolve.simulate.plan.candidate import candidates
from megasolve.simulate.plan.cause import Cause
from megasolve.simulate.plan.need import Question

from ..evidence.asking import asked_objective, refuse_huge_space
from ..evidence.derivation import Derivation
from ..evidence.lookup import Evidence
from ..search.predicates import Judge
from ..search.variants import refuse_many_variants
from ..search.wanted import wanted_times
from ..select.compose import Usage
from ..select.continuity import continuity_of
from ..select.fitting import Fitting, fitting
from ..select.result import BatchResult, Excluded, Ranked
from ..select.selection import rank
from ..select.steps import Steps, steps_of
from ..select.times import Ps
from .kernels import RegionShare, region_shares
from .picture import Picture, picture
from .strangers import excluded_by_edges


@dataclass(frozen=True, slots=True)
class GroupShare:
    """What one group costs until the objective: *given_ps* as its records state it, and its share of all service."""

    group: str
    given_ps: int
    share: Fraction


@dataclass(frozen=True, slots=True)
class Explanation:
    """A ranked candidate, explained. The *segments* of the critical path sum exactly to the row's score.

    *place* counts from 1; candidates of equal score share the place of the first of them. *difference* is relative to the
    best score. *without* names the mechanisms of derived times that were off. *continuity* says whether playback goes on. *picture* is the
    region graph, where that is more than a chain.
    """

    batch: int
    objective: Objective
    row: Ranked
    place: int
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
    spec = study.spec.value
    if batch is None and len(spec.batches) > 1:
        raise UnknownBatch(f"the spec has batches {', '.join(map(str, spec.batches))}: say which")
    refuse_huge_space(spec)
    refuse_many_variants(study)
    (asked,) = asked_batches(spec, [spec.batches[0] if batch is None else batch])
    judge = Judge(study, Question(spec, asked, asked_objective(spec, objective)), Evidence(study, derivation), effects)
    every_id = [str(candidate) for candidate in candidates(spec, judge.graph)]
    if candidate_id not in every_id:
        if stranger := excluded_by_edges(judge, candidate_id):
            return WhyNot(asked, judge.question.objective, stranger, steps_of(judge.question), judge.without)
        return UnknownCandidate(candidate_id, closest_few(candidate_id, every_id, 5))
    judge.evidence.prepare(wanted_times(judge))
    result = rank(judge)
    for excluded in result.excluded:
        if excluded.id == candidate_id:
            return WhyNot(result.batch, result.objective, excluded, result.steps, judge.without)
    return _explained(judge, result, next(row for row in result.ranking if row.id == candidate_id))


def _explained(judge: Judge, result: BatchResult, row: Ranked) -> Explanation:
    composition = row.composed.composition
    scored = score(composition, result.objective)
    if not isinstance(scored, Score):
        raise TypeError(f"{row.id} was ranked, yet it deadlocks")
    first_publication = result.objective is Objective.FIRST_PUBLICATION
    return Explanation(
        batch=result.batch,
        objective=result.objective,
        row=row,
        place=1 + sum(1 for other in result.ranking if other.score_ps < row.score_ps),
        of=len(result.ranking),
        difference=_relative(row.score_ps, result.ranking[0].score_ps),
        segments=critical_path(scored),
        branches=branches(composition, scored) if first_publication else None,
        groups=_shares(row),
        usages=row.composed.usages,
        steps=result.steps,
        regions=region_shares(row.composed.usages),
        fitting=fitting(judge, row),
        without=judge.without,
        continuity=continuity_of(judge, row),
        picture=picture(judge, row, result.objective),
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
