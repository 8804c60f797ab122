"""What the formats of a service table share: how a bound, a flag and a calibration are written."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ..text.numbers import decimal_text, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from megasolve.solver import ServiceRow


def over_bound(row: ServiceRow) -> Fraction | None:
    """Return how far the time lies above its lower bound, relative to the bound; None where either is unknown or zero."""
    if row.time_ps is None or row.bound is None or not row.bound.time_ps:
        return None
    return Fraction(row.time_ps, row.bound.time_ps) - 1


def over_bound_text(row: ServiceRow) -> str:
    """Return how far the time lies above its bound, or its flag."""
    if row.flag:
        return row.flag.upper() if row.flag == "below bound" else row.flag
    over = over_bound(row)
    if over is None:
        return ""
    return f"+{percent(over)}" if over < 1 else f"x {decimal_text(over + 1, 2)}"


def shapes_text(shapes: Mapping[str, int]) -> str:
    """Return shapes as ``frames=4 tokens=512``, by name."""
    return " ".join(f"{name}={size}" for name, size in sorted(shapes.items()))


def factors_text(row: ServiceRow) -> str:
    """Return the calibrated factors that the time of *row* was multiplied by, each once, in order of their operators."""
    derived = row.use.derived if row.use else None
    return " ".join(dict.fromkeys(decimal_text(factor, 3) for _, factor in derived.factors)) if derived else ""


def scalar_key(row: ServiceRow) -> dict[str, object]:
    """Return what of the row's key is a single value: group, backend, entry, budget and batch."""
    key = row.key
    return {"group": key.group, "backend": key.backend, "entry": key.entry, "budget_ctas": key.budget_ctas, "batch": key.batch}
