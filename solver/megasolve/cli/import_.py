"""The command `import`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .ending.refusals import Refusal
from .outputs.output import paint_for, write_result
from .outputs.overwriting import files_of, kind_there, refuse_input
from .words.options import color_option, debug_option
from .words.profile_options import AskedProfiles, profile_options
from .words.profiles import device_of, observed, observed_apart, read_all, refusing
from .words.studies import one_batch, read_study
from .words.tasks import are_of_tasks, show_tasks

if TYPE_CHECKING:
    from megasolve.contracts import Record, Study
    from megasolve.contracts.observe import AttributedBy, Observation
    from megasolve.contracts.profiles import Execution
    from megasolve.contracts.scaffold import Unused

FORMATS = ("text", "json")
SUFFIXES = (".yaml", ".yml", ".jsonl")


@dataclass(frozen=True, slots=True)
class Learnt:
    """What profiles say about groups, the records that follow, and the kernels that belong to no contract.

    *loops* says of each contract that loops on the device why it gets no time of one step.
    """

    observations: tuple[Observation, ...]
    records: tuple[Record, ...] = ()
    unused: tuple[Unused, ...] = ()
    assumed: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()


@click.command("import", short_help="Read profiles of what ran, and write service records.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", metavar="RECORDS", help="Write service records to this file: YAML, or JSON lines where it ends in .jsonl.")
@click.option("--spec", metavar="SPEC", help="Give times to the contracts of this spec, by their observed.kernels, in their context.")
@profile_options
@click.option("--top", type=click.IntRange(min=0), default=10, show_default=True, metavar="N", help="List the N longest kernels of a file.")
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="The form of the result.")
@color_option
@debug_option
def import_(*, files: tuple[str, ...], output: str | None, spec: str | None, asked: AskedProfiles, top: int, form: str) -> None:
    """Say what each profile FILE holds, and with -o write service records of it.

    A file is recognized by its content: Nsight Systems exports (sqlite, CSV of nsys stats), PyTorch profiler traces, TensorRT profiles
    and Nsight Compute CSV. Each stands for itself: nothing is added up over files, devices or ranks. Records of a timeline and an Nsight
    Compute file take times from the first, and memory traffic from the second. Task graphs of MPK and tables of its times are shown, too.
    """
    if are_of_tasks(files):
        show_tasks(files, output, spec, form)
        return
    _refuse_output(output, files)
    study = None if spec is None else _study(spec, asked)
    if study is not None:
        # Records of profiles may be written again: that is what this command is for.
        refuse_input(output, set(files_of(study)) - {document.file for document in study.records})
    executions = read_all(files, recover=asked.recover)
    learnt = None
    if output is not None or study is not None or asked.is_about_groups:
        learnt = _learnt(executions, study, asked, is_recording=output is not None)
    text = _rendered(executions, learnt, output, form, top)
    if output is not None and learnt is not None:
        write_result(_records_text(learnt.records, output, files), output)
    write_result(text, None)


def _refuse_output(output: str | None, files: tuple[str, ...]) -> None:
    if output is not None and not output.endswith(SUFFIXES):
        raise click.UsageError(f"-o {output}: a records file ends in .yaml, or in .jsonl for JSON lines")
    refuse_input(output, files)
    if output is not None:
        _refuse_lost(output)


def _refuse_lost(output: str) -> None:
    """Refuse to replace records that no import can write again."""
    from megasolve.contracts import Records, UnreadableFile, read_document
    from megasolve.contracts.files.disk.whole_files import is_held

    if is_held(output):
        raise Refusal(f"{output} is being written by another run; wait for it, or choose another file")
    if kind_there(output) != "records/v1":
        return
    try:
        document, _ = read_document(output)
    except UnreadableFile:
        document = None
    if document is None or not isinstance(document.value, Records):
        raise Refusal(f"{output} holds records with faults, of which some may be of no profile: remove it, or choose another file")
    lost = sum(record.provenance.kind != "profiled" for record in document.value.records)
    if lost:
        raise Refusal(f"{output} holds {lost:,} records that are of no profile and would be lost: choose another file")


def _study(spec: str, asked: AskedProfiles) -> Study:
    if asked.groups:
        raise click.UsageError("--spec and --group do not go together: the spec has its groups; write their patterns into its attribution")
    study = read_study(spec, asked.device, root=asked.root)
    if asked.precision not in (None, study.spec.value.precision):
        raise click.UsageError(f"--precision {asked.precision}: the spec is in {study.spec.value.precision}")
    return study


def _learnt(executions: tuple[Execution, ...], study: Study | None, asked: AskedProfiles, *, is_recording: bool) -> Learnt:
    attribution = asked.attribution(None if study is None else _declared(study))
    if study is None and not is_recording:
        return Learnt(observed_apart(executions, attribution))
    observation = observed(executions, attribution)
    if is_recording:
        refusing(observation.refuse_unfit)
    if study is not None:
        loops = _loops(executions, study, attribution)
        return _of_study(observation, study, asked, loops, is_recording=is_recording)

    from megasolve.contracts.scaffold import assumed_sentences, circumstances, fresh_records

    device = device_of(observation, ".", asked.device)
    at, assumed = circumstances(observation, device.value, asked.batch, asked.precision)
    records = refusing(lambda: fresh_records(observation, executions, at))
    return Learnt((observation,), records, assumed=tuple(assumed_sentences(assumed)))


def _loops(executions: tuple[Execution, ...], study: Study, attribution: AttributedBy) -> tuple[str, ...]:
    """Return what the profiles show of contracts that loop on the device: no time of one step."""
    from megasolve.contracts.scaffold import looping

    contracts = [contract.value for contract in study.contracts]
    ran = [execution for execution in executions if not execution.is_profiled]
    return tuple(str(one) for execution in ran for one in looping(execution, contracts, attribution.steps))


def _of_study(observation: Observation, study: Study, asked: AskedProfiles, loops: tuple[str, ...], *, is_recording: bool) -> Learnt:
    from megasolve.contracts.scaffold import study_records

    if observation.unfit:
        return Learnt((observation,))
    # Checks that the profile is of this device: a time holds on no other.
    device_of(observation, str(Path(study.spec.file).parent), study.device.file)
    records, unused = study_records(observation, study, one_batch(study.spec.value, asked.batch))
    if is_recording and not records:
        why = ": " + "; ".join(loops) if loops else "; say in observed.kernels which kernels are theirs"
        raise Refusal(f"no kernel gives a time to a contract of {study.spec.file}{why}")
    return Learnt((observation,), records, unused, loops=loops)


def _declared(study: Study) -> AttributedBy:
    from megasolve.contracts.scaffold import declared_attribution

    return declared_attribution(study.spec.value, tuple(contract.value for contract in study.contracts))


def _records_text(records: tuple[Record, ...], output: str, files: tuple[str, ...]) -> str:
    from megasolve.contracts.scaffold import records_json_lines, records_yaml

    names = ", ".join(Path(file).name for file in files)
    return records_json_lines(records) if output.endswith(".jsonl") else records_yaml(records, f"Written by megasolve import from {names}.")


def _rendered(executions: tuple[Execution, ...], learnt: Learnt | None, output: str | None, form: str, top: int) -> str:
    from megasolve import report
    from megasolve.contracts.observe import times_outside
    from megasolve.contracts.profiles import longest_first, totals
    from megasolve.contracts.scaffold import todays

    outside = [times_outside(execution) if learnt is None else () for execution in executions]
    profiles = [(execution, totals(execution), longest_first(execution)) for execution in executions]
    if form == "json":
        return report.profiles_json(profiles, *_shown(learnt), output, outside)
    paint = paint_for(None)
    lines = []
    for profile, waits in zip(profiles, outside, strict=True):
        head, *facts = report.profile_lines(*profile, top, paint=paint)
        today = [f"  {line}" for one in todays(profile[0]) for line in report.today_lines(one)]
        lines += [head, *today, *facts, *(["", *report.outside_lines(waits)] if waits else []), ""]
    if learnt is not None:
        known = {note for execution in executions for note in (*execution.notes, *execution.unfit)}
        lines += [line for one in learnt.observations for line in (*report.observation_lines(one, known, paint=paint), "")]
        lines += [*report.unused_lines(learnt.unused, paint), *([""] if learnt.unused else [])]
        lines += [*(paint.yellow(f"NOTE: {report.one_line(loop)}") for loop in learnt.loops), *([""] if learnt.loops else [])]
    if learnt is not None and output is not None:
        lines += [*_wrote(learnt, output), ""]
    return "".join(f"{line}\n" for line in lines[:-1])


def _shown(learnt: Learnt | None) -> tuple[tuple[Observation, ...], tuple[Unused, ...]]:
    return ((), ()) if learnt is None else (learnt.observations, learnt.unused)


def _wrote(learnt: Learnt, output: str) -> list[str]:
    first, records = learnt.records[0], "1 record" if len(learnt.records) == 1 else f"{len(learnt.records):,} records"
    return [
        *learnt.assumed,
        f"wrote {output}: {records} at batch {first.batch}, precision {first.precision}, device {first.device}",
    ]
