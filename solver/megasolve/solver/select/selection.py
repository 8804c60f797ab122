"""Selection: score every supported candidate exactly and return all of minimum score (paper, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

from megasolve.simulate import Ablation, Deadlock, Objective, design_key
from megasolve.simulate.plan.candidate import Candidate, candidates
from megasolve.simulate.plan.cause import DEADLOCK, Cause
from megasolve.simulate.plan.counting import count_candidates, count_covers

from ..search.kept import Kept, SolverFault
from ..search.predicates import Judge, Variant
from ..search.pruning import prune
from ..search.variants import ways_of
from .compose import Composed, compose
from .entries import entry_standings
from .goals.conflict import conflict
from .goals.times import Goals, Times, goals_of
from .result import BatchResult, Excluded, Ranked
from .rivals import DroppedVariant, ScoredVariant, dropped_variants
from .spans import span_notes
from .steps import steps_of
from .stream.arrivals import arrival_remarks, queue_of
from .stream.continuity import continuity_remarks, with_playback
from .stream.findings import findings_in
from .times import Ps
from .told.beside import unshown_runs, with_measured
from .told.notes import assumption_notes, device_notes, evidence_notes

WHAT_IF = "what if"


def rank(judge: Judge, ablation: Ablation = Ablation.FULL, objectives: Sequence[Objective] = ()) -> BatchResult:
    """Rank every candidate of one question, equals by each further one of *objectives*."""
    spec, objective = judge.question.spec, judge.question.objective
    goals = goals_of(judge, objectives, ablation)
    everyone = tuple(candidates(spec, judge.graph))
    kept = prune(judge)
    known = set(everyone)
    if strangers := [str(candidate) for candidate in kept if candidate not in known]:
        raise SolverFault(f"CP-SAT keeps what is no candidate: {', '.join(strangers)}")
    ranked: list[Ranked] = []
    excluded: list[Excluded] = []
    for candidate in everyone:
        causes = judge.causes(candidate)
        variants = _agreed(judge, kept, candidate, causes)
        outcome = _best_variant(judge, candidate, variants, goals) if variants else Excluded(candidate, causes)
        if isinstance(outcome, Ranked):
            ranked.append(outcome)
        else:
            excluded.append(outcome)
    ranking = with_measured(judge, with_playback(judge, _with_designs(sorted(ranked, key=lambda row: row.order), goals)))
    queue = queue_of(judge, ranking)
    remarks = (*continuity_remarks(judge, ranking), *arrival_remarks(judge, ranking, queue))
    return BatchResult(
        queue=queue,
        findings=findings_in(remarks),
        batch=judge.question.batch,
        objective=objective,
        ablation=ablation,
        covers=count_covers(judge.graph),
        candidates=len(everyone),
        best=tuple(row.id for row in ranking if row.order == ranking[0].order),
        ranking=ranking,
        excluded=tuple(excluded),
        steps=steps_of(judge.question),
        too_close=too_close(ranking),
        notes=(
            *device_notes(judge),
            *evidence_notes(ranking),
            *map(str, remarks),
            *span_notes(judge, ranking, excluded),
        ),
        entries=entry_standings(judge, ranking, excluded),
        objectives=goals.objectives,
        conflict=() if ranking or not judge.constraints else conflict(judge, goals),
        variants=count_candidates(judge.graph, spec, ways_of(judge.study).of),
        unshown=unshown_runs(judge, ranking),
    )


def _agreed(judge: Judge, kept: Kept, candidate: Candidate, causes: tuple[Cause, ...]) -> list[Variant]:
    """Return the feasible variants, on which model and predicates must agree; anything else is a fault of the solver."""
    expected = [variant for variant in judge.variants(candidate) if judge.is_feasible(variant, candidate.policy)]
    found = kept.get(candidate, [])
    if [_names(one) for one in found] != sorted(map(_names, expected)) or bool(found) == bool(causes):
        raise SolverFault(f"{candidate}: CP-SAT keeps {len(found)} variants, the rules keep {len(expected)} and give {len(causes)} causes")
    return found


def _names(variant: Variant) -> tuple[tuple[str, ...], ...]:
    return tuple(choice.entries for choice in variant)


def _best_variant(judge: Judge, candidate: Candidate, variants: Sequence[Variant], goals: Goals) -> Ranked | Excluded:
    """Score every variant; the candidate's score is that of its best one, and tied ones are listed with it."""
    scored: list[ScoredVariant] = []
    fallen: list[DroppedVariant] = []
    best: Times | None = None
    for variant in variants:
        outcome = _timed(candidate, variant, goals)
        if isinstance(outcome, DroppedVariant):
            fallen.append(outcome)
            continue
        scored.append(_scored(judge, variant, outcome, goals))
        if best is None or goals.order(outcome) < goals.order(best):
            best = outcome
    if best is None:
        return Excluded(candidate, tuple(dict.fromkeys(cause for one in fallen for cause in one.causes)))
    dropped = (*dropped_variants(judge, candidate, len(variants)), *fallen)
    return replace(ranked_row(judge, candidate, best, scored), dropped=dropped)


