"""The front of measuring: from the times that a spec lacks to records in a file, or to what that would take."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

from megasolve.contracts import Record, Study
from megasolve.contracts.measuring.times import MeasuredTimes, PlannedTimes
from megasolve.contracts.measuring.wishes import MeasuringWishes
from megasolve.simulate.plan.wanted import WantedTime

from ...compile.compiler import compiler_version
from ...harness.counts import counts_of
from ...harness.places.places import OnCpu, find_place
from ...harness.wanted import smallest_budgets
from ...workloads.named import workloads_of
from .estimate import estimates
from .facts import measured_times, planned_times
from .measuring import measure, refuse_mixture, unheld
from .plan import TimesBlock, blocks
from .record_file import RecordFile, records_in
from .running import Runner


def require(study: Study, *, on_cpu: bool | None) -> None:
    """Refuse what cannot be measured, before anything takes time: other kernels, a compiler or a place that is not there.

    Parameters
    ----------
    on_cpu
        Whether the stand-in is to play the device; None where nothing will run.

    Raises
    ------
    GpuError
        The spec is none that the kernels make, or there is nothing to run it on; the message says what is missing.
    """
    for workload in workloads_of(study):
        workload.require(study, study.spec.value.batches[0])
    if on_cpu is not None:
        compiler_version()
        find_place(study, on_cpu=on_cpu)


def planned(study: Study, wanted: Sequence[WantedTime], wishes: MeasuringWishes) -> PlannedTimes:
    """Return what measuring *wanted* would run and how long that takes. Nothing is run, and nothing needs to be there.

    Raises
    ------
    GpuError
        The spec is none that the kernels make, or the target is no records file.
    """
    # Read without holding the file: nothing is written, and another measurement may be at work on it.
    found = _blocks(study, wanted, wishes, records_in(wishes.target))
    workers = OnCpu(study.device.value).workers if wishes.on_cpu else 1
    return planned_times(study, wishes, estimates(found, counts_of(wishes), on_cpu=wishes.on_cpu), workers)


def measured(
    study: Study, wanted: Sequence[WantedTime], wishes: MeasuringWishes, *, tool: str, progress: Callable[[str], None]
) -> MeasuredTimes:
    """Measure *wanted*, add the records to the target, and return what became of each.

    Parameters
    ----------
    tool
        The name and version of this program.
    progress
        Called with one line for each thing that has begun or ended.

    Raises
    ------
    GpuError
        Nothing can be measured: no device, another one than the spec's, or a target that takes no records.
    OSError
        The target cannot be written; what it holds stays.
    """
    place = find_place(study, on_cpu=wishes.on_cpu)
    # Inputs are fresh in every run: what a kernel got right once it may get wrong with others.
    runner = Runner(study, place, counts_of(wishes), secrets.randbelow(2**31), wishes.device)
    with RecordFile(wishes.target) as target:
        refuse_mixture(target, fake=wishes.on_cpu)
        # Only once the file is held: no other measurement can add what is about to be taken.
        found = _blocks(study, wanted, wishes, target.records)
        report = measure(runner, found, target, tool=tool, progress=progress)
    return measured_times(study, wishes, sum(len(block.wanted) for block in found), report)


def _blocks(study: Study, wanted: Sequence[WantedTime], wishes: MeasuringWishes, records: Sequence[Record]) -> tuple[TimesBlock, ...]:
    chosen = wanted if wishes.every_budget else smallest_budgets(wanted)
    return blocks(study, unheld(study, chosen, records))
