"""A service table as CSV: one row per key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..text.csv import csv_text
from ..text.numbers import ratio_text, us_text
from .rows import factors_text, over_bound, scalar_key, shapes_text

if TYPE_CHECKING:
    from megasolve.solver import ServiceRow, ServiceTable

COLUMNS = (
    "spec",
    "device",
    "without",
    "group",
    "backend",
    "entry",
    "budget_ctas",
    "batch",
    "shapes",
    "precision",
    "time_us",
    "time_ps",
    "hbm_bytes",
    "evidence",
    "source",
    "place",
    "bound_us",
    "bound_by",
    "over_bound",
    "flag",
    "factors",
    "missing",
    "notes",
)


def table_csv(table: ServiceTable) -> str:
    """Return *table* as CSV text, a header first; several values in one cell are separated by semicolons."""
    about = {"spec": table.spec, "device": table.device, "without": "; ".join(table.without)}
    return csv_text(COLUMNS, ({**about, **_key(row), **_service(row)} for row in table.rows))


def _key(row: ServiceRow) -> dict[str, object]:
    return {**scalar_key(row), "shapes": shapes_text(row.key.shapes), "precision": row.key.precision}


def _service(row: ServiceRow) -> dict[str, object]:
    if row.use is None:
        return {"missing": row.missing}
    record = row.use.record
    return {
        "time_us": us_text(record.time_ps),
        "time_ps": record.time_ps,
        "hbm_bytes": "" if record.hbm_bytes is None else record.hbm_bytes,
        "evidence": record.provenance.label,
        "source": record.provenance.source,
        "place": row.use.place,
        "bound_us": us_text(row.bound.time_ps) if row.bound else "",
        "bound_by": row.bound.kind if row.bound else "",
        "over_bound": ratio_text(over_bound(row)) or "",
        "flag": row.flag or "",
        "factors": factors_text(row),
        "notes": "; ".join(row.notes),
    }
