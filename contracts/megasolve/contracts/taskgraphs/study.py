"""A study out of a task graph and its times: a spec, the contract of the persistent kernel with its program, and records of its steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePath

from ..files.documents import Document
from ..model.contract import Contract
from ..model.device import Device
from ..model.record import Record
from ..model.wording import counted
from ..profiles.errors import ProfileRefused
from ..scaffold.device import device_reference, profiled_device
from ..scaffold.records import records_yaml
from ..scaffold.words.precision import UNSTATED
from ..scaffold.words.yaml_text import flow, mapping_lines, one_line
from .faults import graph_notes
from .iterations import StepTable, table_of_batch
from .joined import TimedGraph
from .program import Block, blocks_of
from .stages import StageRepeat, TaskStage, repeat_of, stages_of

GROUP, ENTRY = "D", "D_mpk"
DATA_US, QUEUE_US, WAITS_OF = Decimal("1.15"), Decimal("1.57"), "b200"
"""Medians over the edges of one kernel on a B200 (mirage-project/mirage at 031e10f5); no task graph says what a wait costs."""


@dataclass(frozen=True, slots=True)
class TaskWishes:
    """What a person says beside the files: the *name* of the spec, its *folder*, what lies *beside* it, the device and the precision."""

    name: str
    folder: str
    beside: str
    device: str | None = None
    precision: str | None = None


@dataclass(frozen=True, slots=True)
class TaskStudy:
    """The texts of a new study, and what it has: *stages* of which *repeat* is written once, *records* of steps, *notes*."""

    spec: str
    contracts: Mapping[str, str]
    records: str | None
    timed: TimedGraph
    stages: tuple[TaskStage, ...]
    repeat: StageRepeat | None
    steps: int
    notes: tuple[str, ...]


def task_study(timed: TimedGraph, steps: Sequence[StepTable], wishes: TaskWishes) -> TaskStudy:
    """Return the study of *timed*, with a record of that of the tables *steps* which times its batch; nothing is written.

    Raises
    ------
    ProfileRefused
        No device is named, or it has fewer SMs than the table has workers; or several tables time the batch.
    UnknownDevice
        No device has the name that was asked for.
    """
    device = profiled_device(None, timed.graph.file, wishes.folder, wishes.device)
    if timed.table.workers > device.value.usable_sms:
        sms = device.value.usable_sms
        raise ProfileRefused(timed.table.file, f"is of {timed.table.workers} workers, one an SM, and {device.value.name} has {sms} SMs")
    stages = stages_of(timed.graph)
    repeat = repeat_of(stages)
    contract = _contract(timed, blocks_of(stages, repeat, timed.times_ps))
    origin = f"Written by megasolve new from {one_line(PurePath(timed.graph.file).name)} and {one_line(PurePath(timed.table.file).name)}."
    precision = wishes.precision or UNSTATED
    timing = table_of_batch(steps, timed.batch)
    records = _records(timed, timing, device.value, Contract.model_validate(contract, by_alias=True, by_name=False), precision)
    notes = [*graph_notes(timed.graph), *timed.notes]
    unused = [(one, reason) for one in steps if (reason := one.why_no_record(timed.batch))]
    notes += [f"{PurePath(one.file).name} times no step of batch {timed.batch}: {reason}" for one, reason in unused]
    return TaskStudy(
        spec="".join(f"{line}\n" for line in _spec(timed, wishes, device, precision, origin, has_records=bool(records))),
        contracts={f"{ENTRY}.yaml": "".join(f"{line}\n" for line in _contract_lines(contract, origin))},
        records=records_yaml(records, origin) if records else None,
        timed=timed,
        stages=stages,
        repeat=repeat,
        steps=sum(len(record.samples_ps or ()) for record in records),
        notes=tuple(notes),
    )


def _contract(timed: TimedGraph, blocks: tuple[Block, ...]) -> Mapping[str, object]:
    return {
        "megasolve": "contract/v1",
        "entry": ENTRY,
        "backend": "megakernel",
        "members": (GROUP,),
        "title": f"one step of batch {timed.batch} as tasks in one persistent kernel of MPK",
        "budgets_ctas": (timed.table.workers,),
        "launch": {"unverified": "neither a task graph nor a table of times says threads, registers or shared memory"},
        "dispatch": {"kind": "stream", "host_waits": False, "host_us": 0, "exposed_us": 0},
        "loops_on_device": True,
        "synchronization": _synchronization(timed),
        "programs": {GROUP: blocks},
        "notes": (
            f"A tile is a task, and takes the mean of its type at batch {timed.batch} on {timed.table.workers} workers, with what it loads "
            "and stores: so tiles have no bytes of their own. One launch serves all steps, so no step pays for one."
        ),
    }


def _synchronization(timed: TimedGraph) -> Mapping[str, object]:
    order = {"order": "static"} if timed.graph.is_launched_ahead else {}
    return {"kind": "counters", **order, "data_us": DATA_US, "queue_us": QUEUE_US, "task_us": 0, "measured_on": WAITS_OF}


def _contract_lines(contract: Mapping[str, object], origin: str) -> Iterator[str]:
    yield f"# {origin}"
    yield from mapping_lines({key: value for key, value in contract.items() if key not in ("programs", "notes")})
    yield from mapping_lines({"notes": contract["notes"]})
    yield "programs:"
    programs = contract["programs"]
    assert isinstance(programs, Mapping)
    for group, blocks in programs.items():
        yield f"  {group}:"
        for block in blocks:
            head = f"repeat: {block['repeat']}" if "repeat" in block else None
            yield from (("    - " + head, "      operators:") if head else ("    - operators:",))
            yield from (f"        - {flow(operator)}" for operator in block["operators"])


def _records(timed: TimedGraph, steps: StepTable | None, device: Device, contract: Contract, precision: str) -> tuple[Record, ...]:
    if steps is None:
        return ()
    draft = {
        "group": GROUP,
        "backend": "megakernel",
        "entries": (ENTRY,),
        "budget_ctas": timed.table.workers,
        "batch": timed.batch,
        "precision": precision,
        "device": device.name,
        "context": contract.context,
        "samples_us": tuple(Decimal(sample).scaleb(-6) for sample in steps.samples_ps(timed.batch)),
        "provenance": {
            "kind": "profiled",
            "source": PurePath(steps.file).name,
            "tool": "the profiler of MPK",
            "profile_sha256": steps.sha256,
        },
    }
    return (Record.model_validate(draft, by_alias=True, by_name=False),)


def _spec(
    timed: TimedGraph, wishes: TaskWishes, device: Document[Device], precision: str, origin: str, *, has_records: bool
) -> Iterator[str]:
    yield f"# {origin} What they do not say is marked as assumed: confirm or change it."
    yield "megasolve: spec/v1"
    yield f"name: {flow(wishes.name)}"
    yield f"device: {flow(device_reference(device, wishes.folder, wishes.device))}"
    unstated = "" if wishes.precision else "  # assumed: no task graph says it; --precision NAME states it"
    yield f"precision: {flow(precision)}{unstated}"
    yield f"batches: [{timed.batch}]"
    yield "objective: producer_step"
    yield "groups:"
    yield f"  - {{name: {GROUP}, role: producer, title: one step}}"
    yield f"edges: [{{from: {GROUP}, to: {GROUP}, distance: 1}}]"
    yield f"publication: {{group: {GROUP}, step: 1}}  # assumed: the first step is the first output"
    yield f"contracts: {flow([f'{wishes.beside}/contracts/*.yaml'])}"
    yield f"records: {flow([f'{wishes.beside}/records.yaml'] if has_records else [])}"


def study_sentence(study: TaskStudy) -> str:
    """Return what the study has, in one sentence."""
    tasks = len(study.timed.graph.kinds) - 2
    repeated = ""
    if study.repeat is not None:
        repeated = f", of which {study.repeat.period} are written once and repeated {study.repeat.times} times"
    return f"{counted(tasks, 'task')} in {counted(len(study.stages), 'stage')}{repeated}"
