"""The command `new`."""

from __future__ import annotations

import glob
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .outputs.output import paint_for, write_result
from .updating.update import refuse_forced_update, write_update
from .words.batches import BatchFiles, by_batch
from .words.drafts import refuse_without_profile, write_draft
from .words.new_study import profiles_from, refuse_in_the_way, study_name, study_target, write_study
from .words.options import color_option, debug_option
from .words.profile_options import AskedProfiles, cut_option, profile_options, refuse_cut_of_groups
from .words.profiles import found_structure, observed, read_all, refusing
from .words.tasks import are_of_tasks, refuse_several_graphs, write_task_study

if TYPE_CHECKING:
    from megasolve.contracts.scaffold import OtherBatch, Scaffold, Structure, Wishes


@click.command("new", short_help="Begin a study from profiles: a spec, contracts and records.")
@click.argument("spec", metavar="SPEC")
@click.option(
    "--from",
    "profiles",
    multiple=True,
    metavar="[N=]FILE...",
    help="A profile; may be given several times. N=FILE is one of batch N: a study has as many batches as are named.",
)
@click.option("--contract", metavar="REGION", help="Draft the contract of a region of the study SPEC that is to be built: m:attn+mlp.")
@click.argument("more", nargs=-1, metavar="[FILE...]")
@profile_options
@cut_option
@click.option(
    "--update",
    is_flag=True,
    help="Add a profile to the study SPEC that is there, of a further batch or of calls that it has no records of; what a person wrote "
    "stays as it is.",
)
@click.option("--force", is_flag=True, help="Overwrite what is there, and remove contracts that an earlier run wrote.")
@color_option
@debug_option
def new(
    *,
    spec: str,
    profiles: tuple[str, ...],
    more: tuple[str, ...],
    asked: AskedProfiles,
    cut: str | None,
    contract: str | None,
    update: bool,
    force: bool,
) -> None:
    """Write the file SPEC, and beside it a folder with a conventional contract for each kernel of the profiles, and their records.

    Groups are phases of the model: --group NAME:ROLE=PATTERN cuts the kernels into several, with the role admission (once per request),
    producer (once per step, the default) or consumer (once per chunk).

    From a task graph of MPK, the table of its task times and, where there is one, the table of its steps it writes the contract of the
    persistent kernel with a tile for each task: --from task_graph.json --from pertask.csv --device NAME --batch N.
    """
    refuse_without_profile(profiles, contract)
    if contract is not None:
        write_result(write_draft(spec, contract, root=asked.root, force=force), None)
        return
    if update:
        refuse_forced_update(force=force)
        write_result(write_update(spec, by_batch((*profiles, *more), asked), cut), None)
        return
    target, (first, *others) = study_target(spec), by_batch((*profiles, *more), asked)
    files, asked = first.files, first.asked
    if are_of_tasks(files):
        refuse_several_graphs(others)
        write_task_study(spec, files, asked, cut, force=force)
        return
    refuse_cut_of_groups(asked.groups, cut)
    refuse_in_the_way(target, force=force)
    executions = read_all(files, recover=asked.recover)
    structure = found_structure(executions, asked, cut)
    attribution = asked.attribution() if structure is None else structure.attribution
    observation = observed(executions, attribution)

    from megasolve import report
    from megasolve.contracts.scaffold import proposal, scaffold

    wishes = replace(
        _wishes(asked, target, [file for one in (first, *others) for file in one.files], structure),
        others=tuple(_other(one, cut, structure) for one in others),
    )
    made = refusing(lambda: scaffold(observation, executions, attribution, wishes))
    if structure is None and not asked.groups and (told := proposal(executions, asked.attribution())):
        made = replace(made, assumed=(*made.assumed, told))
    if structure is not None:
        made = replace(made, assumed=(*made.assumed, *structure.notes))
    inputs = [*files, *(file for one in others for file in one.files), *([] if asked.device is None else [asked.device])]
    write_study(_texts(made, target), target, asked.root, inputs)
    root = [] if asked.root is None else ["--root", asked.root]
    command = shlex.join(["megasolve", str(target), *root])
    is_compared = bool(wishes.profiles) or any(execution.is_recovered for execution in executions)
    comparing = None if is_compared else shlex.join(["megasolve", "check", str(target), *_each("--profile", files)])
    paint = paint_for(None)
    write_result(report.scaffold_text(observation, made, _written(made, target), command, comparing=comparing, paint=paint), None)


def _other(of: BatchFiles, cut: str | None, first: Structure | None) -> OtherBatch:
    """Return what ran at a further batch, cut like the first."""
    from megasolve.contracts.scaffold import OtherBatch, named_alike

    executions = read_all(of.files, recover=of.asked.recover)
    structure = found_structure(executions, of.asked, cut)
    if structure is not None and first is not None:
        structure = named_alike(structure, first)
    attribution = of.asked.attribution() if structure is None else structure.attribution
    return OtherBatch(of.batch, observed(executions, attribution), executions)


def _each(option: str, files: tuple[str, ...]) -> Iterator[str]:
    return (word for file in files for word in (option, file))


def _wishes(asked: AskedProfiles, target: Path, files: Sequence[str], structure: Structure | None) -> Wishes:
    from megasolve.contracts.scaffold import Wishes

    return Wishes(
        name=study_name(target.stem),
        folder=str(target.parent),
        beside=glob.escape(target.stem),
        roles=asked.roles if structure is None else structure.roles,
        device=asked.device,
        batch=asked.batch,
        precision=asked.precision,
        profiles=profiles_from(files, target.parent, asked.root),
        repeats=() if structure is None else structure.repeats,
        steps=1 if structure is None else structure.steps,
    )


def _texts(made: Scaffold, target: Path) -> dict[Path, str]:
    beside = target.with_suffix("")
    contracts = {beside / "contracts" / name: text for name, text in made.contracts.items()}
    device = {} if made.device is None else {beside / "device.yaml": made.device}
    return {**contracts, **device, beside / "records.yaml": made.records, target: made.spec}


def _written(made: Scaffold, target: Path) -> list[str]:
    beside, files = target.with_suffix(""), "1 file" if len(made.contracts) == 1 else f"{len(made.contracts)} files"
    device = [f"{beside / 'device.yaml'}: figures that the profile does not say are marked OPEN"] if made.device is not None else []
    return [str(target), f"{beside / 'contracts'}: {files}", *device, str(beside / "records.yaml")]
