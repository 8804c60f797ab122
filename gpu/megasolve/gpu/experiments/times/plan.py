"""The plan: wanted times in blocks, each of which one child process takes in one session, and what each of them costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from megasolve.contracts import Backend, Key, Study
from megasolve.simulate.plan.wanted import WantedTime

from ...errors import GpuError
from ...workloads.named import workload_of


@dataclass(frozen=True, slots=True)
class TimesBlock:
    """Times of one persistent entry, or of the conventional kernels of one group, at one batch."""

    backend: Backend
    title: str
    batch: int
    wanted: tuple[WantedTime, ...]

    def __str__(self) -> str:
        return f"{self.title}, batch {self.batch}"


def blocks(study: Study, wanted: Sequence[WantedTime]) -> tuple[TimesBlock, ...]:
    """Return *wanted* in blocks, by entry (or group and implementation) and batch, in the order in which they first come.

    Raises
    ------
    GpuError
        The spec is none that the kernels make, a workload cannot be used, or a time is wanted of a contract without its program.
    """
    implementations = {document.value.entry: document.value.implementation or "" for document in study.contracts}
    _require_kernels(study, wanted)
    found: dict[tuple[str, str, int], list[WantedTime]] = {}
    for one in wanted:
        title = _title(one.key, implementations)
        found.setdefault((one.key.backend, title, one.key.batch), []).append(one)
    return tuple(TimesBlock(times[0].key.backend, title, batch, tuple(times)) for (_, title, batch), times in found.items())


def _require_kernels(study: Study, wanted: Sequence[WantedTime]) -> None:
    contracts = {document.value.entry: document.value for document in study.contracts}
    for batch in dict.fromkeys(one.key.batch for one in wanted):
        asked = dict.fromkeys(one.key.entry for one in wanted if one.key.batch == batch)
        # One contract for each workload, which is asked once a batch.
        for contract in {contracts[entry].workload: contracts[entry] for entry in asked}.values():
            workload_of(study, contract).require(study, batch)
    for key in (one.key for one in wanted):
        contract = contracts[key.entry]
        if key.group not in contract.programs and workload_of(study, contract).runs_programs:
            raise GpuError(f"entry '{key.entry}' has no program of '{key.group}', so there is nothing to run; leave it out with --entry")


def _title(key: Key, implementations: Mapping[str, str]) -> str:
    if key.backend == "megakernel":
        return f"entry '{key.entry}'"
    implementation = implementations[key.entry]
    return f"kernels of {key.group}{f' ({implementation})' if implementation else ''}"
