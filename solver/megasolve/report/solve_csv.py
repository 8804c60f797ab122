"""The result of `solve` as CSV: one row per candidate, ranked ones first, excluded ones with their causes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .csv_text import csv_text
from .numbers import exact_ps, ratio_text, us_text
from .standings import Standing, standings

if TYPE_CHECKING:
    from megasolve.solver import BatchResult, Excluded, Result

COLUMNS = (
    "spec",
    "device",
    "batch",
    "objective",
    "ablation",
    "status",
    "place",
    "id",
    "cover",
    "policy",
    "score_us",
    "score_ps",
    "difference",
    "entries",
    "evidence",
    "accuracy",
    "same_as",
    "notes",
    "causes",
    "without",
)


def solve_csv(result: Result) -> str:
    """Return *result* as CSV text, a header first; several values in one cell are separated by ``; ``."""
    about = {"spec": result.spec, "device": result.device, "without": _joined(result.without)}
    return csv_text(COLUMNS, ({**about, **row} for batch in result.results for row in _rows(batch)))


def _rows(batch: BatchResult) -> Iterator[dict[str, object]]:
    question = {"batch": batch.batch, "objective": batch.objective.value, "ablation": batch.ablation.value}
    for standing in standings(batch):
        yield {**question, **_ranked(standing), "notes": _joined((*standing.row.notes, *batch.notes))}
    for row in batch.excluded:
        yield {**question, **_excluded(row), "notes": _joined(batch.notes)}


def _ranked(standing: Standing) -> dict[str, object]:
    row = standing.row
    return {
        "status": "ranked",
        "place": standing.place,
        "id": row.id,
        "cover": row.candidate.cover,
        "policy": row.candidate.policy,
        "score_us": us_text(row.score_ps),
        "score_ps": exact_ps(row.score_ps),
        "difference": ratio_text(standing.difference),
        "entries": _joined(row.entries),
        "evidence": _joined(row.evidence),
        "accuracy": ratio_text(row.accuracy) or "",
        "same_as": row.same_as or "",
    }


def _excluded(row: Excluded) -> dict[str, object]:
    return {
        "status": "excluded",
        "id": row.id,
        "cover": row.candidate.cover,
        "policy": row.candidate.policy,
        "causes": _joined(tuple(map(str, row.causes))),
    }


def _joined(values: tuple[str, ...]) -> str:
    return "; ".join(values)
