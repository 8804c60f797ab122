"""What a measurement came to, or would do, as it is told."""

from __future__ import annotations

from collections.abc import Sequence

from megasolve.contracts import PS_PER_US, Key, Study
from megasolve.contracts.measuring.times import (
    AcceptedTime,
    BlockPlan,
    BrokenRule,
    MeasuredTimes,
    PlannedTimes,
    TimedKey,
    UnacceptedTime,
    UnseenCosts,
    UntakenTime,
    WholeCallTime,
)
from megasolve.contracts.measuring.wishes import MeasuringWishes

from .estimate import SOURCES, Estimate
from .measuring import CallSum, FailedTime, RefusedTime, TimesReport, WrittenTime

# Microseconds to the picosecond, the unit of records.
_PLACES = 6


def planned_times(study: Study, wishes: MeasuringWishes, estimates: Sequence[Estimate], workers: int) -> PlannedTimes:
    """Return what each block would launch and how many seconds it would take."""
    return PlannedTimes(
        spec=study.spec.value.name,
        device=study.device.value.name,
        backend=wishes.backend,
        fake=wishes.on_cpu,
        cache=wishes.cache,
        records=str(wishes.target),
        tried=sum(len(one.block.wanted) for one in estimates),
        blocks=tuple(map(_planned, estimates)),
        workers=workers,
        estimated=SOURCES[wishes.on_cpu],
    )


def measured_times(study: Study, wishes: MeasuringWishes, tried: int, report: TimesReport) -> MeasuredTimes:
    """Return what became of the times that were *tried*, and what launches and waits cost."""
    return MeasuredTimes(
        spec=study.spec.value.name,
        device=study.device.value.name,
        backend=wishes.backend,
        fake=wishes.on_cpu,
        cache=wishes.cache,
        records=str(wishes.target),
        tried=tried,
        written=tuple(map(_written, report.written)),
        not_accepted=tuple(map(_refused, report.refused)),
        failed=tuple(map(_failed, report.failed)),
        whole_calls=tuple(map(_sum, report.sums)),
        costs=UnseenCosts(report.costs) if isinstance(report.costs, str) else report.costs,
        stopped=report.stopped,
        complete=report.is_complete,
    )


def _key(key: Key) -> TimedKey:
    return TimedKey(key.group, key.backend, key.entry, key.budget_ctas, key.batch)


def _planned(one: Estimate) -> BlockPlan:
    times = tuple(_key(wanted.key) for wanted in one.block.wanted)
    return BlockPlan(one.block.title, one.block.batch, times, one.launches, round(one.seconds, 1))


def _written(one: WrittenTime) -> AcceptedTime:
    key, record, measurement = one.wanted.key, one.record, one.record.provenance.measurement
    interval_ps = measurement.interval_ps if measurement else None
    return AcceptedTime(
        group=key.group,
        backend=key.backend,
        entry=key.entry,
        budget_ctas=key.budget_ctas,
        batch=key.batch,
        time_us=_us(record.time_ps),
        interval_us=None if interval_ps is None else (_us(interval_ps[0]), _us(interval_ps[1])),
        accuracy=None if record.accuracy is None else float(record.accuracy),
        derived_us=None if one.wanted.derived_ps is None else _us(one.wanted.derived_ps),
        overhead_us=round(one.overhead_us, _PLACES),
        hbm_bytes=record.hbm_bytes,
    )


def _refused(one: RefusedTime) -> UnacceptedTime:
    key, rules = one.wanted.key, tuple(BrokenRule(verdict.rule, verdict.figures) for verdict in one.broken)
    kept = None if one.kept is None else str(one.kept)
    return UnacceptedTime(key.group, key.backend, key.entry, key.budget_ctas, key.batch, rules, kept)


def _failed(one: FailedTime) -> UntakenTime:
    key = one.wanted.key
    return UntakenTime(key.group, key.backend, key.entry, key.budget_ctas, key.batch, one.message, one.detail)


def _sum(one: CallSum) -> WholeCallTime:
    launches = one.whole.kernels
    return WholeCallTime(
        what=one.block.title,
        batch=one.block.batch,
        launches=launches,
        together_us=round(one.whole.call_us, _PLACES),
        one_by_one_us=round(one.kernels_us, _PLACES),
        empty_launch_us=round(one.whole.empty_us / launches, _PLACES),
    )


def _us(ps: int) -> float:
    return ps / PS_PER_US
