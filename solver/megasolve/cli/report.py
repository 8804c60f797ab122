"""The command `report`."""

from __future__ import annotations

import click

from .outputs.output import write_result
from .outputs.overwriting import files_of, refuse_input
from .words.assuming import assume_option, with_asked_assumptions
from .words.completion import specs_like
from .words.derivation import derivation_options, deriving, warn_of_cache
from .words.options import (
    color_option,
    debug_option,
    device_option,
    is_progress_wanted,
    output_option,
    root_option,
    simulated_hardware_option,
    version,
)
from .words.results import is_result, read_result
from .words.studies import OBJECTIVES, STDIN, asked_limit, chosen_batches, read_study, refuse_impossible, refuse_impossible_size

SECONDS = 60.0


@click.command(short_help="Write a plan as one page for a browser.", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("specs", metavar="SPEC...", nargs=-1, required=True, shell_complete=specs_like)
@click.option("--batch", type=int, multiple=True, help="Report this batch size only; may be given several times.")
@click.option("--objective", type=click.Choice(OBJECTIVES), help="Rank by this time; the default is the objective of the spec.")
@click.option("--candidate", metavar="ID", multiple=True, help="Draw the schedule of this candidate, too; may be given several times.")
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    callback=asked_limit,
    default=SECONDS,
    show_default=True,
    help="Search a space that is too large to rank for at most S seconds a batch.",
)
@click.option(
    "--quick", "is_quick", is_flag=True, help="Leave out what takes long: how far times may be off, and what else could be built."
)
@assume_option
@device_option
@root_option
@simulated_hardware_option
@derivation_options
@output_option
@color_option
@debug_option
def report(
    *,
    specs: tuple[str, ...],
    batch: tuple[int, ...],
    objective: str | None,
    candidate: tuple[str, ...],
    time_limit: float | None,
    is_quick: bool,
    assume: str | None,
    device: str | None,
    root: str | None,
    allow_simulated_hardware: bool,
    without: tuple[str, ...],
    refresh: bool,
    no_cache: bool,
    jobs: int | None,
    dask: str | None,
    output: str | None,
) -> None:
    """Write the plans of the files SPEC as one HTML page: the answer, the designs side by side, and what they rest on.

    A JSON result of solve (- for stdin) may stand for a spec: it holds no schedules, so the page has its answer, its ranking and what is
    excluded. The page needs no network, and prints. Exits with 1 if a batch has no feasible candidate; the page then says why.
    """
    if specs.count(STDIN) > 1:
        raise click.UsageError("stdin can be read once: say - once")
    results = {name: read_result(name) for name in specs if is_result(name)}
    if candidate and len(results) == len({*specs}):
        raise click.UsageError("--candidate draws a schedule, and a result file holds none: report its spec")
    refuse_input(output, [name for name in results if name != STDIN])
    studies = {}
    for name in specs:
        if name not in results:
            study = read_study(name, device, root=root, allow_simulated_hardware=allow_simulated_hardware)
            studies[name] = with_asked_assumptions(study, assume)
            refuse_input(output, files_of(study))
            refuse_impossible(study.spec.value, objective)
            refuse_impossible_size(study, whole=False)

    from megasolve.report.page.frozen import ResultFile
    from megasolve.report.page.page import report_page
    from megasolve.simulate import Objective
    from megasolve.solver import Effort
    from megasolve.solver.reported.reported import ReportWishes, reported

    about_time = Objective(objective) if objective else None
    wishes = ReportWishes(candidate, Effort(seconds=time_limit), is_quick, _progress if is_progress_wanted() else None)
    with deriving(without, refresh=refresh, no_cache=no_cache, jobs=jobs, dask=dask) as how:
        found = {
            name: reported(study, batches=chosen_batches(study.spec.value, batch), objective=about_time, derivation=how, wishes=wishes)
            for name, study in studies.items()
        }
    shown = [ResultFile(name, results[name]) if name in results else found[name] for name in specs]
    write_result(report_page(shown, version()), output)
    warn_of_cache(how)
    are_feasible = [one.result.is_feasible for one in found.values()]
    are_feasible += [all(one.ranking for one in plan.results) for plan in results.values()]
    if not all(are_feasible):
        raise click.exceptions.Exit(1)


def _progress(line: str) -> None:
    click.echo(f"looking at {line} ...", err=True)
