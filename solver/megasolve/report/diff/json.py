"""What changed between two plans as JSON, `diff/v1`: numbers are numbers, with exact picoseconds beside them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts import JsonObject

from ..solve.json import json_text
from ..text.numbers import exact_ps, us_number

if TYPE_CHECKING:
    from megasolve.solver.compare.difference import BatchDifference, PlanDifference


def diff_json(found: PlanDifference, tolerance: Fraction | None, version: str) -> str:
    """Return *found* as JSON text."""
    changes = [{"path": one.path, "how": one.how, "was": one.was, "now": one.now} for one in found.changes]
    return json_text(
        {
            "megasolve": "diff/v1",
            "version": version,
            "spec": found.spec,
            "device": {"before": found.device[0], "after": found.device[1]},
            "changes": changes,
            "fail_if_worse": None if tolerance is None else float(tolerance),
            "batches": [_batch(one, tolerance) for one in found.batches],
        }
    )


def _batch(batch: BatchDifference, tolerance: Fraction | None) -> JsonObject:
    return {
        "batch": batch.batch,
        "objective": batch.objective,
        "ablation": batch.ablation,
        "in": "both" if not (batch.is_missing or batch.is_new) else "before" if batch.is_missing else "after",
        "before": _best(batch.best_before, batch.before_ps),
        "after": _best(batch.best_after, batch.after_ps),
        "change": None if batch.relative is None else float(batch.relative),
        "other_best": batch.has_other_best,
        "worse": None if tolerance is None else batch.is_worse(tolerance),
        "shifted": [
            {
                "id": one.id,
                "before_us": us_number(one.before_ps),
                "before_ps": exact_ps(one.before_ps),
                "after_us": us_number(one.after_ps),
                "after_ps": exact_ps(one.after_ps),
                "change": None if one.relative is None else float(one.relative),
            }
            for one in batch.shifted
        ],
        "dropped": [{"id": one.id, "causes": list(one.causes)} for one in batch.dropped],
        "added": list(batch.added),
    }


def _best(names: tuple[str, ...], score_ps: Fraction | None) -> JsonObject | None:
    return None if score_ps is None else {"best": list(names), "score_us": us_number(score_ps), "score_ps": exact_ps(score_ps)}
