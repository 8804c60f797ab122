"""The use case: the timeline of a candidate, named by its id or as the best."""

from __future__ import annotations

from dataclasses import replace

from megasolve.contracts import Study
from megasolve.contracts.model.wording import counted
from megasolve.simulate import Detail, Effects, Objective, Score, score

from ..evidence.derivation import Derivation
from ..explain.explanation import UnknownCandidate, WhyNot, judge_of, standing
from ..optimize.solving import solve
from ..select.result import Ranked
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
    how = derivation or Derivation()
    judge = judge_of(study, batch=batch, objective=objective, derivation=how, effects=effects)
    wanted = candidate_id
    if candidate_id == BEST:
        wanted = best_of(study, batch=batch, objective=objective, derivation=how, effects=effects)
    row = standing(judge, wanted)
    if not isinstance(row, Ranked):
        return row
    drawn = timeline_of(row, batch=batch, objective=judge.question.objective)
    return replace(drawn, tiles=tuple(tile_charts(judge.evidence, row))) if with_tiles else drawn


def best_of(
    study: Study, *, batch: int, objective: Objective | str | None, derivation: Derivation | None = None, effects: Effects | None = None
) -> str:
    """Return the id of the best candidate; the word `best` itself, which is no id, where nothing is feasible."""
    (result,) = solve(study, batches=[batch], objective=objective, derivation=derivation, effects=effects).results
    return next(iter(result.best), BEST)


def _end_of(objective: Objective, divisor: int) -> str:
    """Return what ends with the graph: the publication, or as many steps or chunks as a graph of a steady objective has."""
    return "publication" if objective is Objective.FIRST_PUBLICATION else counted(divisor, objective.value.replace("_", " "))


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
            curves_of(scored.graph, scored.outcome, placed),
            arrows_of(scored.graph, placed, tracks),
            marks_of(scored.graph, scored.outcome, _end_of(objective, scored.divisor)),
        ),
    )
