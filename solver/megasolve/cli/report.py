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
from .words.studies import OBJECTIVES, asked_limit, chosen_batches, read_study, refuse_impossible, refuse_impossible_size

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
    output: str | None,
) -> None:
    """Write the plans of the files SPEC as one HTML page: the answer, the designs side by side, and what they rest on.

    The page needs no network, and prints. Exits with 1 if a batch of a spec has no feasible candidate; the page then says why.
    """
    read = [read_study(spec, device, root=root, allow_simulated_hardware=allow_simulated_hardware) for spec in specs]
    studies = [with_asked_assumptions(study, assume) for study in read]
    for study in studies:
        refuse_input(output, files_of(study))
        refuse_impossible(study.spec.value, objective)
        refuse_impossible_size(study, whole=False)

    from megasolve.report.page.page import report_page
    from megasolve.simulate import Objective
    from megasolve.solver import Effort
    from megasolve.solver.reported.reported import ReportWishes, reported

    about_time = Objective(objective) if objective else None
    wishes = ReportWishes(candidate, Effort(seconds=time_limit), is_quick, _progress if is_progress_wanted() else None)
    with deriving(without, refresh=refresh, no_cache=no_cache, jobs=jobs) as how:
        found = [
            reported(
                study,
                batches=chosen_batches(study.spec.value, batch),
                objective=about_time,
                derivation=how,
                wishes=wishes,
            )
            for study in studies
        ]
    write_result(report_page(found, version()), output)
    warn_of_cache(how)
    if not all(one.result.is_feasible for one in found):
        raise click.exceptions.Exit(1)


def _progress(line: str) -> None:
    click.echo(f"looking at {line} ...", err=True)
