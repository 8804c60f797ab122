"""A sweep as CSV: one row for each plan, saving, change and category."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..solve.standings import runner_up, standings
from ..text.csv import csv_text
from ..text.numbers import exact_ps, ratio_text, us_text
from ..text.settings import settings_text
from .panels import MECHANISMS
from .robust_facts import robust_rows
from .values import value_text

if TYPE_CHECKING:
    from megasolve.solver import BatchResult, BatchSweep, FieldSweep, RegionSaving, Sweep

Row = dict[str, object]
COLUMNS = (
    *("spec", "device", "objective", "status", "batch", "path", "value", "id", "score_us", "score_ps", "next", "margin", "region", "entry"),
    *(f"{name}_us" for name in (*MECHANISMS, "saving", "fixed", "difference")),
    *("difference_ps", "pays", "without_id", "last", "first", "category", "notes", "without", "set"),
)


def sweep_csv(sweep: Sweep) -> str:
    """Return *sweep* as CSV text, a header first; several values in one cell are separated by semicolons."""
    about = {"spec": sweep.spec, "device": sweep.device, "without": "; ".join(sweep.without), "set": settings_text(sweep.settings)}
    return csv_text(COLUMNS, ({**about, **row} for row in _rows(sweep)))


def _rows(sweep: Sweep) -> Iterator[Row]:
    for batches in sweep.batches:
        yield from ({"objective": batches.objective.value, **row} for row in _batches(batches))
    for robust in sweep.robustness:
        yield from robust_rows(robust)
    for field in sweep.fields:
        asked = {"objective": field.objective.value, "batch": field.batch, "path": field.path}
        yield from ({**asked, **row} for row in _field(field))


def _batches(batches: BatchSweep) -> Iterator[Row]:
    yield from ({"status": "plan", "batch": result.batch, **_plan(result)} for result in batches.results)
    for one in batches.changes:
        yield {"status": "change", "last": one.last, "first": one.first, "id": "; ".join(one.after), "without_id": "; ".join(one.before)}
    yield {"status": "category", "category": batches.category.name or "", "notes": batches.category.because}
    yield from map(_saving, batches.savings)


def _field(field: FieldSweep) -> Iterator[Row]:
    yield from ({"status": "plan", "value": value_text(point.value), **_plan(point.result)} for point in field.points)
    for one in field.changes:
        ends = {"last": value_text(one.last), "first": value_text(one.first)}
        status = "change" if one.is_exact else "bracket"
        yield {"status": status, **ends, "id": "; ".join(one.after), "without_id": "; ".join(one.before)}


def _plan(result: BatchResult) -> Row:
    ranked = standings(result)
    if not ranked:
        return {"notes": "; ".join(("nothing is feasible", *result.notes))}
    behind, score_ps = runner_up(ranked), ranked[0].row.score_ps
    following = {"next": behind.row.id, "margin": ratio_text(behind.difference)} if behind else {}
    scores = {"score_us": us_text(score_ps), "score_ps": exact_ps(score_ps)}
    return {"id": "; ".join(result.best), **scores, **following, "notes": "; ".join(result.notes)}


def _saving(one: RegionSaving) -> Row:
    about: Row = {"status": "saving", "batch": one.batch, "region": one.region}
    saving = one.saving
    if saving is None:
        return {**about, "pays": "", "notes": one.because}
    totals = {"saving_us": saving.saving_ps, "fixed_us": saving.fixed_ps, "difference_us": saving.difference_ps}
    times = {**{f"{name}_us": ps for name, ps in saving.parts}, **totals}
    designs = {"id": saving.with_id, "without_id": saving.without_id, "difference_ps": exact_ps(saving.difference_ps)}
    shown = {key: us_text(ps) for key, ps in times.items()}
    return {**about, "entry": saving.entry, **designs, **shown, "pays": "yes" if saving.pays else "no"}
