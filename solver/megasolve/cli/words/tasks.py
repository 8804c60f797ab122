"""Files of MPK, which are no profiles: what they hold, and a study of them."""

from __future__ import annotations

import glob
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ..ending.refusals import Refusal
from ..outputs.output import paint_for, write_result
from .new_study import refuse_in_the_way, study_name, study_target, write_study
from .profiles import refusing

if TYPE_CHECKING:
    from .batches import BatchFiles
    from .profile_options import AskedProfiles


def are_of_tasks(files: Sequence[str]) -> bool:
    """Whether one of *files* is a task graph of MPK, or a table of its times."""
    from megasolve.contracts.taskgraphs import are_task_files

    return are_task_files(files)


def refuse_several_graphs(others: Sequence[BatchFiles]) -> None:
    """Refuse graphs of further batches: each is a kernel of its own, whose program holds for its batch alone."""
    if others:
        raise click.UsageError("a task graph is compiled for one batch: make a study of each, with --batch N instead of N=FILE")


def show_tasks(files: Sequence[str], output: str | None, spec: str | None, form: str) -> None:
    """Write what *files* of MPK hold."""
    from megasolve import report
    from megasolve.contracts.taskgraphs import notes_of, read_task_files

    if output is not None or spec is not None:
        raise Refusal("a task graph gives no records of kernels: megasolve new SPEC --from it makes a study, with a record of its steps")
    found = refusing(lambda: read_task_files(files))
    if form == "json":
        write_result(report.tasks_json(found, notes_of(found)), None)
        return
    lines = list(report.task_lines(found, notes_of(found), paint=paint_for(None)))
    write_result("".join(f"{line}\n" for line in lines[:-1]), None)


def write_task_study(spec: str, files: Sequence[str], asked: AskedProfiles, cut: str | None, *, force: bool) -> None:
    """Write the study of *files* of MPK."""
    from megasolve import report
    from megasolve.contracts.taskgraphs import TaskWishes, read_task_files, study_sentence, task_study

    if cut is not None or asked.is_about_groups or asked.recover:
        raise click.UsageError("a task graph is one group: --group, --cut, --steps, --gpu and --recover are for profiles")
    target = study_target(spec)
    refuse_in_the_way(target, force=force)
    wishes = TaskWishes(study_name(target.stem), str(target.parent), glob.escape(target.stem), asked.device, asked.precision)
    found = refusing(lambda: read_task_files(files))
    made = refusing(lambda: task_study(found.timed(asked.batch), found.steps, wishes))
    beside = target.with_suffix("")
    texts = {**{beside / "contracts" / name: text for name, text in made.contracts.items()}, target: made.spec}
    if made.records is not None:
        texts[beside / "records.yaml"] = made.records
    write_study(texts, target, asked.root, (*files, *([] if asked.device is None else [asked.device])))
    root = [] if asked.root is None else ["--root", asked.root]
    command = shlex.join(["megasolve", str(target), *root])
    paint = paint_for(None)
    write_result(report.task_study_text(made, study_sentence(made), sorted(map(str, texts)), command, paint=paint), None)
