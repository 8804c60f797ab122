"""The command `table`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from .outputs.output import chosen_form, paint_for, write_text
from .outputs.overwriting import files_of, refuse_input
from .words.derivation import derivation_options, deriving, warn_of_cache
from .words.options import (
    color_option,
    debug_option,
    device_option,
    output_option,
    root_option,
    simulated_hardware_option,
    spec_argument,
)
from .words.studies import chosen_batches, read_study

if TYPE_CHECKING:
    from megasolve.contracts import Spec
    from megasolve.report import Paint
    from megasolve.solver import ServiceTable

FORMATS = ("table", "json", "csv")


@click.command(short_help="Show the time of every call, and where it is from.", context_settings={"help_option_names": ["-h", "--help"]})
@spec_argument
@click.option("--batch", type=int, multiple=True, help="Show this batch size only; may be given several times.")
@click.option("--group", metavar="NAME", multiple=True, help="Show this group only; may be given several times.")
@device_option
@root_option
@simulated_hardware_option
@derivation_options
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="The form of the result.")
@output_option
@color_option
@debug_option
def table(
    *,
    spec: str,
    stdin_filename: str | None,
    batch: tuple[int, ...],
    group: tuple[str, ...],
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
    """Show the service table of SPEC (- for stdin): what one call of each group takes, for every contract, budget and batch.

    A recorded time always wins; where none matches, the time is derived from the program in the contract. Each time has its
    HBM bytes and a lower bound, and one within 0.1 % of the bound, or below it, is flagged. Exits with 1 if no row has a time.
    """
    study = read_study(spec, device, stdin_filename, root=root, allow_simulated_hardware=allow_simulated_hardware)
    refuse_input(output, files_of(study))
    batches = chosen_batches(study.spec.value, batch)
    _refuse_unknown(study.spec.value, group)

    from megasolve.solver import service_table

    with deriving(without, refresh=refresh, no_cache=no_cache, jobs=jobs, dask=dask) as derivation:
        found = service_table(study, batches=batches, groups=group or None, derivation=derivation)
    write_text(_rendered(found, chosen_form(form, output), paint=paint_for(output)), form, output)
    warn_of_cache(derivation)
    if not found.valued:
        raise click.exceptions.Exit(1)


def _refuse_unknown(spec: Spec, groups: Sequence[str]) -> None:
    known = [group.name for group in spec.groups]
    for name in groups:
        if name not in known:
            raise click.UsageError(f"--group {name} is no group of the spec: {', '.join(known)}")


def _rendered(found: ServiceTable, form: str, *, paint: Paint) -> str:
    from megasolve import report

    match form:
        case "json":
            return report.table_json(found)
        case "csv":
            return report.table_csv(found)
        case _:
            return report.table_text(found, paint=paint)
