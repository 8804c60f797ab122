"""The front of measuring: from the keys that a spec lacks to records in a file, or to what that would take, in plain values."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from megasolve.contracts import Record, Study

from ...compile.compiler import compiler_version
from ...driver import EXPERIMENT_ENVIRONMENT, probe
from ...harness.places.places import OnCpu, OnGpu, find_gpu, find_stand_in
from ...harness.wanted import WantedTime, smallest_budgets
from ...workloads.named import workloads_of
from .estimate import SOURCES, estimates
from .facts import estimate_facts, report_facts
from .measuring import measure, refuse_mixture, unheld
from .plan import TimesBlock, blocks
from .record_file import RecordFile, records_in
from .running import Runner
from .wishes import MeasuringWishes


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
        _place(study, on_cpu=on_cpu)


def planned(study: Study, keys: Sequence[Mapping[str, Any]], wishes: MeasuringWishes) -> dict[str, Any]:
    """Return what measuring *keys* would run and how long that takes. Nothing is run, and nothing needs to be there.

    Parameters
    ----------
    keys
        The fields of `WantedTime`, once for each time.

    Raises
    ------
    GpuError
        The spec is none that the kernels make, or the target is no records file.
    """
    found = _blocks(study, keys, wishes, records_in(wishes.target))
    workers = OnCpu(study.device.value).workers if wishes.on_cpu else 1
    facts = estimate_facts(estimates(found, wishes.counts, on_cpu=wishes.on_cpu))
    return {**_about(study, wishes, found), "blocks": facts, "workers": workers, "estimated": SOURCES[wishes.on_cpu]}


def measured(
    study: Study, keys: Sequence[Mapping[str, Any]], wishes: MeasuringWishes, *, tool: str, progress: Callable[[str], None]
) -> dict[str, Any]:
    """Measure *keys*, add the records to the target, and return what became of each.

    Parameters
    ----------
    keys
        The fields of `WantedTime`, once for each time.
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
    place = _place(study, on_cpu=wishes.on_cpu)
    # Inputs are fresh in every run: what a kernel got right once it may get wrong with others.
    runner = Runner(study, place, wishes.counts, secrets.randbelow(2**31), wishes.device)
    with RecordFile(wishes.target) as target:
        refuse_mixture(target, fake=wishes.on_cpu)
        found = _blocks(study, keys, wishes, target.records)
        report = measure(runner, found, target, tool=tool, progress=progress)
    return {**_about(study, wishes, found), **report_facts(report)}


def _place(study: Study, *, on_cpu: bool) -> OnGpu | OnCpu:
    return find_stand_in(study) if on_cpu else find_gpu(study, probe(EXPERIMENT_ENVIRONMENT).devices)


def _blocks(study: Study, keys: Sequence[Mapping[str, Any]], wishes: MeasuringWishes, records: Sequence[Record]) -> tuple[TimesBlock, ...]:
    wanted = tuple(WantedTime(**key) for key in keys)
    chosen = wanted if wishes.every_budget else smallest_budgets(wanted)
    return blocks(study, unheld(study, chosen, records))


def _about(study: Study, wishes: MeasuringWishes, found: Sequence[TimesBlock]) -> dict[str, Any]:
    return {
        "spec": study.spec.value.name,
        "device": study.device.value.name,
        "backend": "cpu" if wishes.on_cpu else "gpu",
        "fake": wishes.on_cpu,
        "cache": wishes.cache,
        "records": str(wishes.target),
        "tried": sum(len(block.wanted) for block in found),
    }
