"""The use case: the timeline of a candidate, named by its id or as the best."""

from __future__ import annotations

from dataclasses import replace

from megasolve.contracts import Study, asked_batches
from megasolve.simulate import Detail, Effects, Objective, Score, score
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.need import Question

from ..evidence.asking import asked_objective
from ..evidence.derivation import Derivation
from ..evidence.lookup import Evidence
from ..explain.alone import candidate_of, judged, like
from ..explain.explanation import UnknownCandidate, WhyNot
from ..explain.strangers import excluded_by_edges
from ..optimize.solving import solve
from ..search.predicates import Judge
from ..select.result import Excluded, Ranked
from ..select.steps import steps_of
from .tiles import tile_charts
from .timeline import Chart, DrawnTimeline
from .tracks import arrows_of, curves_of, marks_of, placed_spans, tracks_of

BEST = "best"


def timeline(
    study: Study,
    candidate_id: str,
    *,
    batch: int,
    objective: Objective | str | None = None,
    derivation: Derivation | None = None,
    effects: Effects | None = None,
    with_tiles: bool = False,
) -> DrawnTimeline | WhyNot | UnknownCandidate:
    """Return what runs when in the candidate *candidate_id*, or in the best one, at *batch*; or why there is no such thing.

    Every launch, kernel and step has a span of its own; the score is that of `solve`. *with_tiles* adds the tiles behind derived times.

    Raises
    ------
    UnknownBatch, UnknownName, ImpossibleObjective, TooManyTilesToShow
        The spec does not list the batch, there is no such objective, the spec has no such time, or no viewer takes that many tiles.
    """
    spec, how = planned_spec(study), derivation or Derivation()
    (asked,) = asked_batches(spec, [batch])
    judge = Judge(study, Question(spec, asked, asked_objective(spec, objective)), Evidence(study, how), effects)
    wanted = candidate_id
    if candidate_id == BEST:
        wanted = best_of(study, batch=asked, objective=objective, derivation=how, effects=effects)
    candidate = candidate_of(judge, wanted)
    if candidate is None:
        stranger = excluded_by_edges(judge, wanted)
        return _why_not(judge, stranger) if stranger else UnknownCandidate(wanted, like(judge, wanted))
    row = judged(judge, candidate)
    if isinstance(row, Excluded):
        return _why_not(judge, row)
    drawn = timeline_of(row, batch=asked, objective=judge.question.objective)
    return replace(drawn, tiles=tuple(tile_charts(judge.evidence, row))) if with_tiles else drawn


def best_of(
    study: Study, *, batch: int, objective: Objective | str | None, derivation: Derivation | None = None, effects: Effects | None = None
) -> str:
    """Return the id of the best candidate; the word `best` itself, which is no id, where nothing is feasible."""
    (result,) = solve(study, batches=[batch], objective=objective, derivation=derivation, effects=effects).results
    return next(iter(result.best), BEST)


def _why_not(judge: Judge, row: Excluded) -> WhyNot:
    return WhyNot(judge.question.batch, judge.question.objective, row, steps_of(judge.question), judge.without)


def timeline_of(row: Ranked, *, batch: int, objective: Objective) -> DrawnTimeline:
    """Return the schedule of a ranked candidate, in full detail."""
    scored = score(row.composed.composition, objective, detail=Detail.FULL)
    if not isinstance(scored, Score) or scored.outcome is None:
        raise TypeError(f"{row.id} was ranked, yet it has no schedule")
    placed = placed_spans(scored.graph, scored.outcome)
    tracks = tracks_of(placed)
    return DrawnTimeline(
        id=row.id,
        batch=batch,
        objective=objective,
        score_ps=scored.value_ps,
        divisor=scored.divisor,
        chart=Chart(
            f"{row.id}, batch {batch}",
            tracks,
            curves_of(scored.graph, placed),
            arrows_of(scored.graph, placed, tracks),
            marks_of(scored.graph, scored.outcome),
        ),
    )
