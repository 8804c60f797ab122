"""Slips that rows show only beside each other: one that stands twice, and a time in another unit than its neighbours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction

from ..model.measured import lower_median
from .timed_run import TimedRun
from .unusable import RunFault

Ps = int | Fraction
_Subject = tuple[str, int, str | None]
_STEPS = (1_000, 1_000_000)


def slips(runs: Sequence[TimedRun]) -> Iterator[RunFault]:
    """Yield what is wrong with *runs* beside each other."""
    yield from _repeated(runs)
    of: dict[_Subject, list[TimedRun]] = defaultdict(list)
    for run in runs:
        of[run.candidate, run.batch, run.group].append(run)
    for same in of.values():
        usual = lower_median([run.time_ps for run in same])
        yield from (RunFault(run.place, _slipped(run, usual, factor)) for run in same if (factor := unit_factor(run.time_ps, usual)))


def unit_factor(time_ps: Ps, usual_ps: Ps) -> int:
    """Return the step between units that a time lies from *usual_ps*: 1,000 or 1,000,000, negative where it is the smaller, else 0."""
    larger, smaller = max(time_ps, usual_ps), min(time_ps, usual_ps)
    near = next((step for step in _STEPS if step * smaller < 3 * larger and larger < 3 * step * smaller), 0)
    return near if time_ps > usual_ps else -near


def _slipped(run: TimedRun, usual_ps: int, factor: int) -> str:
    direction = "larger" if factor > 0 else "smaller"
    what = f"group {run.group} of {run.candidate}" if run.group else run.candidate
    far = max(run.time_ps, usual_ps) // min(run.time_ps, usual_ps)
    return (
        f"{what} took {run.time_ps / 1e6:,.6g} us in {_named(run.run)} and {usual_ps / 1e6:,.6g} us as a rule, {far:,} times {direction}: "
        f"a slip of the unit, as by {abs(factor):,}? correct the row, or leave it out"
    )


def _named(run: str) -> str:
    return f"run {run}" if run.isdecimal() else run


def _repeated(runs: Sequence[TimedRun]) -> Iterator[RunFault]:
    first: dict[tuple[str, int, str, str, str | None, tuple[str, ...] | None], TimedRun] = {}
    for run in runs:
        key = (run.candidate, run.batch, run.block, run.run, run.group, run.entries)
        earlier = first.setdefault(key, run)
        if earlier is run:
            continue
        block = f" of block {run.block}" if run.block else ""
        part = f"group {run.group} of " if run.group else ""
        what = f"{part}{run.candidate} at batch {run.batch}, {_named(run.run)}{block}"
        told = "the same time" if earlier.time_ps == run.time_ps else "another time"
        where = f"{earlier.place.file}:{earlier.place.line}"
        yield RunFault(run.place, f"{what} stands twice, first at {where}, with {told}: remove one of the two")
