"""A service table as JSON, `table/v1`: every row with its full key, exact time, provenance, bytes and lower bound."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from megasolve.contracts import JsonObject

from ..solve.json import json_text
from ..text.numbers import exact_ps, ratio_text, us_text
from .rows import over_bound, scalar_key

if TYPE_CHECKING:
    from megasolve.solver import Calibration, Derived, RecordUse, ServiceRow, ServiceTable


def table_json(table: ServiceTable) -> str:
    """Return *table* as JSON text."""
    head = {"megasolve": "table/v1", "spec": table.spec, "device": table.device, "without": list(table.without)}
    return json_text({**head, "rows": [_row(row) for row in table.rows]})


def _row(row: ServiceRow) -> JsonObject:
    return {
        **_key(row),
        **_service(row.use),
        "bound_us": us_text(row.bound.time_ps) if row.bound else None,
        "bound_ps": row.bound.time_ps if row.bound else None,
        "bound_by": row.bound.kind if row.bound else None,
        "over_bound": ratio_text(over_bound(row)),
        "flag": row.flag,
        "calibrations": [_calibration(one) for one in row.calibrations],
        "missing": row.missing,
        "notes": list(row.notes),
    }


def _key(row: ServiceRow) -> JsonObject:
    key = row.key
    shapes = dict(sorted(key.shapes.items()))
    return {**scalar_key(row), "shapes": shapes, "precision": key.precision, "context": _plain(key.context)}


def _service(use: RecordUse | None) -> JsonObject:
    if use is None:
        return dict.fromkeys(("time_us", "time_ps", "hbm_bytes", "accuracy", "provenance", "place", "simulated"))
    record = use.record
    return {
        "time_us": us_text(record.time_ps),
        "time_ps": exact_ps(record.time_ps),
        "hbm_bytes": record.hbm_bytes,
        "accuracy": None if record.accuracy is None else str(record.accuracy),
        "provenance": record.provenance.model_dump(mode="json", by_alias=True, exclude_unset=True),
        "place": str(use.place),
        "simulated": _simulated(use.derived) if use.derived else None,
    }


def _simulated(derived: Derived) -> JsonObject:
    bounds = derived.bounds
    return {
        "tiles": derived.tiles,
        "workers": derived.workers,
        "repeats_not_simulated": derived.folded,
        "never_staged": list(derived.never_staged),
        "bandwidth_bound_ps": bounds.bandwidth_ps,
        "path_bound_ps": bounds.path_ps,
        "work_bound_ps": bounds.work_ps,
        "factors": {operator: str(factor) for operator, factor in derived.factors},
    }


def _calibration(calibration: Calibration) -> JsonObject:
    return {
        "entry": calibration.entry,
        "operators": list(calibration.operators),
        "factor": str(calibration.factor),
        "simulated_us": us_text(calibration.simulated_ps),
        "record_us": us_text(calibration.record_ps),
        "finding": calibration.finding,
    }


def _plain(value: Any) -> Any:
    """Return a context as JSON values; decimals as numbers, as a file has them."""
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value
