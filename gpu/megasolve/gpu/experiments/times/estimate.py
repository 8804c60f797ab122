"""Estimates: what a block will launch and how long that takes, said before anything runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from megasolve.contracts import PS_PER_US
from megasolve.simulate.plan.wanted import WantedTime

from ...harness.counts import Counts
from .plan import TimesBlock

# Starting a process with a context, and compiling an entry that the cache lacks, as seen on two cores; for the CPU with g++ beside it.
_START_S = {False: 4.0, True: 3.0}
_COMPILE_S = {False: 7.0, True: 12.0}
# The reference in float64 and, for each persistent design, its program, the verifier and copies.
_REFERENCE_S, _DESIGN_S = 1.5, 1.0
# Beside its own time, a launch with its event and its twin that has nothing to do.
_LAUNCH_US = 150.0
_UNKNOWN_US = 100.0
# On the CPU: what a tile and the start of a CTA take.
_CPU_TILE_S, _CPU_CTA_S = 0.010, 0.005
_UNKNOWN_TILES = 1000

SOURCES = {
    False: (
        "times of calls are those that their contracts' programs give, or 100 us where there is none; a start of 4 s, 7 s to compile an"
        " entry that the cache lacks, 2.5 s to qualify and 150 us beside each launch are assumed"
    ),
    True: (
        "10 ms for each tile and 5 ms for each CTA on one core, a start of 3 s, 12 s to compile an entry that the cache lacks and 2.5 s to"
        " qualify are assumed"
    ),
}
"""Where the seconds come from, on a GPU and on the stand-in (True)."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one block will do: its kernel launches, those with nothing to do among them, and its seconds."""

    block: TimesBlock
    launches: int
    seconds: float


def estimates(blocks: Sequence[TimesBlock], counts: Counts, *, on_cpu: bool) -> tuple[Estimate, ...]:
    """Return what each of *blocks* will launch and how long it takes. What is compiled for one batch serves the others."""
    compiled: set[str] = set()
    found = []
    for block in blocks:
        compile_s = 0.0 if block.title in compiled else _COMPILE_S[on_cpu]
        found.append(_estimate(block, counts, compile_s, on_cpu=on_cpu))
        compiled.add(block.title)
    return tuple(found)


def _estimate(block: TimesBlock, counts: Counts, compile_s: float, *, on_cpu: bool) -> Estimate:
    """The experiment that is timed first is timed twice."""
    each = [_samples(one, counts) * _calls(one, counts) for one in block.wanted]
    per_launch = [_launch_s(one, on_cpu=on_cpu) for one in block.wanted]
    running_s = sum((1 + number) * seconds for number, seconds in zip(each, per_launch, strict=True)) + each[0] * per_launch[0]
    groups = len({one.key.group for one in block.wanted})
    # The conventional kernels of a group are qualified together, as one design.
    designs = len(block.wanted) if block.backend == "megakernel" else groups
    fixed_s = _START_S[on_cpu] + compile_s + _REFERENCE_S * groups + _DESIGN_S * designs
    return Estimate(block, sum(1 + number for number in each) + each[0], fixed_s + running_s)


def _samples(one: WantedTime, counts: Counts) -> int:
    """Return the launches or graphs beside the qualification: warm-ups, a look at the time, then samples and their empty twins."""
    # A short call is warmed up alone, and again with others like it.
    warmups = counts.warmups * (2 if _calls(one, counts) > 1 else 1)
    return warmups + 2 + 2 * counts.samples


def _calls(one: WantedTime, counts: Counts) -> int:
    time_us = _time_us(one)
    if time_us >= counts.short_us or counts.cache == "cold":
        return 1
    return min(counts.most_launches, math.ceil(counts.least_sample_us / max(time_us, 1.0)))


def _time_us(one: WantedTime) -> float:
    return _UNKNOWN_US if one.derived_ps is None else one.derived_ps / PS_PER_US


def _launch_s(one: WantedTime, *, on_cpu: bool) -> float:
    if on_cpu:
        # Half of the launches have nothing to do.
        started = one.key.budget_ctas if one.key.backend == "megakernel" else 0
        return _CPU_TILE_S * (one.tiles or _UNKNOWN_TILES) / 2 + _CPU_CTA_S * started
    return (_time_us(one) + _LAUNCH_US) / 1e6
