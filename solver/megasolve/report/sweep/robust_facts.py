"""How robust a plan is, as JSON and as rows of CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..text.numbers import us_text
from .times import times

if TYPE_CHECKING:
    from megasolve.contracts import JsonObject
    from megasolve.solver import CommonFlips, Flip, NextMeasurement, Robustness, TimeFlips

_MILLION = 10**6


def robust_facts(robust: Robustness) -> JsonObject:
    """Return how robust a plan is, as JSON has it."""
    assumed = robust.assumed_accuracy
    return {
        "objective": robust.objective.value,
        "batch": robust.batch,
        "best": list(robust.best),
        "designs": robust.designs,
        "whole": robust.is_whole,
        "limited": robust.is_limited,
        "draws": robust.draws,
        "seed": robust.seed,
        "times": len(robust.flips),
        "times_that_state_an_accuracy": robust.stated,
        "assumed_accuracy": None if assumed is None else float(assumed),
        "chances": [{"id": one.id, "share": one.share, "same_as": one.same_as} for one in robust.chances],
        "flips": list(map(_time, robust.flips)),
        "common": list(map(_common, robust.common)),
        "measure_next": list(map(_next, robust.measure_next)),
    }


def _time(one: TimeFlips) -> JsonObject:
    time, accuracy = one.time, one.time.use.record.accuracy
    return {
        "name": time.name,
        "path": time.path,
        "place": str(time.use.place),
        "evidence": time.evidence,
        "accuracy": None if accuracy is None else float(accuracy),
        **times("time", time.ps),
        "below": _flip(one.below, is_time=True),
        "above": _flip(one.above, is_time=True),
    }


def _common(one: CommonFlips) -> JsonObject:
    about: JsonObject = {"evidence": one.evidence, "backend": one.backend, "times": one.times}
    return {**about, "below": _flip(one.below, is_time=False), "above": _flip(one.above, is_time=False)}


def _flip(flip: Flip | None, *, is_time: bool) -> JsonObject | None:
    if flip is None:
        return None
    value: JsonObject = times("time", flip.value) if is_time else {"factor": flip.value / _MILLION}
    return {**value, "ratio": float(flip.ratio), "best": list(flip.after)}


def _next(one: NextMeasurement) -> JsonObject:
    time = one.time.time
    return {"name": time.name, "path": time.path, "chance_now": one.chance_now, "chance_then": one.chance_then, "command": one.command}


def robust_rows(robust: Robustness) -> Iterator[dict[str, object]]:
    """Yield how robust a plan is, row by row."""
    about = {"objective": robust.objective.value, "batch": robust.batch}
    for one in robust.chances:
        yield {**about, "status": "chance", "id": one.id, "value": f"{one.share:.6f}"}
    for flips in robust.flips:
        for flip in filter(None, (flips.below, flips.above)):
            path = flips.time.path or flips.time.name
            moved = {"path": path, "value": us_text(flip.value), "margin": f"{float(flip.ratio):.6f}"}
            yield {**about, "status": "flip", **moved, "id": "; ".join(flip.after), "without_id": "; ".join(robust.best)}
    for following in robust.measure_next:
        time = following.time.time
        yield {**about, "status": "measure next", "path": time.path or time.name, "notes": following.command or ""}
