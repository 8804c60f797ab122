"""An evaluation as CSV: a row for each design of each case, for each planner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..text.csv import csv_text
from ..text.numbers import exact_ps, ratio_text, us_text

if TYPE_CHECKING:
    from megasolve.solver import Case, Evaluation, JudgedDesign

COLUMNS = (
    "spec",
    "device",
    "objective",
    "statistic",
    "unit",
    "label",
    "batch",
    "planner",
    "match",
    "regret",
    "tau_b",
    "too_close",
    "id",
    "entries",
    "measured_best",
    "predicted_best",
    "measured_us",
    "measured_ps",
    "predicted_us",
    "predicted_ps",
    "error",
    "ratio",
    "ratio_low",
    "ratio_high",
    "blocks",
    "runs",
    "because",
)


def evaluation_csv(evaluation: Evaluation) -> str:
    """Return *evaluation* as CSV text, a header first."""
    statistic = evaluation.statistic
    about = {
        "spec": evaluation.spec,
        "device": evaluation.device,
        "objective": evaluation.objective.value,
        "statistic": statistic.name,
        "unit": statistic.unit,
        "label": "regression" if evaluation.is_regression else "",
    }
    cases = (case for planner in evaluation.planners for case in evaluation.cases[planner])
    return csv_text(COLUMNS, ({**about, **row} for case in cases for row in _rows(case)))


def _rows(case: Case) -> Iterator[dict[str, object]]:
    whole = {
        "batch": case.batch,
        "planner": case.planner,
        "match": _said(case.match),
        "regret": ratio_text(case.regret) or "",
        "tau_b": "" if case.tau_b is None else f"{case.tau_b:.6f}",
        "too_close": _said(case.too_close),
    }
    return ({**whole, **_design(one, case)} for one in case.pool)


def _design(one: JudgedDesign, case: Case) -> dict[str, object]:
    name, predicted, ratio = one.contender.name, one.predicted_ps, one.ratio
    return {
        "id": one.contender.id,
        "entries": ", ".join(one.contender.entries or ()),
        "measured_best": _said(name in case.measured_best),
        "predicted_best": _said(name in case.predicted_best),
        "measured_us": us_text(one.measured_ps),
        "measured_ps": exact_ps(one.measured_ps),
        "predicted_us": "" if predicted is None else us_text(predicted),
        "predicted_ps": "" if predicted is None else exact_ps(predicted),
        "error": ratio_text(one.error) or "",
        "ratio": ratio_text(ratio.value) if ratio else "",
        "ratio_low": f"{ratio.low:.6f}" if ratio and ratio.low is not None else "",
        "ratio_high": f"{ratio.high:.6f}" if ratio and ratio.high is not None else "",
        "blocks": len(one.contender.blocks),
        "runs": one.contender.runs,
        "because": one.because or "",
    }


def _said(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"
