"""What a measurement came to, and what one would do, for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from megasolve.contracts.measuring.times import (
    AcceptedTime,
    MeasuredTimes,
    PlannedTimes,
    SeenCosts,
    SeenLaunchCost,
    TimedKey,
    UnacceptedTime,
    UnseenCosts,
    UntakenTime,
    WholeCallTime,
)
from megasolve.contracts.model.wording import counted

from ..text.numbers import percent
from ..text.paint import PLAIN, Paint
from ..text.tables import Column, one_line, titled

_LOG_LINES = 12
_BLOCKS = (Column("what"), *(Column(title, is_number=True) for title in ("batch", "times", "launches", "seconds")))
_TIMES = (
    *(Column("group"), Column("entry"), Column("CTAs", is_number=True), Column("batch", is_number=True)),
    *(Column("time (µs)", is_number=True), Column("95 % (µs)"), Column("accuracy", is_number=True)),
    *(Column("derived (µs)", is_number=True), Column("launch (µs)", is_number=True)),
)


def measurement_text(found: MeasuredTimes, notes: Sequence[str], *, paint: Paint = PLAIN) -> str:
    """Return the times that were written, then what was not, what launches cost, and what is to be known beside."""
    lines = [
        *titled(_TIMES, list(map(_time, found.written)), paint),
        *_shortest(found.written),
        *(one_line(_whole_call(one)) for one in found.whole_calls),
        *(paint.red(one_line(_not_accepted(one))) for one in found.not_accepted),
        *map(one_line, _kept(found.not_accepted)),
        *(paint.red(line) for one in found.failed for line in _failed(one)),
        *(one_line(line) for line in _costs(found.costs)),
        *([paint.red(one_line(f"stopped, so the rest was not tried: {found.stopped}"))] if found.stopped else []),
        one_line(f"wrote {counted(len(found.written), 'record')} to {found.records}"),
    ]
    return _text([*lines, *map(one_line, notes)] if found.tried else list(map(one_line, notes)))


def plan_text(found: PlannedTimes, notes: Sequence[str], *, paint: Paint = PLAIN) -> str:
    """Return what would be run, block by block, how long it takes and how that is known."""
    blocks = found.blocks
    if not blocks:
        return _text(list(map(one_line, notes)))
    rows = [[one.what, str(one.batch), str(len(one.times)), f"{one.launches:,}", f"{one.seconds:.0f}"] for one in blocks]
    seconds = sum(one.seconds for one in blocks) / found.workers
    beside = f", {found.workers} blocks at a time" if found.workers > 1 else ""
    total = f"{counted(found.tried, 'time')}, {sum(one.launches for one in blocks):,} launches, about {_duration(seconds)}{beside}"
    return _text([*titled(_BLOCKS, rows, paint), total, f"estimated: {found.estimated}", *map(one_line, notes)])


def _time(one: AcceptedTime) -> list[str]:
    accuracy = "" if one.accuracy is None else f"±{percent(Fraction(one.accuracy).limit_denominator(10**6))}"
    interval = "" if one.interval_us is None else " to ".join(f"{end:,.3f}" for end in one.interval_us)
    derived = "" if one.derived_us is None else f"{one.derived_us:,.3f}"
    key = [one.group, one.entry, str(one.budget_ctas), str(one.batch)]
    return [*key, f"{one.time_us:,.3f}", interval, accuracy, derived, f"{one.overhead_us:,.3f}"]


def _shortest(written: Sequence[AcceptedTime]) -> Iterator[str]:
    """Yield what the records that state no accuracy at all say."""
    empty = sum(one.accuracy == 1 for one in written)
    if empty:
        yield f"{counted(empty, 'time')} known by the order of size alone (±100 %): no longer than what a launch takes with nothing to do"


def _whole_call(one: WholeCallTime) -> str:
    times = f"{one.together_us:,.3f} µs in one graph and {one.one_by_one_us:,.3f} µs one by one"
    beside = f"beside {one.empty_launch_us:.3f} µs for each launch with nothing to do"
    return f"{one.what}, batch {one.batch}: {one.launches} launches take {times}, {beside}"


def _not_accepted(one: UnacceptedTime) -> str:
    rules = "; ".join(f"{rule.rule}: {rule.figures}" for rule in one.rules)
    return f"not accepted: {_named(one)}: {rules}"


def _kept(not_accepted: Sequence[UnacceptedTime]) -> Iterator[str]:
    """Yield where the samples stand that were not accepted, once for each file."""
    files = [one.samples for one in not_accepted if one.samples is not None]
    yield from (f"samples that were not accepted are kept in {file}, which no plan reads" for file in dict.fromkeys(files))


def _failed(one: UntakenTime) -> Iterator[str]:
    yield one_line(f"failed: {_named(one)}: {one.because}")
    yield from (f"    {one_line(line)}" for line in one.detail.strip().splitlines()[-_LOG_LINES:])


def _named(one: TimedKey) -> str:
    return f"{one.group} in '{one.entry}' on {one.budget_ctas} CTAs, batch {one.batch}"


def _costs(costs: SeenCosts | UnseenCosts | None) -> Iterator[str]:
    if costs is None:
        return
    if isinstance(costs, UnseenCosts):
        yield f"what launches cost was not measured: {costs.because}"
        return
    yield f"suggested for the device file, as seen on {costs.device}: launch: {{{', '.join(_kinds(costs.launches))}}}"
    yield f"suggested for contracts: synchronization: {{kind: counters, cost_us: {costs.wait_us:.3f}}}"


def _kinds(launches: Mapping[str, SeenLaunchCost]) -> Iterator[str]:
    for kind, figures in launches.items():
        gap = "" if figures.gap_us is None else f", gap_us: {figures.gap_us:.3f}"
        yield f"{kind}: {{host_us: {figures.host_us:.3f}, exposed_us: {figures.exposed_us:.3f}{gap}}}"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
