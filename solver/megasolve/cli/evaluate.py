"""The command `evaluate`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from .ending.refusals import FindingsRefusal, Refusal, RowsRefusal
from .outputs.output import chosen_form, paint_for, stamp_of, write_text
from .outputs.overwriting import files_of, refuse_input
from .words.derivation import asked_effects, deriving, schedule_options, warn_of_cache
from .words.options import (
    color_option,
    debug_option,
    device_option,
    output_option,
    root_option,
    simulated_hardware_option,
    spec_argument,
)
from .words.studies import OBJECTIVES, asked_limit, chosen_batches, read_study, refuse_impossible, refuse_impossible_size

if TYPE_CHECKING:
    from megasolve.contracts import Stamp
    from megasolve.contracts.runs.columns import Columns
    from megasolve.report import Paint
    from megasolve.solver import Evaluation, FrozenPlans
    from megasolve.solver.evaluate.statistic import StatisticName, Unit

FORMATS = ("text", "json", "csv", "markdown")
STATISTICS = ("mean", "p50", "p95", "block_p95")
UNITS = ("run", "block")


@click.command(short_help="Hold a plan against measurements.", context_settings={"help_option_names": ["-h", "--help"]})
@spec_argument
@click.argument("measured", nargs=-1, required=True)
@click.option(
    "--plan", metavar="FILE", multiple=True, help="Judge this JSON result of solve, frozen before; one for each ablation may be given."
)
@click.option("--batch", type=int, multiple=True, help="Judge this batch size only; may be given several times.")
@click.option("--objective", type=click.Choice(OBJECTIVES), help="What was measured; the default is the objective of the spec.")
@click.option(
    "--column",
    "columns",
    metavar="OURS=THEIRS",
    multiple=True,
    help="What a table calls a column: time_us=ttft_ms:ms, block=@file for the file name, batch==32 for a constant; may be given often.",
)
@click.option(
    "--statistic",
    type=click.Choice(STATISTICS),
    default="mean",
    show_default=True,
    help="What one number stands for all runs of a design; block_p95 is the mean, over blocks, of the p95 of each.",
)
@click.option(
    "--unit", type=click.Choice(UNITS), default="run", show_default=True, help="Whether each run counts once, or each block by its mean."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The seed of the 20,000 resamples of the intervals.")
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    callback=asked_limit,
    help="Search a large space for at most S seconds.",
)
@device_option
@root_option
@simulated_hardware_option
@schedule_options
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="The form of the result.")
@output_option
@color_option
@debug_option
def evaluate(
    *,
    spec: str,
    stdin_filename: str | None,
    measured: tuple[str, ...],
    plan: tuple[str, ...],
    batch: tuple[int, ...],
    objective: str | None,
    columns: tuple[str, ...],
    statistic: StatisticName,
    unit: Unit,
    seed: int,
    time_limit: float | None,
    device: str | None,
    root: str | None,
    allow_simulated_hardware: bool,
    without: tuple[str, ...],
    refresh: bool,
    no_cache: bool,
    jobs: int | None,
    dask: str | None,
    form: str,
    output: str | None,
) -> None:
    """Hold the plan of SPEC (- for stdin) against whole candidates as they ran: MEASURED files, CSV, JSON lines, or measured/v1.

    A row is a run: candidate, batch, block, run, time_us, and group for a part of it; ID=FILE says whose runs a file holds. Judged is
    inside the pool, the designs that were measured at a batch: the fastest one, the one that the planner names, and by how much it is
    slower (regret), with both ablations beside it. Blocks that designs share give the intervals. Exits with 1 if there was nothing to
    judge.
    """
    study = read_study(spec, device, stdin_filename, root=root, allow_simulated_hardware=allow_simulated_hardware)
    named = _named(measured)
    refuse_input(output, (*files_of(study), *named, *plan))
    batches = chosen_batches(study.spec.value, batch)
    refuse_impossible(study.spec.value, objective)
    refuse_impossible_size(study, whole=False)

    from megasolve.contracts.runs.reading import read_runs
    from megasolve.solver import Effort, Judgement, Scoring, Statistic
    from megasolve.solver import evaluate as evaluate_study

    known = _asked_columns(columns)
    with _refusing(), deriving(without, refresh=refresh, no_cache=no_cache, jobs=jobs, dask=dask) as derivation:
        candidates = {file: candidate for file, candidate in named.items() if candidate is not None}
        timed = read_runs(list(named), known, candidates=candidates, allow_simulated_hardware=allow_simulated_hardware)
        scoring = Scoring(objective, derivation, asked_effects(without), Effort(seconds=time_limit))
        judgement = Judgement(batches, Statistic(statistic, unit), seed)
        evaluation = evaluate_study(study, timed, judgement, scoring, _frozen(plan, stamp_of(study)))
    form = chosen_form(form, output)
    write_text(_rendered(evaluation, form, stamp_of(study, (*named, *plan)), paint=paint_for(output)), form, output)
    warn_of_cache(derivation)
    if not evaluation.cases:
        raise click.exceptions.Exit(1)


def _named(words: Sequence[str]) -> dict[str, str | None]:
    """Return the files that *words* are and, for those that read ID=FILE, whose runs they hold."""
    from megasolve.contracts.files.disk.existence import is_there

    named: dict[str, str | None] = {}
    for word in words:
        candidate, _, file = word.partition("=")
        said = (file, candidate) if candidate and file and not is_there(word) else (word, None)
        if named.setdefault(*said) != said[1]:
            raise click.UsageError(f"{said[0]} cannot hold the runs of two candidates")
    return named


def _asked_columns(words: Sequence[str]) -> Columns:
    from megasolve.contracts.runs.columns import UnusableColumn, columns_of

    try:
        return columns_of(words)
    except UnusableColumn as unusable:
        raise click.UsageError(f"--column {unusable}") from None


@contextmanager
def _refusing() -> Iterator[None]:
    """Turn what is wrong with measured files and plans into refusals."""
    from megasolve.contracts import CheckFailed, MegasolveError
    from megasolve.contracts.runs.unusable import UnusableRuns
    from megasolve.solver import SpaceTooLarge, UnusablePlan

    try:
        yield
    except CheckFailed as failed:
        raise FindingsRefusal("what was measured", failed, None) from None
    except UnusableRuns as unusable:
        raise RowsRefusal(str(unusable).splitlines(), "nothing is judged until these rows are repaired") from None
    except (UnusablePlan, SpaceTooLarge, MegasolveError) as error:
        raise Refusal(str(error)) from None


def _frozen(plans: Sequence[str], stamp: Stamp) -> FrozenPlans | None:
    from megasolve.solver import FrozenPlans, changes_since, read_plan

    read = tuple(read_plan(file) for file in plans)
    changes = dict.fromkeys(change for plan in read for change in changes_since(plan, stamp))
    return FrozenPlans(read, tuple(changes)) if read else None


def _rendered(evaluation: Evaluation, form: str, stamp: Stamp, *, paint: Paint) -> str:
    from megasolve import report

    match form:
        case "json":
            return report.evaluation_json(evaluation, stamp)
        case "csv":
            return report.evaluation_csv(evaluation)
        case "markdown":
            return report.evaluation_markdown(evaluation)
        case _:
            return report.evaluation_text(evaluation, paint)
