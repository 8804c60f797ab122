"""An evaluation as JSON, `evaluation/v1`: numbers are numbers, with exact picoseconds beside them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts import JsonObject

from ..solve.json import json_text, stamp_facts
from ..text.numbers import exact_ps, us_number

if TYPE_CHECKING:
    from megasolve.contracts import Stamp
    from megasolve.solver import Case, Evaluation, GroupError, JudgedDesign, Ratio

REGRESSION = "regression, counts for nothing"


def evaluation_json(evaluation: Evaluation, stamp: Stamp | None = None) -> str:
    """Return *evaluation* as JSON text."""
    changes = [{"path": one.path, "how": one.how, "was": one.was, "now": one.now} for one in evaluation.changes or ()]
    about: JsonObject = {
        "spec": evaluation.spec,
        "device": evaluation.device,
        "objective": evaluation.objective.value,
        **stamp_facts(stamp),
        "label": REGRESSION if evaluation.is_regression else None,
        "statistic": {"name": evaluation.statistic.name, "unit": evaluation.statistic.unit},
        "bootstrap": {"resamples": evaluation.resamples, "coverage": 0.95, "seed": evaluation.seed},
        "plan": None if evaluation.changes is None else {"changes": changes},
        "notes": list(evaluation.notes),
    }
    planners = {planner: _planner(evaluation, planner) for planner in evaluation.planners}
    return json_text({"megasolve": "evaluation/v1", **about, "planners": planners})


def _planner(evaluation: Evaluation, planner: str) -> JsonObject:
    return {
        "matches": evaluation.matches(planner),
        "of": evaluation.decided(planner),
        "largest_regret": _number(evaluation.most_regret(planner)),
        "cases": list(map(_case, evaluation.cases[planner])),
    }


def _case(case: Case) -> JsonObject:
    return {
        "batch": case.batch,
        "measured_best": list(case.measured_best),
        "predicted_best": list(case.predicted_best),
        "match": case.match,
        "regret": _number(case.regret),
        "tau_b": case.tau_b,
        "too_close": case.too_close,
        "ratio": _ratio(case.ratio),
        "measured_margin": _number(case.measured_margin),
        "predicted_margin": _number(case.predicted_margin),
        "within_accuracy": case.is_within_accuracy,
        "outside": list(case.outside),
        "errors": list(map(_judged, case.pool)),
        "notes": list(case.notes),
    }


def _judged(one: JudgedDesign) -> JsonObject:
    predicted = one.predicted_ps
    return {
        "id": one.contender.id,
        "also": list(one.contender.also),
        "entries": None if one.contender.entries is None else list(one.contender.entries),
        "measured_us": us_number(one.measured_ps),
        "measured_ps": exact_ps(one.measured_ps),
        "predicted_us": None if predicted is None else us_number(predicted),
        "predicted_ps": None if predicted is None else exact_ps(predicted),
        "error": _number(one.error),
        "because": one.because,
        "ratio": _ratio(one.ratio),
        "blocks": len(one.contender.blocks),
        "runs": one.contender.runs,
        "groups": list(map(_group, one.groups)),
        "cancelled_ps": exact_ps(one.cancelled_ps),
    }


def _group(one: GroupError) -> JsonObject:
    """Return the error of a group; without a name it is what is in none: launches, waits, overlap."""
    return {
        "group": one.group,
        "measured_us": us_number(one.measured_ps),
        "measured_ps": exact_ps(one.measured_ps),
        "predicted_us": us_number(one.predicted_ps),
        "predicted_ps": exact_ps(one.predicted_ps),
        "error": _number(one.error),
    }


def _ratio(ratio: Ratio | None) -> JsonObject | None:
    if ratio is None:
        return None
    return {"value": _number(ratio.value), "low": ratio.low, "high": ratio.high, "blocks": ratio.blocks}


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
