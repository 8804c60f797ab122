"""The front of co-runs: from splits to runs in a measured file."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from megasolve.contracts import Study
from megasolve.contracts.measuring.runs import PlannedPair, TimedPair
from megasolve.contracts.measuring.wishes import MeasuringWishes

from ...harness.counts import counts_of
from ...harness.files.measured_file import MeasuredFile
from ...harness.overlap import require_overlap
from ...harness.places.places import find_place
from ..compositions.run_facts import timed_pair
from .measuring import CoRunner
from .wanted import co_runs


def measured_co_runs(
    study: Study,
    splits: Sequence[tuple[int, int]],
    batches: Sequence[int],
    wishes: MeasuringWishes,
    *,
    entries: Collection[str],
    tool: str,
    progress: Callable[[str], None],
) -> tuple[TimedPair, ...]:
    """Run producers and consumers beside each other, add the runs to the target, and return what became of each.

    Parameters
    ----------
    splits
        CTAs of the producer and of the consumer.
    entries
        The entries to choose from; all, if there are none.
    tool, progress
        The name and version of this program; what is called with one line before each co-run.

    Raises
    ------
    GpuError
        Nothing can be run: no device or another one than the spec's, a split without entries or room, a target that takes no runs, or
        something around this process that makes kernels run one after the other.
    OSError
        The target cannot be written; what it holds stays.
    """
    # Before anything else: sides that wait for each other hang where kernels run one after the other.
    require_overlap()
    wanted = [one for producer_ctas, consumer_ctas in splits for one in co_runs(study, producer_ctas, consumer_ctas, entries)]
    place, counts = find_place(study, on_cpu=wishes.on_cpu), replace(counts_of(wishes), rotations=1)
    runner = CoRunner(study, place, counts, counts.samples, secrets.randbelow(2**31), tool, wishes.device)
    told: list[TimedPair] = []
    with MeasuredFile(wishes.target, fake=wishes.on_cpu) as target:
        for batch in batches:
            for one in wanted:
                progress(f"{one} at batch {batch}")
                run = runner.run(one, batch)
                target.add(run)
                told.append(timed_pair(run))
    return tuple(told)


def planned_co_runs(
    study: Study, splits: Sequence[tuple[int, int]], batches: Sequence[int], *, entries: Collection[str]
) -> tuple[PlannedPair, ...]:
    """Return what would run beside each other. Nothing is run.

    Raises
    ------
    GpuError
        A split has no entries or no room.
    """
    wanted = [one for producer_ctas, consumer_ctas in splits for one in co_runs(study, producer_ctas, consumer_ctas, entries)]
    return tuple(PlannedPair(str(one), batch) for batch in batches for one in wanted)
