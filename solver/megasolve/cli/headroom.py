"""The command `headroom`."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click

from .ending.refusals import Refusal
from .outputs.output import chosen_form, paint_for, stamp_of, stamp_of_files, write_text
from .outputs.overwriting import files_of, refuse_input
from .words.assuming import assume_option, with_asked_assumptions
from .words.derivation import deriving, schedule_options, warn_of_cache
from .words.options import (
    color_option,
    debug_option,
    device_option,
    output_option,
    root_option,
    simulated_hardware_option,
    spec_argument,
)
from .words.profile_options import cut_option
from .words.studies import OBJECTIVES, chosen_batches, read_study, refuse_impossible
from .words.traces import asked_of_trace, is_trace, refuse_trace_options, study_of_trace

if TYPE_CHECKING:
    from megasolve.contracts import Stamp, Study
    from megasolve.report import Paint
    from megasolve.solver import Derivation, HeadroomResult, PlanResult

FORMATS = ("text", "json", "csv", "markdown")
_PLACES = 6
Found = TypeVar("Found")


class _Costs(NamedTuple):
    """What one launch of a new megakernel, and one wait inside it, cost by request."""

    launch_ps: int | None
    wait_ps: int | None


def _picoseconds(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> int | None:
    """Return the picoseconds of *value* microseconds."""
    if value is None:
        return None
    from decimal import InvalidOperation

    try:
        scaled = Decimal(value).scaleb(_PLACES)
    except InvalidOperation:
        raise click.BadParameter(f"{value!r} is no number of microseconds") from None
    if not scaled.is_finite() or scaled < 0 or scaled > 10**18 or scaled != scaled.to_integral_value():
        raise click.BadParameter(f"{value!r}: expected microseconds, 0 or more, with at most {_PLACES} decimal places")
    return int(scaled)


@click.command(short_help="Say which parts would pay as a megakernel.", context_settings={"help_option_names": ["-h", "--help"]})
@spec_argument
@click.option("--batch", type=int, multiple=True, help="Look at this batch size only; may be given several times.")
@click.option("--objective", type=click.Choice(OBJECTIVES), help="The time to save; the default is the objective of the spec.")
@click.option(
    "--launch",
    "launch_ps",
    metavar="US",
    callback=_picoseconds,
    help="What one launch of a new megakernel costs the device, in microseconds; by default what the device file says of its launches.",
)
@click.option(
    "--wait",
    "wait_ps",
    metavar="US",
    callback=_picoseconds,
    help="What one wait between two stages of a megakernel takes, in microseconds: shows the floor with waits, too.",
)
@click.option(
    "--group", "groups", metavar="NAME[:ROLE][=PATTERN]", multiple=True, help="Of a profile: a group and its kernels, as for new."
)
@click.option("--steps", metavar="HOW", help="Of a profile: where steps begin, as for new.")
@click.option("--gpu", type=click.IntRange(min=0), metavar="N", help="Of a profile: look at GPU number N, where it has several.")
@cut_option
@click.option("--plan", "is_plan", is_flag=True, help="Show the build order: the best design with 0, 1, 2, … new entries, each proven.")
@assume_option
@device_option
@root_option
@simulated_hardware_option
@schedule_options
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="The form of the result.")
@click.option("--all", "show_all", is_flag=True, help="Show every region in text or Markdown; JSON and CSV always hold all.")
@output_option
@color_option
@debug_option
def headroom(
    *,
    spec: str,
    stdin_filename: str | None,
    batch: tuple[int, ...],
    objective: str | None,
    launch_ps: int | None,
    wait_ps: int | None,
    groups: tuple[str, ...],
    steps: str | None,
    gpu: int | None,
    cut: str | None,
    is_plan: bool,
    assume: str | None,
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
    output: str | None,
) -> None:
    """Say for every region of SPEC that is no megakernel yet whether it would pay as one, and what it would have to reach.

    SPEC is a spec (- for stdin), or a profile, which is cut into the modules of its layers where neither --cut nor --group says otherwise.

    The first lines are the answer. Times are exact: at the time that a region pays up to it wins or ties, a picosecond later it
    loses. Exits with 1 if no design has evidence today.
    """
    is_profile = is_trace(spec)
    refuse_trace_options(groups, steps, gpu, cut, is_profile=is_profile)
    if is_profile:
        refuse_input(output, (spec,))
        study, batches = (
            study_of_trace(spec, asked_of_trace(groups, steps, gpu, batch, device), cut),
            None,
        )
    else:
        study = read_study(spec, device, stdin_filename, root=root, allow_simulated_hardware=allow_simulated_hardware)
        refuse_input(output, files_of(study))
        batches = chosen_batches(study.spec.value, batch)
    study = with_asked_assumptions(study, assume)
    refuse_impossible(study.spec.value, objective)
    with deriving(without, refresh=refresh, no_cache=no_cache, jobs=jobs, dask=dask) as derivation:
        form = chosen_form(form, output)
        costs = _Costs(launch_ps, wait_ps)
        order = _planned(study, batches, objective, costs, derivation) if is_plan else None
        # A row of CSV is either a step of the order or a region; every other form has the regions below the order.
        result = None if is_plan and form == "csv" else _looked_at(study, batches, objective, costs, derivation)
    further = () if assume is None else (assume,)
    stamp = (stamp_of_files((spec, *further)) if is_profile else stamp_of(study, further)) if form == "json" else None
    write_text(_rendered(result, order, form, stamp, show_all=show_all, paint=paint_for(output)), form, output)
    warn_of_cache(derivation)


def _looked_at(
    study: Study, batches: tuple[int, ...] | None, objective: str | None, costs: _Costs, derivation: Derivation
) -> HeadroomResult:
    from megasolve.solver import headroom as headroom_of

    asked = {"launch_ps": costs.launch_ps, "wait_ps": costs.wait_ps}
    return _refusing(lambda: headroom_of(study, batches=batches, objective=objective, **asked, derivation=derivation))


def _planned(study: Study, batches: tuple[int, ...] | None, objective: str | None, costs: _Costs, derivation: Derivation) -> PlanResult:
    from megasolve.solver import plan
    from megasolve.solver.assuming.usual import usual_assumption

    usual = usual_assumption(costs.launch_ps, costs.wait_ps)
    return _refusing(lambda: plan(study, batches=batches, objective=objective, usual=usual, derivation=derivation))


def _refusing(run: Callable[[], Found]) -> Found:
    from megasolve.solver import NothingToday, SpaceTooLarge

    try:
        return run()
    except NothingToday as nothing:
        click.echo(f"Error: {nothing}", err=True)
        raise click.exceptions.Exit(1) from None
    except SpaceTooLarge as too_large:
        raise Refusal(str(too_large)) from None


def _rendered(
    result: HeadroomResult | None, order: PlanResult | None, form: str, stamp: Stamp | None, *, show_all: bool, paint: Paint
) -> str:
    from megasolve import report

    if form == "json":
        if result is None:
            raise ValueError("JSON has the regions")
        return report.headroom_json(result, stamp, {one.batch: report.plan_facts(one) for one in order.batches} if order else None)
    parts = [] if order is None else [_order_rendered(order, form, paint=paint)]
    if result is not None:
        parts.append(_regions_rendered(result, form, show_all=show_all, paint=paint))
    return "\n".join(parts)


def _regions_rendered(result: HeadroomResult, form: str, *, show_all: bool, paint: Paint) -> str:
    from megasolve import report

    match form:
        case "csv":
            return report.headroom_csv(result)
        case "markdown":
            return report.headroom_markdown(result, show_all=show_all)
        case _:
            return report.headroom_text(result, show_all=show_all, paint=paint)


def _order_rendered(order: PlanResult, form: str, *, paint: Paint) -> str:
    from megasolve import report

    match form:
        case "csv":
            return report.plan_csv(order)
        case "markdown":
            return report.plan_markdown(order)
        case _:
            return report.build_order_text(order, paint)
