"""A sweep as JSON, `sweep/v1`: numbers, with the exact picoseconds beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from megasolve.contracts.files.settings import plain_text

from ..solve.json import json_text, outside_facts, stamp_facts
from ..solve.standings import runner_up, standings
from ..text.settings import setting_facts
from .robust_facts import robust_facts
from .times import times

if TYPE_CHECKING:
    from megasolve.contracts import JsonObject, Stamp
    from megasolve.contracts.model.base import Tree
    from megasolve.solver import BatchResult, BatchSweep, Category, Extent, FieldChange, FieldSweep, Ranked, RegionSaving, Sweep


def sweep_json(sweep: Sweep, stamp: Stamp | None = None) -> str:
    """Return *sweep* as JSON text."""
    return json_text(
        {
            "megasolve": "sweep/v1",
            "spec": sweep.spec,
            "device": sweep.device,
            "without": list(sweep.without),
            "set": list(map(setting_facts, sweep.settings)),
            "outside": list(map(outside_facts, sweep.outside)),
            **stamp_facts(stamp),
            "batches": list(map(_batches, sweep.batches)),
            "fields": list(map(_field, sweep.fields)),
            "robustness": list(map(robust_facts, sweep.robustness)),
        }
    )


def _batches(one: BatchSweep) -> JsonObject:
    changes: list[JsonObject] = [
        {"last": each.last, "first": each.first, "before": list(each.before), "after": list(each.after)} for each in one.changes
    ]
    return {
        "objective": one.objective.value,
        "points": [{"batch": result.batch, **_plan(result)} for result in one.results],
        "changes": changes,
        "category": _category(one.category),
        "savings": list(map(_saving, one.savings)),
    }


def _field(one: FieldSweep) -> JsonObject:
    return {
        "path": one.path,
        "now": number(one.now),
        "batch": one.batch,
        "objective": one.objective.value,
        "points": [{"value": number(point.value), **_plan(point.result)} for point in one.points],
        "changes": list(map(change_facts, one.changes)),
    }


def change_facts(one: FieldChange) -> JsonObject:
    """Return where the answer changes, with the values as text, too, so that no figure is rounded."""
    return {
        "last": number(one.last),
        "first": number(one.first),
        "last_text": plain_text(one.last),
        "first_text": plain_text(one.first),
        "exact": one.is_exact,
        "before": list(one.before),
        "after": list(one.after),
    }


def number(value: Tree) -> float | int | str | None:
    """Return a value of a field as a JSON number, where it is one."""
    if value is None or isinstance(value, bool | int):
        return value
    return float(str(value)) if plain_text(value).replace(".", "").replace("-", "").isdigit() else plain_text(value)


def _plan(result: BatchResult) -> JsonObject:
    ranked = standings(result)
    behind = runner_up(ranked)
    return {
        "best": list(result.best),
        **times("score", ranked[0].row.score_ps if ranked else None),
        "next": behind.row.id if behind else None,
        "margin": float(behind.difference) if behind else None,
        "too_close": list(result.too_close),
        "candidates": result.candidates,
        "ranked": len(ranked),
        "proven": result.searched is None or result.searched.is_proven,
        "notes": list(result.notes),
    }


def _category(category: Category) -> JsonObject:
    return {
        "name": category.name,
        "because": category.because,
        "lasting": list(category.lasting),
        "evidence": list(map(_extent, category.extents)),
    }


def _extent(one: Extent) -> JsonObject:
    return {
        "batch": one.batch,
        "pays": one.pays,
        "with": _design(one.fused),
        "without": _design(one.plain),
        "margin": None if one.margin is None else float(one.margin),
        "winner": list(one.regions),
        "lasting_share_of_path": float(one.share),
    }


def _design(row: Ranked | None) -> JsonObject | None:
    return None if row is None else {"id": row.id, **times("score", row.score_ps)}


def _saving(one: RegionSaving) -> JsonObject:
    about: JsonObject = {"batch": one.batch, "region": one.region, "pays": one.pays}
    saving = one.saving
    if saving is None:
        return {**about, "because": one.because}
    return {
        **about,
        "entry": saving.entry,
        "with": {"id": saving.with_id, **times("score", saving.with_ps)},
        "without": {"id": saving.without_id, **times("score", saving.without_ps)},
        "mechanisms": [{"name": name, **times("saving", ps)} for name, ps in saving.parts],
        **times("saving", saving.saving_ps),
        **times("fixed", saving.fixed_ps),
        **times("difference", saving.difference_ps),
    }
