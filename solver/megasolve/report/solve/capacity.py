"""StreamCapacity and playback in the results of `solve`: how many streams are served at once, and whether each keeps up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from megasolve.contracts.model.base import PS_PER_US
from megasolve.contracts.model.wording import counted

from ..text.numbers import ratio_text, us_text
from ..text.paint import PLAIN, Paint
from ..text.short_ids import short_id
from ..text.tables import Column, aligned, indented

if TYPE_CHECKING:
    from megasolve.contracts import JsonObject
    from megasolve.solver import Interval99, QueueInFront, Ranked, Result, StreamCapacity


def playback_facts(row: Ranked) -> JsonObject:
    """Return the real-time factor of *row*; nothing where nothing is known of its playback."""
    return {} if row.playback is None else {"real_time_factor": ratio_text(row.playback.real_time_factor), "keeps_up": row.keeps_up}


def capacity_facts(capacity: StreamCapacity | None) -> JsonObject:
    """Return the capacity; nothing where nothing is known of playback."""
    if capacity is None:
        return {}
    at_least: JsonObject = {"at_least": True} if capacity.at_least else {}
    return {"capacity": {"batch": capacity.batch, "streams": capacity.streams, "id": capacity.id, **at_least}}


def arrival_facts(queue: QueueInFront | None) -> JsonObject:
    """Return what was simulated of arrivals; nothing where nothing arrives, or nothing is known."""
    if queue is None:
        return {}
    asked: JsonObject = {"requests_per_s": float(queue.requests_per_s), "service_us": us_text(queue.service_ps)}
    found: JsonObject = {"busy": _interval_facts(queue.busy, 1), "added_us": _interval_facts(queue.added_ps, PS_PER_US)}
    return {"arrivals": {**asked, "utilization": float(queue.utilization), **found}}


def _interval_facts(found: Interval99 | None, unit: int) -> JsonObject | None:
    return None if found is None else {"mean": found.mean / unit, "within_99": found.half_width / unit}


def served_facts(result: Result) -> JsonObject:
    """Return every design that serves any batch, the one that serves most first; nothing where nobody asks by capacity."""
    if not result.is_by_capacity:
        return {}
    served = [
        {"id": one.id, "batch": one.batch, "streams": one.batch, "real_time_factor": ratio_text(one.real_time_factor)}
        for one in result.served
    ]
    return {"by_capacity": served}


def served_lines(result: Result, paint: Paint = PLAIN) -> list[str]:
    """Return the same as a table."""
    if not result.is_by_capacity or not result.served:
        return []
    columns = [Column("streams", is_number=True), Column("real-time factor", is_number=True), Column("candidate (cover@policy)")]
    rows = [[str(one.batch), ratio_text(one.real_time_factor) or "", short_id(one.id)] for one in result.served]
    return ["designs by capacity:", *indented(aligned(columns, rows, paint))]


def capacity_line(result: Result) -> str:
    """Return how many streams are served at once, by which design; nothing where nothing is known of playback."""
    capacity = result.capacity
    if capacity is None:
        return ""
    batches = ", ".join(str(batch.batch) for batch in result.results)
    if capacity.id is None:
        return f"capacity: no design keeps up with its sound at any of the batches {batches}"
    least = "at least " if capacity.at_least else ""
    return f"capacity: {least}{counted(capacity.streams, 'stream')} at once (the largest of the batches {batches}), in {capacity.id}"
