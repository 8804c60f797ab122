"""The result of `solve` as JSON, `result/v1`: stable keys in a fixed order; other keys may be added."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from megasolve.contracts import JsonObject

from ..text.findings import finding_facts
from ..text.measured import measured_facts
from ..text.numbers import exact_ps, ratio_text, us_text
from ..text.settings import setting_facts
from .capacity import arrival_facts, capacity_facts, playback_facts, served_facts
from .goals import goal_facts, row_times
from .searching import search_facts
from .standings import Standing, standings
from .steps import steps_facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from megasolve.contracts import OutsideTime, Stamp
    from megasolve.solver import BatchResult, Cause, EntryStanding, Excluded, Ranked, Result, ScoredVariant


_NOT_ASCII = re.compile(r"[^\n -~]")


def solve_json(result: Result, stamp: Stamp | None = None, turns: Sequence[JsonObject] = ()) -> str:
    """Return *result* as JSON text; with *stamp* it is a frozen plan. *turns* are facts of what --solve-for asks for."""
    return json_text(_facts(result, stamp, turns))


def solved_line(result: Result, stamp: Stamp) -> str:
    """Return the same as one line, without its end: what a run over many studies writes of each batch."""
    return line_text(_facts(result, stamp, ()))


def _facts(result: Result, stamp: Stamp | None, turns: Sequence[JsonObject]) -> JsonObject:
    batches = [_batch(batch) for batch in result.results]
    outside: JsonObject = {"outside": list(map(outside_facts, result.outside))} if result.outside else {}
    settings: JsonObject = {"set": list(map(setting_facts, result.settings))} if result.settings else {}
    about = {"spec": result.spec, "device": result.device, "without": list(result.without), **settings, **outside}
    solved: JsonObject = {"solve_for": list(turns)} if turns else {}
    capacity = capacity_facts(result.capacity)
    return {"megasolve": "result/v1", **about, **stamp_facts(stamp), **solved, **capacity, **served_facts(result), "results": batches}


def stamp_facts(stamp: Stamp | None) -> JsonObject:
    """Return what a result was made of, for any kind of result; nothing where nobody says it."""
    if stamp is None:
        return {}
    inputs = [{"path": one.path, "sha256": one.sha256} for one in stamp.inputs]
    return {"version": stamp.version, "options": stamp.options, "inputs": inputs}


def outside_facts(time: OutsideTime) -> JsonObject:
    """Return time of a profile that no candidate has."""
    return {"what": time.what, "time_us": us_text(time.time_ps), "time_ps": time.time_ps, "because": time.because}


def json_text(value: JsonObject) -> str:
    """Return *value* as JSON text with a final newline; what a terminal would obey, or not show, is written as an escape."""
    return f"{_harmless(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))}\n"


def line_text(value: JsonObject) -> str:
    """Return *value* as JSON on one line, without its end, escaped as `json_text` does."""
    return _harmless(json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False))


def _harmless(text: str) -> str:
    # Only a text of JSON can hold what GitHub takes for a command wherever it stands in a log.
    return _NOT_ASCII.sub(_escaped, text).replace("##[", "#\\u0023[")


def _escaped(match: re.Match[str]) -> str:
    # Outside of its texts JSON is ASCII, so that an escape is never out of place.
    return match[0] if match[0].isprintable() else json.dumps(match[0])[1:-1]


def _batch(batch: BatchResult) -> JsonObject:
    return {
        "batch": batch.batch,
        "objective": batch.objective.value,
        "ablation": batch.ablation.value,
        "covers": batch.covers,
        "candidates": batch.candidates,
        **search_facts(batch),
        "best": list(batch.best),
        "ranking": [_ranked(standing, batch) for standing in standings(batch)],
        "excluded": [_excluded(row) for row in batch.excluded],
        "too_close": list(batch.too_close),
        "notes": list(batch.notes),
        **finding_facts(batch.findings),
        **({"unshown": list(batch.unshown)} if batch.unshown else {}),
        **arrival_facts(batch.queue),
        "steps": steps_facts(batch.steps),
        "entries": [_entry(standing) for standing in batch.entries],
        **goal_facts(batch),
    }


def _entry(standing: EntryStanding) -> JsonObject:
    left_out = [{**cause_facts(one.cause), "ranked": one.ranked, "excluded": one.excluded} for one in standing.left_out]
    about = {"entry": standing.entry, "backend": standing.contract.backend, "members": list(standing.contract.members)}
    return {
        **about,
        "best_in": list(standing.stands_in),
        "slower_in": standing.slower_in,
        "left_out_of": standing.left_out_of,
        "left_out": left_out,
    }


def _ranked(standing: Standing, batch: BatchResult) -> JsonObject:
    row = standing.row
    same = {"same_as_count": row.same_as_count} if batch.searched else {}
    return {
        "id": row.id,
        "place": standing.place,
        "score_us": us_text(row.score_ps),
        "score_ps": exact_ps(row.score_ps),
        "difference": ratio_text(standing.difference),
        **row_times(row),
        **playback_facts(row),
        **row_facts(row),
        **same,
        "records": list(dict.fromkeys(str(usage.use.place) for usage in row.composed.usages)),
    }


def row_facts(row: Ranked) -> JsonObject:
    """Return what is known of a ranked row beside its score."""
    return {
        "cover": str(row.candidate.cover),
        "policy": str(row.candidate.policy),
        "entries": list(row.entries),
        "evidence": list(row.evidence),
        "accuracy": ratio_text(row.accuracy),
        "accuracy_is_partial": row.accuracy is not None and row.accuracy_is_partial,
        "same_as": row.same_as,
        "variants": [list(entries) for entries in row.variants],
        "notes": list(row.notes),
        **measured_facts(row.measured),
        "slower_variants": [_slower(row, one) for one in row.slower],
        "dropped_variants": [{"entries": list(one.entries), "causes": list(map(cause_facts, one.causes))} for one in row.dropped],
    }


def _slower(row: Ranked, one: ScoredVariant) -> JsonObject:
    """Return a variant that loses; *difference* is to the score of its candidate."""
    return {
        "entries": list(one.entries),
        "score_us": us_text(one.score_ps),
        "score_ps": exact_ps(one.score_ps),
        "difference": ratio_text(one.difference(row.score_ps)),
        "accuracy": ratio_text(one.accuracy),
        "too_close": one.is_too_close(row.score_ps, row.accuracy),
    }


def _excluded(row: Excluded) -> JsonObject:
    return {"id": row.id, "causes": [cause_facts(cause) for cause in row.causes]}


def cause_facts(cause: Cause) -> JsonObject:
    """Return one cause of an exclusion."""
    return {"rule": cause.rule.code, "name": cause.rule.name, "because": cause.because, "subject": cause.subject}
