"""The result of `solve` as CSV: one row per candidate, ranked ones first, excluded ones with their causes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from ..text.csv import csv_text
from ..text.measured import measured_lines
from ..text.numbers import exact_ps, ratio_text, us_text
from ..text.settings import settings_text
from ..text.shown import Shown
from .capacity import playback_facts
from .standings import Standing, standings

if TYPE_CHECKING:
    from megasolve.solver import BatchResult, EntryStanding, Excluded, Ranked, Result

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


def solve_csv(
    result: Result, further: Iterable[Mapping[str, object]] = (), /, *, show_variants: bool = False, show_entries: bool = False
) -> str:
    """Return *result* as CSV text, a header first; several values in one cell are separated by semicolons.

    *show_variants* adds a row of status `variant` or `left out` for each choice of entries that a candidate is not shown with,
    *show_entries* one of status `entry` for each entry. *further* rows stand behind them.
    """
    shown = Shown(variants=show_variants, entries=show_entries)
    about = {"spec": result.spec, "device": result.device, "without": _joined(result.without)}
    columns: tuple[str, ...] = COLUMNS
    if result.settings:
        about, columns = {**about, "set": settings_text(result.settings)}, (*COLUMNS, "set")
    if any(row.playback for batch in result.results for row in batch.ranking):
        columns = (*columns, "real_time_factor", "keeps_up")
    rows = (row for batch in result.results for row in _rows(batch, shown))
    return csv_text(columns, ({**about, **row} for row in (*rows, *further)))


def _rows(batch: BatchResult, shown: Shown) -> Iterator[dict[str, object]]:
    question = {"batch": batch.batch, "objective": batch.objective.value, "ablation": batch.ablation.value}
    for standing in standings(batch):
        yield {
            **question,
            **_ranked(standing),
            "notes": _joined((*standing.row.notes, *measured_lines(standing.row.measured), *batch.notes)),
        }
        yield from ({**question, **row} for row in (_variants(standing.row) if shown.variants else ()))
    for row in batch.excluded:
        yield {**question, **_excluded(row), "notes": _joined(batch.notes)}
    yield from ({**question, **_entry(standing)} for standing in (batch.entries if shown.entries else ()))


def _variants(row: Ranked) -> Iterator[dict[str, object]]:
    """Yield the variants of a candidate that tie with the one shown, lose or fall out; differences are to the candidate's score."""
    about = {"id": row.id, "cover": row.candidate.cover, "policy": row.candidate.policy}
    scored = [(entries, row.score_ps, Fraction(0), row.accuracy) for entries in row.variants[1:]]
    scored += [(one.entries, one.score_ps, one.difference(row.score_ps), one.accuracy) for one in row.slower]
    for entries, score_ps, difference, accuracy in scored:
        scores = {"score_us": us_text(score_ps), "score_ps": exact_ps(score_ps), "difference": ratio_text(difference)}
        yield {**about, **scores, "status": "variant", "entries": _joined(entries), "accuracy": ratio_text(accuracy) or ""}
    for one in row.dropped:
        yield {**about, "status": "left out", "entries": _joined(one.entries), "causes": _joined(tuple(map(str, one.causes)))}


def _entry(standing: EntryStanding) -> dict[str, object]:
    """Return where an entry stands: the first candidate that is at its best with it, and all causes that keep it out of others."""
    causes = _joined(tuple(str(one.cause) for one in standing.left_out))
    return {"status": "entry", "id": "".join(standing.stands_in[:1]), "entries": standing.entry, "causes": causes}


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
        **{key: str(value).lower() for key, value in playback_facts(row).items()},
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
