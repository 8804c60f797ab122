"""The front of compositions: from candidates to runs in a measured file."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from megasolve.contracts import MeasuredRun, Study
from megasolve.contracts.measuring.runs import PlannedComposition, TimedComposition
from megasolve.contracts.measuring.wishes import MeasuringWishes
from megasolve.simulate.plan.runnable import RunnableCandidate

from ...harness.counts import counts_of
from ...harness.files.measured_file import MeasuredFile
from ...harness.places.places import find_place
from .launch_plan import launch_plan
from .measuring import CompositionRunner
from .run_facts import timed_composition


def measured_compositions(
    study: Study,
    candidates: Mapping[int, Sequence[RunnableCandidate]],
    wishes: MeasuringWishes,
    *,
    tool: str,
    progress: Callable[[str], None],
) -> tuple[TimedComposition, ...]:
    """Run whole candidates, add the runs to the target, and return what became of each.

    Parameters
    ----------
    candidates
        By batch.
    wishes
        Every candidate is run once in each of as many blocks as times have samples.
    tool
        The name and version of this program.
    progress
        Called with one line before each batch.

    Raises
    ------
    GpuError
        Nothing can be measured: no device, another one than the spec's, or a target that takes no runs.
    OSError
        The target cannot be written; what it holds stays.
    """
    place, counts, seed = find_place(study, on_cpu=wishes.on_cpu), counts_of(wishes), secrets.randbelow(2**31)
    # One rotation: candidates run in the first arenas only, so that further sets would be memory for nothing.
    runner = CompositionRunner(study, place, replace(counts, rotations=1), counts.samples, seed, tool, wishes.device)
    told: list[TimedComposition] = []
    with MeasuredFile(wishes.target, fake=wishes.on_cpu) as target:
        for batch, asked in candidates.items():
            progress(f"{len(asked)} candidates at batch {batch}")
            told.extend(_kept(target, run) for run in runner.runs(asked, batch))
    return tuple(told)


def planned_compositions(study: Study, candidates: Mapping[int, Sequence[RunnableCandidate]]) -> tuple[PlannedComposition, ...]:
    """Return the launches of each of *candidates*, given by batch. Nothing is run.

    Raises
    ------
    GpuError
        One of them has no such launches.
    """
    return tuple(
        PlannedComposition(candidate.id, batch, tuple(map(str, launch_plan(study, candidate))))
        for batch, asked in candidates.items()
        for candidate in asked
    )


def _kept(target: MeasuredFile, run: MeasuredRun) -> TimedComposition:
    target.add(run)
    return timed_composition(run)
