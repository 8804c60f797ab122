"""What is told of runs, in plain values: medians with their intervals, and what else to know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from megasolve.contracts import PS_PER_US, CoRunSide, MeasuredRun

from ...harness.statistics import summarize


def composition_facts(run: MeasuredRun) -> dict[str, Any]:
    """Return what is told of the run of a composition."""
    ran = run.composition
    if ran is None:
        raise TypeError("a run without a composition")
    return {
        "candidate": ran.candidate,
        "entries": ["+".join(entries) for entries in ran.entries],
        **_common(run),
        **timing(ran.samples_ps),
    }


def co_run_facts(run: MeasuredRun) -> dict[str, Any]:
    """Return what is told of a co-run."""
    ran = run.co_run
    if ran is None:
        raise TypeError("a run without a co-run")
    sides = {"producer": _side(ran.producer), "consumer": _side(ran.consumer)}
    return {**sides, **_common(run), "cooperative": ran.cooperative, "wanted_ctas": ran.wanted_ctas, "met_ctas": ran.met_ctas}


def timing(samples_ps: Sequence[int]) -> dict[str, Any]:
    """Return the median of samples in microseconds, with its interval of 95 % and how many there are; None where there is none."""
    if not samples_ps:
        return {"time_us": None, "interval_us": None, "samples": 0}
    found = summarize([sample / PS_PER_US for sample in samples_ps])
    return {"time_us": found.median, "interval_us": [found.low, found.high], "samples": found.count}


def _side(side: CoRunSide) -> dict[str, Any]:
    slowdown = side.slowdown
    return {
        "groups": list(side.groups),
        "backend": side.backend,
        "entries": "+".join(side.entries),
        "ctas": side.ctas,
        "solo_us": timing(side.solo_ps)["time_us"],
        "pair_us": timing(side.pair_ps)["time_us"],
        "slowdown": None if slowdown is None else float(slowdown),
    }


def _common(run: MeasuredRun) -> dict[str, Any]:
    distance = None if run.relative_l2 is None else float(run.relative_l2)
    return {"batch": run.batch, "because": run.because, "relative_l2": distance, "notes": list(run.notes)}
