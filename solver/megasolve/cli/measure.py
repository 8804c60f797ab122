"""The command `measure`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import click

from .ending.refusals import FindingsRefusal, Refusal, show_findings
from .measuring.notes import measure_notes, runs_notes
from .measuring.options import AskedTimes, measure_options, refuse_unknown
from .measuring.runs import AskedRuns, runs_options, runs_target, wanted_runs
from .measuring.wanted_times import wanted_times
from .outputs.output import paint_for, write_result
from .words.derivation import deriving, warn_of_cache
from .words.options import color_option, debug_option, is_progress_wanted, version
from .words.studies import read_study

if TYPE_CHECKING:
    from pathlib import Path

    from megasolve.contracts import Study
    from megasolve.contracts.measuring.wishes import MeasuringWishes
    from megasolve.report import Told

INCOMPLETE = 1
_Value = TypeVar("_Value")


@click.command(short_help="Time what nobody measured, and write service records.", context_settings={"help_option_names": ["-h", "--help"]})
@measure_options
@runs_options
@click.option("--dry-run", is_flag=True, help="Show what would be launched and how long it takes; needs no GPU.")
@click.option(
    "-f", "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True, help="The form of the report."
)
@color_option
@debug_option
def measure(*, asked: AskedTimes, runs: AskedRuns, dry_run: bool, form: str) -> None:
    """Time the calls of SPEC that have no measured record, and add records of them to a file.

    The file is records/measured.jsonl in the folder of SPEC's name beside it (cpu.jsonl for the stand-in). What it holds already is
    not measured again, so that a run that was interrupted goes on where it stopped. Exits with 1 if a time could not be taken or was
    not accepted; all others are written.

    With --candidate or --co-run nothing of that is done: whole candidates, or the two sides of a split, are run and added to
    measured/runs.jsonl, to judge predictions by. Such a file is no evidence. They run the kernels of any workload that says
    what a run begins with (`start`; docs/measuring.md).
    """
    if not (dry_run or asked.on_cpu):
        _require_gpu()
    study = _study(asked)
    refuse_unknown(study, asked)
    _require(study, asked, dry_run=dry_run)
    told, notes = _runs(study, asked, runs, dry_run=dry_run) if runs else _times(study, asked, dry_run=dry_run)
    write_result(_shown(told, notes, form), None)
    if not told.complete:
        raise click.exceptions.Exit(INCOMPLETE)


def _times(study: Study, asked: AskedTimes, *, dry_run: bool) -> tuple[Told, list[str]]:
    """Measure the times that are asked for, or plan to; return what came of it, and what to know beside."""
    from megasolve.gpu.experiments.times import measured, planned

    wishes = _wishes(asked, asked.target)
    with deriving() as derivation:
        lacking = wanted_times(study, asked, derivation)
    warn_of_cache(derivation)
    told = _refusing(
        lambda: (
            planned(study, lacking.wanted, wishes)
            if dry_run
            else measured(study, lacking.wanted, wishes, tool=f"megasolve {version()}", progress=_progress())
        )
    )
    return told, measure_notes(study, asked, lacking, told.tried)


def _runs(study: Study, asked: AskedTimes, runs: AskedRuns, *, dry_run: bool) -> tuple[Told, list[str]]:
    """Run the candidates and splits that are asked for, or plan to; return what came of it, and what to know beside."""
    from megasolve.gpu.experiments.runs import measured_runs, planned_runs

    wishes = _wishes(asked, runs_target(asked))
    with deriving() as derivation:
        wanted = _refusing(lambda: wanted_runs(study, asked, runs, derivation))
    warn_of_cache(derivation)
    told = _refusing(
        lambda: (
            planned_runs(study, wanted, wishes)
            if dry_run
            else measured_runs(study, wanted, wishes, tool=f"megasolve {version()}", progress=_progress())
        )
    )
    return told, runs_notes(asked, dry_run=dry_run)


def _shown(told: Told, notes: list[str], form: str) -> str:
    from megasolve.report import told_json, told_text

    return told_json(told, notes) if form == "json" else told_text(told, notes, paint=paint_for(None))


def _wishes(asked: AskedTimes, target: Path) -> MeasuringWishes:
    from megasolve.contracts.measuring.wishes import MeasuringWishes

    return MeasuringWishes(
        target=target,
        on_cpu=asked.on_cpu,
        every_budget=not asked.on_cpu or bool(asked.budgets),
        cache=asked.cache,
        samples=asked.samples,
        warmups=asked.warmups,
        device=asked.device,
    )


def _require_gpu() -> None:
    """Say at once, and before any file is read, what is missing where nothing can be measured."""
    from megasolve.gpu.driver import NoGpu, probe

    try:
        probe()
    except NoGpu as error:
        raise Refusal(f"{error}; --backend cpu tries everything out without one, --dry-run shows what would be measured") from None


def _require(study: Study, asked: AskedTimes, *, dry_run: bool) -> None:
    """Refuse a spec of other kernels, or for another device, before any of its times is derived."""
    from megasolve.gpu.experiments.times import require

    _refusing(lambda: require(study, on_cpu=None if dry_run else asked.on_cpu))


def _study(asked: AskedTimes) -> Study:
    """Return the study without the records in the target, whose faults do not matter where they are replaced.

    An entry that is not what the compiler made of it costs its own times only: it is refused when it is loaded.
    """
    from megasolve.contracts import load_study
    from megasolve.contracts.check.rules import compiled
    from megasolve.contracts.model.rules import rules_in

    try:
        study = read_study(asked.spec, asked.device, root=asked.root)
    except FindingsRefusal as refusal:
        errors = [finding for finding in refusal.findings if finding.severity.value == "error"]
        others = [finding for finding in errors if not _is_target(finding.place.file, asked)]
        if refusal.further or not {finding.rule for finding in others} <= {*rules_in((compiled,))}:
            raise
        show_findings(others)
        loaded, _ = load_study(asked.spec, asked.device, root=asked.root)
        if loaded is None:
            raise
        study = loaded
    records = tuple(document for document in study.records if not _is_target(document.file, asked))
    # What is left of its faults has been shown, and costs the times of those entries only.
    return replace(study, records=records, is_checked=True)


def _is_target(file: str, asked: AskedTimes) -> bool:
    return os.path.realpath(file) == os.path.realpath(asked.target)


def _progress() -> Callable[[str], None]:
    if not is_progress_wanted():
        return lambda _: None
    return lambda line: click.echo(f"measuring {line} ...", err=True)


def _refusing(action: Callable[[], _Value]) -> _Value:
    """Return what *action* returns; what it cannot do, or a file that it cannot write, is a refusal."""
    from megasolve.contracts import MegasolveError

    try:
        return action()
    except MegasolveError as error:
        raise Refusal(str(error)) from None
    except OSError as error:
        raise Refusal(f"cannot write {error.filename or 'the records'}: {error.strerror or error}") from None
