"""Goals in the results of `solve`: further times of a row, a conflict of constraints, and a Pareto front."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.entry_names import entries_text
from ..text.numbers import TimeUnit, exact_ps, unit_of, us_text
from ..text.paint import PLAIN, Paint
from ..text.tables import Column, aligned, indented

if TYPE_CHECKING:
    from megasolve.contracts import Json, JsonObject
    from megasolve.simulate import Objective
    from megasolve.solver import BatchResult, Conflicting, ParetoPoint, Ranked


def further_times(batch: BatchResult) -> tuple[Objective, ...]:
    """Return the times that the rows of *batch* have beside the score."""
    return tuple(objective for objective, _ in batch.ranking[0].times[1:]) if batch.ranking else ()


def then_words(batch: BatchResult) -> str:
    """Return by what equal rows are ordered; nothing where the score is the only objective."""
    return f", then {', then '.join(one.value for one in batch.objectives[1:])}" if len(batch.objectives) > 1 else ""


@dataclass(frozen=True, slots=True)
class FurtherColumns:
    """The columns of a ranking that stand beside the score, and the cells of a row in them."""

    columns: list[Column]
    cells: Callable[[Ranked], list[str]]


def beside_score(batch: BatchResult, unit: TimeUnit) -> FurtherColumns:
    """Return each further time, and the real-time factor where playback is known of any row."""
    columns = [Column(f"{objective.value} ({unit.name})", is_number=True) for objective in further_times(batch)]
    if not any(row.playback for row in batch.ranking):
        return FurtherColumns(columns, lambda row: _times(row, unit))
    return FurtherColumns(
        [*columns, Column("rtf", is_number=True)], lambda row: [*_times(row, unit), row.playback.rate if row.playback else "-"]
    )


def _times(row: Ranked, unit: TimeUnit) -> list[str]:
    return [unit.number(value) for _, value in row.times[1:]]


def conflict_lines(batch: BatchResult) -> list[str]:
    """Return which constraints cannot hold together, and how far each would have to give; nothing where they are not the reason."""
    if not batch.conflict:
        return []
    count = len(batch.conflict)
    which = "this constraint, without it" if count == 1 else f"these {count} constraints together, without any one of them"
    return [f"no plan keeps {which} there is one:", *indented([*map(_conflict_line, batch.conflict)])]


def _conflict_line(one: Conflicting) -> str:
    if one.needs is None:
        return f"{one.constraint.path}: would have to go"
    return f"{one.constraint.path}: would have to allow {_quantity(one)}"


def _quantity(one: Conflicting) -> str:
    is_time = hasattr(one.constraint, "at_most_ps")
    return f"{us_text(one.needs)} us" if is_time and one.needs is not None else f"{one.needs:,}"


def pareto_lines(batch: BatchResult, paint: Paint = PLAIN) -> list[str]:
    """Return the front, if it was asked for: the plans that no other beats in one time without losing in another."""
    if not batch.pareto:
        return []
    units = [unit_of(times[0]) for times in zip(*(point.times for point in batch.pareto), strict=True)]
    columns = [Column(f"{one.value} ({unit.name})", is_number=True) for one, unit in zip(batch.objectives, units, strict=True)]
    rows = [_pareto_cells(point, units) for point in batch.pareto]
    is_whole = batch.searched is None or batch.searched.is_proven
    head = f"Pareto front{'' if is_whole else ' so far'}: {counted(len(rows), 'plan')}"
    lines = aligned([*columns, Column("candidate (cover@policy)"), Column("entries")], rows, paint)
    return [f"{head} that no other beats in one time without losing in another", *indented(lines)]


def _pareto_cells(point: ParetoPoint, units: Sequence[TimeUnit]) -> list[str]:
    least = "at least " if point.is_least else ""
    same = f" (and {least}{counted(point.same, 'more plan')} of the same times)" if point.same else ""
    return [*(unit.number(value) for unit, value in zip(units, point.times, strict=True)), point.id, entries_text(point.entries) + same]


def goal_facts(batch: BatchResult) -> JsonObject:
    """Return what JSON says of objectives, conflict and front; nothing where one objective and no constraint is asked for."""
    facts: dict[str, Json] = {}
    if len(batch.objectives) > 1:
        facts["objectives"] = [one.value for one in batch.objectives]
    if batch.conflict:
        facts["conflict"] = list(map(_conflict_facts, batch.conflict))
    if batch.pareto:
        facts["pareto"] = [_point_facts(batch.objectives, point) for point in batch.pareto]
    return facts


def _conflict_facts(one: Conflicting) -> JsonObject:
    is_time = hasattr(one.constraint, "at_most_ps")
    needs = None if one.needs is None else us_text(one.needs) if is_time else exact_ps(one.needs)
    return {"path": one.constraint.path, "rule": one.constraint.rule.code, "needs": needs}


def _point_facts(objectives: Sequence[Objective], point: ParetoPoint) -> JsonObject:
    scores = {one.value: us_text(value) for one, value in zip(objectives, point.times, strict=True)}
    exact = {one.value: exact_ps(value) for one, value in zip(objectives, point.times, strict=True)}
    least = {"at_least": True} if point.is_least else {}
    return {"id": point.id, "entries": list(point.entries), "scores": scores, "scores_ps": exact, "same": point.same, **least}


def row_times(row: Ranked) -> JsonObject:
    """Return what JSON says of the times of *row*; nothing where it has only its score."""
    return {"scores": {objective.value: us_text(value) for objective, value in row.times}} if len(row.times) > 1 else {}
