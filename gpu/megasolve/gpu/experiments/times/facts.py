"""What a measurement came to, or would do, as values of JSON: `measurement/v1`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from megasolve.contracts import PS_PER_US

from ...harness.wanted import WantedTime
from .costs import SEEN_COSTS, SeenCosts
from .estimate import Estimate
from .measuring import CallSum, FailedTime, RefusedTime, TimesReport, WrittenTime

_PLACES = 6


def estimate_facts(estimates: Sequence[Estimate]) -> list[dict[str, Any]]:
    """Return what each block would launch and how many seconds it would take."""
    return [
        {
            "what": one.block.title,
            "batch": one.block.batch,
            "times": [_key(wanted) for wanted in one.block.wanted],
            "launches": one.launches,
            "seconds": round(one.seconds, 1),
        }
        for one in estimates
    ]


def report_facts(report: TimesReport) -> dict[str, Any]:
    """Return what became of every wanted time, and what launches and waits cost."""
    return {
        "written": list(map(_written, report.written)),
        "not_accepted": list(map(_refused, report.refused)),
        "failed": list(map(_failed, report.failed)),
        "whole_calls": list(map(_sum, report.sums)),
        "costs": _costs(report.costs),
        "stopped": report.stopped,
        "complete": report.is_complete,
    }


def _key(wanted: WantedTime) -> dict[str, Any]:
    return {name: getattr(wanted.key, name) for name in ("group", "backend", "entry", "budget_ctas", "batch")}


def _written(one: WrittenTime) -> dict[str, Any]:
    record, measurement = one.record, one.record.provenance.measurement
    return {
        **_key(one.wanted),
        "time_us": _us(record.time_ps),
        "interval_us": [_us(end) for end in measurement.interval_ps] if measurement else None,
        "accuracy": None if record.accuracy is None else float(record.accuracy),
        "derived_us": None if one.wanted.derived_ps is None else _us(one.wanted.derived_ps),
        "overhead_us": round(one.overhead_us, _PLACES),
        "hbm_bytes": record.hbm_bytes,
    }


def _refused(one: RefusedTime) -> dict[str, Any]:
    rules = [{"rule": verdict.rule, "figures": verdict.figures} for verdict in one.broken]
    return {**_key(one.wanted), "rules": rules, "samples": None if one.kept is None else str(one.kept)}


def _failed(one: FailedTime) -> dict[str, Any]:
    return {**_key(one.wanted), "because": one.message, "detail": one.detail}


def _sum(one: CallSum) -> dict[str, Any]:
    launches = one.whole.kernels
    return {
        "what": one.block.title,
        "batch": one.block.batch,
        "launches": launches,
        "together_us": round(one.whole.call_us, _PLACES),
        "one_by_one_us": round(one.kernels_us, _PLACES),
        "empty_launch_us": round(one.whole.empty_us / launches, _PLACES),
    }


def _costs(costs: SeenCosts | str | None) -> dict[str, Any] | None:
    if costs is None:
        return None
    return {"because": costs} if isinstance(costs, str) else SEEN_COSTS.dump_python(costs, mode="json")


def _us(ps: int) -> float:
    return ps / PS_PER_US
