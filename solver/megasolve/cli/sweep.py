"""The command `sweep`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from .ending.refusals import FindingsRefusal
from .outputs.output import chosen_form, paint_for, stamp_of, write_text
from .outputs.overwriting import files_of, refuse_input
from .words.derivation import asked_effects, deriving, schedule_options, warn_of_cache
from .words.options import (
    color_option,
    debug_option,
    device_option,
    output_option,
    root_option,
    set_option,
    simulated_hardware_option,
    spec_argument,
)
from .words.studies import (
    OBJECTIVES,
    asked_accuracy,
    asked_where,
    chosen_batches,
    read_study,
    refuse_impossible,
    refuse_impossible_size,
    refuse_no_number,
)

if TYPE_CHECKING:
    from megasolve.contracts import Study
    from megasolve.contracts.fields.scale import Range
    from megasolve.report import Paint
    from megasolve.simulate import Objective
    from megasolve.solver import Drawing, How, Sweep

FORMATS = ("table", "json", "csv", "markdown")


@click.command(
    short_help="Show how the best design changes with the batch or with a field.", context_settings={"help_option_names": ["-h", "--help"]}
)
@spec_argument
@click.option("--batch", type=int, multiple=True, help="Sweep over this batch size only; may be given several times.")
@click.option(
    "--objective",
    type=click.Choice(OBJECTIVES),
    multiple=True,
    help="Sweep for this time; each that is given by itself; by default the objective of the spec.",
)
@click.option(
    "--vary",
    "ranges",
    metavar="PATH=A..B[/STEPS]",
    multiple=True,
    help="Sweep over the values of a field from A to B, shown at STEPS steps (8), and find exactly where the best design changes.",
)
@click.option(
    "--where", metavar="CONSTRAINT", multiple=True, help="Plan only what keeps to this, too: 'new_megakernels<=1'; may be given often."
)
@click.option(
    "--robust",
    "is_robust",
    is_flag=True,
    help="Say of each batch how far times may be off before another design is the best, how likely it is, and what to measure next.",
)
@click.option(
    "--draws", type=click.IntRange(1, 1_000_000), default=2_000, show_default=True, metavar="N", help="With --robust, draw N worlds."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="With --robust, the seed of the draws.")
@click.option(
    "--accuracy",
    metavar="RELATIVE",
    callback=asked_accuracy,
    help="With --robust, assume that times which state nothing are off by up to this, 0.05 for 5 %.",
)
@set_option
@device_option
@root_option
@simulated_hardware_option
@schedule_options
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="The form of the result.")
@click.option("--all", "show_all", is_flag=True, help="Show megakernels that are in no winner, too (JSON and CSV always hold all).")
@click.option("--plot", "show_plot", is_flag=True, help="Show the scores as bars, too, in a table or Markdown.")
@output_option
@color_option
@debug_option
def sweep(
    *,
    spec: str,
    stdin_filename: str | None,
    batch: tuple[int, ...],
    objective: tuple[str, ...],
    ranges: tuple[str, ...],
    where: tuple[str, ...],
    is_robust: bool,
    draws: int,
    seed: int,
    accuracy: str | None,
    settings: tuple[str, ...],
    device: str | None,
    root: str | None,
    allow_simulated_hardware: bool,
    without: tuple[str, ...],
    refresh: bool,
    no_cache: bool,
    jobs: int | None,
    dask: str | None,
    form: str,
    show_all: bool,
    show_plot: bool,
    output: str | None,
) -> None:
    """Show how the best design of SPEC (- for stdin) changes from batch to batch, or with --vary over the values of a field.

    Over the batches it says between which two the best design changes, what each megakernel saves and costs, and which category the
    model is in. Exits with 1 if no plan has a feasible candidate.
    """
    study = read_study(spec, device, stdin_filename, root=root, allow_simulated_hardware=allow_simulated_hardware, settings=settings)
    refuse_input(output, files_of(study))
    batches = chosen_batches(study.spec.value, batch)
    asked = tuple(dict.fromkeys(objective)) or study.spec.value.objectives
    for one in asked:
        refuse_impossible(study.spec.value, one)
    refuse_impossible_size(study, whole=False)
    varied = _asked_ranges(study, ranges)
    if is_robust and varied:
        raise click.UsageError("--robust is of the batches: leave out --vary")
    if accuracy is not None and not is_robust:
        raise click.UsageError("--accuracy is what --robust assumes: say --robust, too")

    from fractions import Fraction

    from megasolve.simulate import Objective
    from megasolve.solver import Drawing, How

    with deriving(without, refresh=refresh, no_cache=no_cache, jobs=jobs, dask=dask) as derivation:
        how = How(derivation, asked_effects(without), asked_where(study, where))
        drawing = Drawing(draws, seed, Fraction(accuracy) if accuracy else None) if is_robust else None
        found = _swept(study, varied, [Objective(one) for one in asked], how, batches, drawing=drawing)
    form = chosen_form(form, output)
    write_text(_rendered(found, study, form, show_all=show_all, show_plot=show_plot, paint=paint_for(output)), form, output)
    warn_of_cache(derivation)
    if not found.is_feasible:
        raise click.exceptions.Exit(1)


def _asked_ranges(study: Study, ranges: Sequence[str]) -> list[Range]:
    """Return the ranges that --vary asks for; a path that names no number is refused before anything is planned."""
    from megasolve.contracts.fields.path import UnusableField
    from megasolve.contracts.fields.scale import parse_range

    try:
        found = list(map(parse_range, ranges))
    except UnusableField as unusable:
        raise click.UsageError(f"--vary {unusable}") from None
    refuse_no_number(study, [one.path for one in found], "--vary")
    return found


def _swept(
    study: Study, ranges: Sequence[Range], objectives: Sequence[Objective], how: How, batches: Sequence[int], *, drawing: Drawing | None
) -> Sweep:
    from megasolve.contracts import CheckFailed
    from megasolve.contracts.fields.path import UnusableField
    from megasolve.solver import sweep_batches, sweep_fields

    if not ranges:
        return sweep_batches(study, objectives, how, batches, drawing=drawing)
    try:
        return sweep_fields(study, ranges, objectives, how, batches)
    except UnusableField as unusable:
        raise click.UsageError(f"--vary {unusable}") from None
    except CheckFailed as failed:
        raise FindingsRefusal(f"{study.spec.file} with the values of --vary", failed, None) from None


def _rendered(found: Sweep, study: Study, form: str, *, show_all: bool, show_plot: bool, paint: Paint) -> str:
    from megasolve import report

    match form:
        case "json":
            return report.sweep_json(found, stamp_of(study))
        case "csv":
            return report.sweep_csv(found)
        case "markdown":
            return report.sweep_markdown(found, show_all=show_all, show_plot=show_plot)
        case _:
            return report.sweep_table(found, show_all=show_all, show_plot=show_plot, paint=paint)
