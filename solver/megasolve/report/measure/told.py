"""What a measurement came to, or would do, in either form."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

from pydantic import TypeAdapter

from megasolve.contracts.measuring.runs import MeasuredRuns, PlannedRuns
from megasolve.contracts.measuring.times import MeasuredTimes, PlannedTimes

from ..solve.json import json_text
from ..text.paint import PLAIN, Paint
from .runs import launches_text, runs_text
from .text import measurement_text, plan_text

Told: TypeAlias = PlannedTimes | MeasuredTimes | PlannedRuns | MeasuredRuns


# Made when one is asked for: most commands measure nothing.
@cache
def _adapter() -> TypeAdapter[Told]:
    return TypeAdapter(Told)


def told_json(told: Told, notes: Sequence[str]) -> str:
    """Return *told* and what to know beside as JSON: `measurement/v1` or `runs/v1`."""
    values = _adapter().dump_python(told, mode="json")
    if isinstance(told, PlannedTimes | MeasuredTimes):
        return json_text({"megasolve": "measurement/v1", **values, "dry_run": isinstance(told, PlannedTimes), "notes": list(notes)})
    return json_text({"megasolve": "runs/v1", "dry_run": isinstance(told, PlannedRuns), **values, "notes": list(notes)})


def told_text(told: Told, notes: Sequence[str], *, paint: Paint = PLAIN) -> str:
    """Return *told* and what to know beside for a person."""
    match told:
        case PlannedTimes():
            return plan_text(told, notes, paint=paint)
        case MeasuredTimes():
            return measurement_text(told, notes, paint=paint)
        case PlannedRuns():
            return launches_text(told, notes, paint=paint)
        case MeasuredRuns():
            return runs_text(told, notes, paint=paint)
