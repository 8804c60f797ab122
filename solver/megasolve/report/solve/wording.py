"""The words that the formats share."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.measured import measured_lines
from ..text.numbers import percent
from ..text.short_ids import short_id
from .folding import folded_notes
from .searching import tie_line
from .standings import Standing, runner_up, winning_designs
from .variants import RIVALS_SHOWN, next_variant_lines, over, too_close_variant_lines, variant_notes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from megasolve.simulate import Ablation, Objective
    from megasolve.solver import BatchResult, Ranked

    from ..text.numbers import TimeUnit

_OBJECTIVES = {
    "first_publication": "time to the first publication",
    "producer_step": "steady time from step to step",
    "chunk_interval": "steady time from chunk to chunk",
}
_ABLATIONS = {
    "full": "full planner",
    "additive": "ablation additive (service and dispatch summed)",
    "no_overlap": "ablation no_overlap (nothing runs beside anything)",
}


def objective_words(objective: Objective) -> str:
    """Return what the objective measures, with its name."""
    return f"{_OBJECTIVES[objective.value]} ({objective.value})"


def objective_name(objective: str) -> str:
    """Return what the objective of that name measures, without the name; one that nobody knows by its name."""
    return _OBJECTIVES.get(objective, objective)


def ablation_words(ablation: Ablation) -> str:
    """Return how the scores were made."""
    return _ABLATIONS[ablation.value]


def without_words(without: Sequence[str]) -> str:
    """Return which mechanisms of derived times are off, to stand at the end of a header; nothing where all are on."""
    return f", without {', '.join(without)}" if without else ""


def accuracy_words(row: Ranked) -> str:
    """Return how accurate the score of *row* is by what its evidence states."""
    if row.accuracy is None:
        return "not stated by the evidence"
    partly = ", some of it states none" if row.accuracy_is_partial else ""
    return f"±{percent(row.accuracy)} as the evidence states{partly}"


def winner_lines(result: BatchResult, ranked: Sequence[Standing], unit: TimeUnit) -> list[str]:
    """Return who wins, by how much, and whether that is more than the evidence can tell apart; nothing where nothing is ranked."""
    if not ranked and result.searched and not result.searched.is_proven:
        return ["nothing was found yet"]
    if not ranked:
        return [f"nothing is feasible: each of the {result.candidates} candidates is excluded"]
    best, behind = ranked[0], runner_up(ranked)
    lines = [f"best: {short_id(best.row.id)}, {unit.text(best.row.score_ps)}", *_tie_lines(result, ranked)]
    if behind is not None:
        lines.append(f"next: {short_id(behind.row.id)}, {unit.text(behind.row.score_ps)}, {percent(behind.difference)} slower")
    lines += [*next_variant_lines(best.row, unit), f"accuracy: {accuracy_words(best.row)}"]
    return [*lines, *too_close_lines(result, ranked), *too_close_variant_lines(best.row)]


def _tie_lines(result: BatchResult, ranked: Sequence[Standing]) -> list[str]:
    if result.searched:
        return [tie_line(result.searched)] if result.searched.ties.designs > 1 else []
    designs = winning_designs(ranked)
    if len(designs) < 2:
        return []
    return [f"tied: {len(designs)} designs have exactly this score: {', '.join(short_id(one.row.id) for one in designs)}"]


def too_close_lines(result: BatchResult, ranked: Sequence[Standing]) -> list[str]:
    """Return one line for each design whose margin is smaller than the stated accuracy; of many, the nearest few."""
    best = ranked[0].row
    rivals = [one for one in ranked if one.row.id in result.too_close and one.row.same_as is None]
    slower = [f"{short_id(one.row.id)} is {percent(one.difference)} slower, {_stated(one.row, best)}" for one in rivals]
    hidden = len(slower) - RIVALS_SHOWN
    more = [f"too close to call: {counted(hidden, 'more design')}"] if hidden > 0 else []
    return [*(f"too close to call: {text}" for text in slower[:RIVALS_SHOWN]), *more]


def _stated(row: Ranked, best: Ranked) -> str:
    return "the evidence states ±" + percent(max(row.accuracy or Fraction(0), best.accuracy or Fraction(0)))


def over_best(standing: Standing) -> str:
    """Return how much worse than the best a row is."""
    if standing.place == 1:
        return "best"
    return over(standing.difference)


def row_notes(row: Ranked, landmark: str | None = None, texts: Mapping[str, str] | None = None) -> list[str]:
    """Return what is to be said about a row beside its numbers; *texts* folds its notes together with those of other rows."""
    told = folded_notes([row]) if texts is None else texts
    notes = [landmark] if landmark else []
    if row.same_as:
        notes.append(f"= same design as {short_id(row.same_as)}")
    if row.same_as_count:
        notes.append(f"= same design as {counted(row.same_as_count, 'other candidate')}")
    return [*notes, *variant_notes(row), *dict.fromkeys(told[note] for note in row.notes), *measured_lines(row.measured)]
