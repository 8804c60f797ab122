"""Runs that judge predictions: whole candidates and co-runs, launched and told of together."""

from __future__ import annotations

from collections.abc import Callable

from megasolve.contracts import Study
from megasolve.contracts.measuring.runs import MeasuredRuns, PlannedRuns
from megasolve.contracts.measuring.wishes import MeasuringWishes
from megasolve.simulate.plan.runnable import WantedRuns

from .co_runs import measured_co_runs, planned_co_runs
from .compositions import measured_compositions, planned_compositions


def planned_runs(study: Study, wanted: WantedRuns, wishes: MeasuringWishes) -> PlannedRuns:
    """Return what *wanted* would launch. Nothing is run.

    Raises
    ------
    GpuError
        A candidate has no such launches, or a split no entries or no room.
    """
    return PlannedRuns(
        spec=study.spec.value.name,
        device=study.device.value.name,
        backend=wishes.backend,
        fake=wishes.on_cpu,
        measured=str(wishes.target),
        compositions=planned_compositions(study, wanted.candidates),
        co_runs=planned_co_runs(study, wanted.splits, wanted.batches, entries=wanted.entries),
        excluded=wanted.excluded,
        complete=not wanted.excluded,
    )


def measured_runs(study: Study, wanted: WantedRuns, wishes: MeasuringWishes, *, tool: str, progress: Callable[[str], None]) -> MeasuredRuns:
    """Run what is *wanted*, add the runs to the target, and return what became of each.

    Parameters
    ----------
    tool, progress
        The name and version of this program; what is called with one line before each thing that begins.

    Raises
    ------
    GpuError
        Nothing can be run: no device, another one than the spec's, a split without entries or room, or a target that takes no runs.
    OSError
        The target cannot be written; what it holds stays.
    """
    launched = measured_compositions(study, wanted.candidates, wishes, tool=tool, progress=progress) if wanted.candidates else ()
    splits, batches, entries = wanted.splits, wanted.batches, wanted.entries
    beside = measured_co_runs(study, splits, batches, wishes, entries=entries, tool=tool, progress=progress) if splits else ()
    return MeasuredRuns(
        spec=study.spec.value.name,
        device=study.device.value.name,
        backend=wishes.backend,
        fake=wishes.on_cpu,
        measured=str(wishes.target),
        compositions=launched,
        co_runs=beside,
        excluded=wanted.excluded,
        complete=not wanted.excluded and all(one.because is None for one in launched) and all(one.because is None for one in beside),
    )
