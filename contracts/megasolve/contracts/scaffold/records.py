"""Service records of the kernels that a profile shows, each under the context of its contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import PurePath

from ..files.exact_json import exact_json
from ..model.contract import Contract
from ..model.record import Record
from ..observe.observation import Observation, ObservedFile
from .circumstances import Circumstances
from .runs import KernelRun
from .timings import Timing
from .words.yaml_text import mapping_lines

HEAD = {"megasolve": "records/v1"}


def run_timings(runs: Sequence[KernelRun], contracts: Sequence[Contract], at: Circumstances) -> tuple[Timing, ...]:
    """Return the time of each of *runs* in the contract that was made for it, in their order; what is not standalone is none."""
    pairs = [pair for pair in zip(runs, contracts, strict=True) if not pair[0].beside]
    return tuple(Timing(contract, run.group, at.device.usable_sms, run.samples_ps, run.hbm_bytes) for run, contract in pairs)


def timed_records(observation: Observation, timings: Sequence[Timing], circumstances: Circumstances) -> tuple[Record, ...]:
    """Return the record of each of *timings*, which come from *observation*, in their order."""
    provenance = _provenance(observation)
    drafts = (_draft(timing, circumstances, provenance) for timing in timings)
    return tuple(Record.model_validate(draft, by_alias=True, by_name=False) for draft in drafts)


def records_yaml(records: Sequence[Record], comment: str) -> str:
    """Return a records file in YAML."""
    entries = [lines for record in records for lines in _entry_lines(record)]
    return "".join(f"{line}\n" for line in (f"# {comment}", *mapping_lines(HEAD), "records:" if entries else "records: []", *entries))


def records_json_lines(records: Sequence[Record]) -> str:
    """Return a records file as JSON lines."""
    return "".join(f"{exact_json(row)}\n" for row in (HEAD, *map(_authored, records)))


def _draft(timing: Timing, at: Circumstances, provenance: Mapping[str, object]) -> Mapping[str, object]:
    return {
        "group": timing.group,
        "backend": timing.contract.backend,
        "entries": (timing.contract.entry,),
        "budget_ctas": timing.budget_ctas,
        "batch": at.batch,
        "precision": at.precision,
        "device": at.device.name,
        "context": timing.contract.context,
        "samples_us": tuple(Decimal(sample).scaleb(-6) for sample in timing.samples_ps),
        **({} if timing.hbm_bytes is None else {"hbm_bytes": timing.hbm_bytes}),
        "provenance": provenance,
    }


def _provenance(observation: Observation) -> Mapping[str, object]:
    first, *others = observation.sources
    sms = None if observation.device is None else observation.device.sms
    versions = {**first.versions, **{f"beside {PurePath(other.file).name}": _described(other) for other in others}}
    return {
        "kind": "profiled",
        "source": PurePath(first.file).name,
        "tool": first.tool,
        **({"versions": versions} if versions else {}),
        **({} if sms is None else {"device_sms": sms}),
        "profile_sha256": first.sha256,
    }


def _described(other: ObservedFile) -> str:
    return f"{other.tool}, sha256 {other.sha256}"


def _authored(record: Record) -> Mapping[str, object]:
    return record.model_dump(by_alias=True, exclude_unset=True)


def _entry_lines(record: Record) -> Iterator[str]:
    for index, line in enumerate(mapping_lines(_authored(record))):
        yield f"  {'-' if not index else ' '} {line}"
