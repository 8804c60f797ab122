"""Headroom as JSON, `headroom/v1`: times are numbers in microseconds, each with the exact picoseconds beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts import PS_PER_US, JsonObject

from ..solve.json import json_text, outside_facts, stamp_facts
from ..text.numbers import Ps, exact_ps
from .wording import verdict_words

if TYPE_CHECKING:
    from megasolve.contracts import Stamp
    from megasolve.solver import Against, BatchHeadroom, Crossing, Headroom, HeadroomResult, SpentToday, Supposition


def headroom_json(result: HeadroomResult, stamp: Stamp | None = None, plans: Mapping[int, Sequence[JsonObject]] | None = None) -> str:
    """Return *result* as JSON text, with the steps of the build order of each batch where there are *plans*."""
    about = {"spec": result.spec, "device": result.device}
    outside: JsonObject = {"outside": list(map(outside_facts, result.outside))} if result.outside else {}
    orders = plans or {}
    batches = [{**_batch(batch), **({"plan": list(orders[batch.batch])} if batch.batch in orders else {})} for batch in result.batches]
    return json_text({"megasolve": "headroom/v1", **about, **outside, **stamp_facts(stamp), "batches": batches})


def time_facts(name: str, time_ps: Ps | None) -> JsonObject:
    """Return a time as a number of microseconds, and exactly; null where there is none."""
    if time_ps is None:
        return {f"{name}_us": None, f"{name}_ps": None}
    return {f"{name}_us": float(round(Fraction(time_ps) / PS_PER_US, 6)), f"{name}_ps": exact_ps(time_ps)}


def _batch(batch: BatchHeadroom) -> JsonObject:
    cost, spent = batch.launch.cost, batch.spent
    today = {} if spent is None else _spent(spent)
    launch = {**time_facts("host", cost.host_ps), **time_facts("exposed", cost.exposed_ps), **time_facts("wait", batch.launch.wait_ps)}
    return {
        "batch": batch.batch,
        "objective": batch.objective.value,
        "baseline": {"id": batch.baseline.id, **time_facts("score", batch.baseline.score_ps), **today},
        "launch": {**launch, "because": batch.launch.because, "is_known": batch.launch.is_known},
        "regions": [_region(row) for row in batch.regions],
        "notes": list(batch.notes),
    }


def _spent(spent: SpentToday) -> JsonObject:
    return {
        **time_facts("busy", spent.busy_ps),
        **time_facts("idle", spent.idle_ps),
        "kernels": spent.kernels,
        **time_facts("as_graph", None if spent.is_graph else spent.as_graph_ps),
        **time_facts("as_dependent_graph", None if spent.is_graph else spent.as_dependent_graph_ps),
        **time_facts("kernel_floors", None if spent.opaque == spent.kernels else spent.floor_ps),
        "opaque_kernels": spent.opaque,
    }


def _region(row: Headroom) -> JsonObject:
    today, floor, found = row.today, row.floor, row.break_even
    return {
        "region": row.region,
        "groups": list(row.groups),
        "launched": row.launched or None,
        "kernels": today.kernels,
        "launches": today.launches,
        **time_facts("today", today.total_ps),
        **time_facts("kernels", today.kernels_ps),
        **time_facts("gaps", today.gaps_ps),
        **time_facts("waits", today.waits_ps),
        **time_facts("floor", floor.time_ps),
        **time_facts("floor_with_waits", row.with_waits_ps),
        "bound_by": floor.bound_by,
        "floor_bytes": floor.bytes,
        "floor_flops": floor.flops if floor.flops < 2**53 else str(floor.flops),
        "floor_cached_bytes": floor.cached_bytes,
        "floor_kernels": floor.known,
        **time_facts("break_even", found.time_ps),
        "break_even_factor": None if row.judged.factor is None else float(row.judged.factor),
        "break_even_is": found.ending.value,
        "break_even_is_only": found.is_only,
        "break_evens_seen": [_crossing(one) for one in found.others],
        **time_facts("saves_at_most", row.saves_ps),
        **time_facts("saves_at_kernels", row.at_kernels_ps),
        "verdict": row.judged.verdict.value,
        "verdict_words": verdict_words(row),
        "assumed": None if row.supposed is None else _supposed(row.supposed),
        "against": _against(row.against),
    }


def _supposed(one: Supposition) -> JsonObject:
    accuracy = None if one.accuracy is None else float(one.accuracy)
    about = {"entry": one.entry, **time_facts("time", one.time_ps), "accuracy": accuracy}
    return {**about, **time_facts("saves", one.saves_ps), "outlook": one.outlook.value}


def _crossing(one: Crossing[bool]) -> JsonObject:
    return {"last_ps": one.last, "first_ps": one.first, "wins_before": one.before}


def _against(one: Against) -> JsonObject:
    shape = one.shape
    return {
        "threads": shape.threads,
        "registers": shape.registers,
        "shared_bytes": shape.shared_bytes,
        "ctas_per_sm": shape.ctas_per_sm,
        "stages": one.stages,
        "narrow_stages": one.narrow,
        "narrowest_ctas": one.narrowest_ctas,
        "waits": one.waits,
        **time_facts("gap_per_wait", one.gap_per_wait_ps),
    }
