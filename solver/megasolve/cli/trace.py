"""The command `trace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .ending.no_candidate import NothingToDraw, refuse_no_best
from .ending.refusals import Refusal
from .outputs.output import write_result
from .outputs.overwriting import files_of, refuse_input
from .words.assuming import assume_option, with_asked_assumptions
from .words.completion import candidates_like
from .words.derivation import asked_effects, deriving, schedule_options, warn_of_cache
from .words.options import (
    color_option,
    debug_option,
    device_option,
    output_option,
    root_option,
    simulated_hardware_option,
    spec_argument,
    version,
)
from .words.studies import OBJECTIVES, one_batch, read_study, refuse_impossible, refuse_impossible_size

if TYPE_CHECKING:
    from megasolve.solver import UnknownCandidate, WhyNot
    from megasolve.solver.timeline.timeline import Chart


@click.command(short_help="Write what runs when, for Perfetto.", context_settings={"help_option_names": ["-h", "--help"]})
@spec_argument
@click.argument("names", metavar="ID...", nargs=-1, required=True, shell_complete=candidates_like)
@click.option("--batch", type=int, help="The batch size to show; needed where the spec has several.")
@click.option("--objective", type=click.Choice(OBJECTIVES), help="Show what leads to this time; the default is the objective of the spec.")
@click.option("--tiles", "with_tiles", is_flag=True, help="Add what the workers do, tile by tile, in each call whose time was derived.")
@click.option("--profile", "profiles", metavar="FILE", multiple=True, help="Show what this profile says ran, too; may be given often.")
@assume_option
@device_option
@root_option
@simulated_hardware_option
@schedule_options
@output_option
@color_option
@debug_option
def trace(
    *,
    spec: str,
    names: tuple[str, ...],
    stdin_filename: str | None,
    batch: int | None,
    objective: str | None,
    with_tiles: bool,
    profiles: tuple[str, ...],
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
    """Write the schedule of each candidate ID of SPEC (- for stdin; the word best is an ID) as Chrome trace JSON.

    Open it at https://ui.perfetto.dev or chrome://tracing: a process for each candidate, all beginning at 0; in it the host, each region
    with the CTAs that its launches hold and what runs in them, the free CTAs, what is asked of memory, and arrows for what waited for
    what. Times there are rounded to nanoseconds; the arguments of each event have the exact picoseconds. Exits with 1 where an ID is
    unknown or excluded.
    """
    study = read_study(spec, device, stdin_filename, root=root, allow_simulated_hardware=allow_simulated_hardware)
    study = with_asked_assumptions(study, assume)
    refuse_input(output, files_of(study))
    asked = one_batch(study.spec.value, batch)
    refuse_impossible(study.spec.value, objective)
    refuse_impossible_size(study, whole=False)

    from megasolve.report.trace.chrome import chrome_trace
    from megasolve.solver.timeline.drawn import timeline
    from megasolve.solver.timeline.timeline import Chart, DrawnTimeline

    charts, tiles = list[Chart](), list[Chart]()
    with deriving(without, refresh=refresh, no_cache=no_cache, jobs=jobs, dask=dask) as how:
        for name in names:
            found = timeline(
                study, name, batch=asked, objective=objective, derivation=how, effects=asked_effects(without), with_tiles=with_tiles
            )
            if not isinstance(found, DrawnTimeline):
                refuse_no_best(found, asked)
                raise NothingToDraw(_why(found))
            charts.append(found.chart)
            tiles += found.tiles
    if with_tiles and not tiles:
        click.echo("NOTE: no time here was derived from a program, so there are no tiles to show", err=True)
    charts += map(_profiled, profiles)
    about = {"megasolve": version(), "spec": study.spec.value.name, "device": study.device.value.name, "without": list(without)}
    write_result("".join(chrome_trace([*charts, *dict.fromkeys(tiles)], about)), output)
    warn_of_cache(how)


def _profiled(file: str) -> Chart:
    from megasolve.contracts.profiles import ProfileRefused, read_profile
    from megasolve.solver.timeline.profiled import profile_chart

    try:
        chart = profile_chart(read_profile(file))
    except ProfileRefused as refused:
        raise Refusal(str(refused)) from None
    if chart is None:
        raise Refusal(f"{file}: has no times at which single kernels began, so there is nothing to show beside a schedule")
    return chart


def _why(answer: WhyNot | UnknownCandidate) -> str:
    from megasolve.solver import WhyNot

    if isinstance(answer, WhyNot):
        return f"{answer.row.id} is excluded: {answer.causes[0]}; megasolve explain says all that excludes it"
    nearest = f"; the nearest are {', '.join(answer.nearest)}" if answer.nearest else ""
    return f"no candidate has the id {answer.id!r}{nearest}"