def _timed(candidate: Candidate, variant: Variant, goals: Goals) -> Times | DroppedVariant:
    """Return every time of one variant, or why it cannot be ranked."""
    if missing := goals.missing(variant, candidate.policy):
        return DroppedVariant(variant, missing)
    times = goals.times(candidate, variant)
    if isinstance(times, Deadlock):
        return DroppedVariant(variant, (Cause(DEADLOCK, str(times), " ".join(map(str, variant))),))
    over = goals.over(times)
    return DroppedVariant(variant, over) if over else times


def _scored(judge: Judge, variant: Variant, times: Times, goals: Goals) -> ScoredVariant:
    first = times[judge.question.objective]
    accuracy, _ = stated_accuracy(first.composed, first.value_ps * judge.question.scores_per_cycle)
    return ScoredVariant(variant, first.value_ps, accuracy, goals.order(times))


def ranked_row(judge: Judge, candidate: Candidate, times: Times, scored: Sequence[ScoredVariant]) -> Ranked:
    """Return the row of a candidate whose variants are *scored*, the best of them with these *times*."""
    ordered = sorted(scored, key=lambda one: one.order)
    tied = [one for one in ordered if one.order == ordered[0].order]
    value, composed = ordered[0].score_ps, times[judge.question.objective].composed
    accuracy, partial = stated_accuracy(composed, value * judge.question.scores_per_cycle)
    return Ranked(
        candidate=candidate,
        score_ps=value,
        order=ordered[0].order,
        times=tuple((objective, timed.value_ps) for objective, timed in times.items()),
        entries=tied[0].entries,
        variants=tuple(one.entries for one in tied),
        evidence=evidence_of(judge, composed),
        composed=composed,
        accuracy=accuracy,
        accuracy_is_partial=partial,
        notes=assumption_notes(judge, candidate, tied[0].choices, composed),
        tied=tuple(one.choices for one in tied),
        slower=tuple(ordered[len(tied) :]),
    )


def evidence_of(judge: Judge, composed: Composed) -> tuple[str, ...]:
    """Return of which kinds the evidence of a score is; a record that was set for this question is of none of them."""
    asked = {(field.file, field.path[:2]) for setting in judge.study.settings for field in setting.fields}
    uses = (usage.use for usage in composed.usages)
    labels = (WHAT_IF if (use.document.file, use.path) in asked else use.record.provenance.label for use in uses)
    return tuple(sorted(set(labels)))


def stated_accuracy(composed: Composed, value: Ps) -> tuple[Fraction | None, bool]:
    """Return the accuracy of a score as its evidence states it, and whether some of the evidence states none.

    Each record's relative accuracy is weighted by its share of the score: if all records are off in the same direction by
    what they state, the score is off by at most this much.
    """
    stated = [usage for usage in composed.usages if usage.use.record.accuracy is not None]
    if not stated or not value:
        return None, bool(composed.usages)
    error = sum(Fraction(usage.use.record.accuracy or 0) * usage.spent_ps for usage in stated)
    return Fraction(error) / Fraction(value), len(stated) < len(composed.usages)


def _with_designs(rows: Sequence[Ranked], goals: Goals) -> list[Ranked]:
    """Name, for each row, the first candidate of the same design: the same in every time that orders."""
    first: dict[object, str] = {}
    named = []
    for row in rows:
        key = _design(row, goals)
        named.append(replace(row, same_as=first.get(key)))
        first.setdefault(key, row.id)
    return named


def _design(row: Ranked, goals: Goals) -> Hashable:
    first, *others = goals.objectives
    further = [design_key(compose(goals.judges[one], row.candidate, row.tied[0]).composition, one) for one in others]
    return (design_key(row.composed.composition, first), *further)


def too_close(ranking: Sequence[Ranked]) -> tuple[str, ...]:
    """Return the candidates whose margin over the best score is smaller than the accuracy that the evidence states."""
    if not ranking:
        return ()
    best = ranking[0]
    rivals = [row for row in ranking[1:] if row.score_ps > best.score_ps and row.same_as != best.id]
    return tuple(row.id for row in rivals if _margin(row, best) < max(row.accuracy or Fraction(0), best.accuracy or Fraction(0)))


def _margin(row: Ranked, best: Ranked) -> Fraction:
    return Fraction(row.score_ps) / Fraction(best.score_ps) - 1
