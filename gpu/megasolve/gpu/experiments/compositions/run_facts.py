"""What is told of runs: medians with their intervals, and what else to know."""

from __future__ import annotations

from collections.abc import Sequence

from megasolve.contracts import PS_PER_US, CoRunSide, MeasuredRun
from megasolve.contracts.measuring.runs import PairSide, TimedComposition, TimedPair

from ...harness.statistics import SampleSummary, summarize


def timed_composition(run: MeasuredRun) -> TimedComposition:
    """Return what is told of the run of a composition."""
    ran = run.composition
    if ran is None:
        raise TypeError("a run without a composition")
    found = _summary(ran.samples_ps)
    return TimedComposition(
        candidate=ran.candidate,
        entries=tuple("+".join(entries) for entries in ran.entries),
        batch=run.batch,
        because=run.because,
        relative_l2=_distance(run),
        notes=tuple(run.notes),
        time_us=None if found is None else found.median,
        interval_us=None if found is None else (found.low, found.high),
        samples=0 if found is None else found.count,
    )


def timed_pair(run: MeasuredRun) -> TimedPair:
    """Return what is told of a co-run."""
    ran = run.co_run
    if ran is None:
        raise TypeError("a run without a co-run")
    return TimedPair(
        producer=_side(ran.producer),
        consumer=_side(ran.consumer),
        batch=run.batch,
        because=run.because,
        relative_l2=_distance(run),
        notes=tuple(run.notes),
        cooperative=bool(ran.cooperative),
        wanted_ctas=ran.wanted_ctas or 0,
        met_ctas=ran.met_ctas or 0,
    )


def _summary(samples_ps: Sequence[int]) -> SampleSummary | None:
    """Return what samples come to, in microseconds; None where there is none."""
    return summarize([sample / PS_PER_US for sample in samples_ps]) if samples_ps else None


def _distance(run: MeasuredRun) -> float | None:
    return None if run.relative_l2 is None else float(run.relative_l2)


def _side(side: CoRunSide) -> PairSide:
    solo, pair = _summary(side.solo_ps), _summary(side.pair_ps)
    return PairSide(
        groups=tuple(side.groups),
        backend=side.backend,
        entries="+".join(side.entries),
        ctas=side.ctas,
        solo_us=None if solo is None else solo.median,
        pair_us=None if pair is None else pair.median,
        slowdown=None if side.slowdown is None else float(side.slowdown),
    )
