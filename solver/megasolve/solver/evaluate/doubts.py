"""Doubts: what is to be known of the measurements of a case before its judgement is believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from statistics import median_low

from megasolve.contracts.runs.slips import unit_factor

from .case import JudgedDesign
from .ratio import LEAST_BLOCKS
from .statistic import Statistic

FEW_BLOCKS = 4
_FEW_RUNS = 20


def doubts(pool: Sequence[JudgedDesign], statistic: Statistic) -> Iterator[str]:
    """Yield a sentence for each."""
    if len(pool) == 1:
        yield f"{pool[0].contender.name} alone was measured: there is nothing to choose between"
    for one in pool:
        if one.contender.also:
            yield f"{one.contender.id} and {', '.join(one.contender.also)} are one design: their runs count together"
    yield from _unpredicted(pool)
    yield from _blocks(pool)
    yield from _few_runs(pool, statistic)
    yield from _unit(pool)


def _unpredicted(pool: Sequence[JudgedDesign]) -> Iterator[str]:
    for one in pool:
        if one.because is not None:
            yield f"{one.contender.name} was measured and has no prediction: {one.because}"


def _blocks(pool: Sequence[JudgedDesign]) -> Iterator[str]:
    every = list(dict.fromkeys(block for one in pool for block in one.contender.blocks))
    if every == [""] and len(pool) > 1:
        yield "no column says which runs were taken side by side, so no ratio has an interval; --column block=NAME names one"
        return
    best = pool[0]
    for one in pool:
        missing = [block for block in every if block not in one.contender.blocks]
        if missing:
            shared = 0 if one.ratio is None else one.ratio.blocks
            lacks = f"{', '.join(missing[:3])}{', ...' if len(missing) > 3 else ''}"
            ran = f"{one.contender.name} ran in {len(every) - len(missing)} of {len(every)} blocks"
            yield f"{ran}, not in {lacks}: {_matched(one, best, shared)}"
    if len(pool) > 1 and len(every) < LEAST_BLOCKS:
        yield f"too few blocks for an interval: {len(every)}, and {LEAST_BLOCKS} are the least that can be resampled"
    elif len(pool) > 1 and len(every) < FEW_BLOCKS:
        yield f"intervals over {len(every)} blocks are coarse"


def _matched(one: JudgedDesign, best: JudgedDesign, shared: int) -> str:
    if one is best:
        return "ratios to it are over the blocks that both ran in"
    if one.ratio is None:
        return f"it shares none with {best.contender.name}, so their ratio is not known"
    told = f"its ratio is over the {shared} that {best.contender.name} ran in, too"
    # The statistics are over different blocks, and a slow block may be among those of one design alone.
    return told if one.ratio.value >= 1 else f"{told}, and there it is the faster of the two"


def _few_runs(pool: Sequence[JudgedDesign], statistic: Statistic) -> Iterator[str]:
    yield from _uneven(pool, statistic)
    units = {one.contender.name: len(one.contender.blocks) if statistic.is_of_blocks else one.contender.runs for one in pool}
    few = [name for name, count in units.items() if statistic.name == "p95" and count < _FEW_RUNS]
    if few:
        yield f"fewer than {_FEW_RUNS} {statistic.unit}s: their p95 lies between the two longest ({_listed(few)})"


def _uneven(pool: Sequence[JudgedDesign], statistic: Statistic) -> Iterator[str]:
    """Yield which designs have blocks with one run, or with more or fewer runs than others, where that makes a difference."""
    sizes = {one.contender.name: {len(times) for times in one.contender.blocks.values()} for one in pool}
    single = [name for name, counts in sizes.items() if 1 in counts]
    if single and statistic.name == "block_p95":
        yield f"blocks with one run: its p95 is that run ({_listed(single)})"
    uneven = [f"{name} {min(counts):,} to {max(counts):,}" for name, counts in sizes.items() if len(counts) > 1]
    if uneven and not statistic.is_of_blocks:
        yield f"blocks have different numbers of runs, and each run counts once: --unit block counts each block once ({_listed(uneven)})"


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''}"


def _unit(pool: Sequence[JudgedDesign]) -> Iterator[str]:
    ratios = [one.measured_ps / Fraction(one.predicted_ps) for one in pool if one.predicted_ps]
    if ratios and (factor := unit_factor(median_low(ratios), 1)):
        size = "larger" if factor > 0 else "smaller"
        yield f"measured times are about {abs(factor):,} times {size} than predicted: is the unit right? --column time_us=NAME:UNIT says it"
