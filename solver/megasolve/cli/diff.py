"""The command `diff`."""

from __future__ import annotations

from fractions import Fraction

import click

from .ending.refusals import Refusal
from .outputs.output import chosen_form, paint_for, write_text
from .outputs.overwriting import refuse_input
from .words.options import color_option, debug_option, output_option, version

FORMATS = ("text", "json")
LARGEST_PERCENT = 10_000


def asked_tolerance(_context: click.Context, _parameter: click.Parameter, words: str | None) -> Fraction | None:
    """Return the share that *words* like 2% or 0.5 % say.

    Raises
    ------
    BadParameter
        They are no such share.
    """
    if words is None:
        return None
    number = words.strip().removesuffix("%").strip()
    if words.strip().endswith("%") and number.replace(".", "", 1).isdecimal() and Fraction(number) <= LARGEST_PERCENT:
        return Fraction(number) / 100
    raise click.BadParameter(f"{words!r} is no share in percent, such as 2% or 0.5%")


@click.command(short_help="Say what changed between two plans.", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("before", metavar="BEFORE.json")
@click.argument("after", metavar="AFTER.json")
@click.option(
    "--fail-if-worse",
    "tolerance",
    metavar="PERCENT",
    callback=asked_tolerance,
    help="Exit with 1 where the best of a batch became slower by more than PERCENT (2%), or is gone.",
)
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="The form of the result.")
@output_option
@color_option
@debug_option
def diff(*, before: str, after: str, tolerance: Fraction | None, form: str, output: str | None) -> None:
    """Say what changed from one plan to another: JSON results of solve (solve SPEC -o plan.json).

    Named are the files, options and versions that they were made of and that differ, the best of each batch, candidates with other scores,
    and those that are no longer ranked, with why.
    """
    refuse_input(output, (before, after))

    from megasolve.contracts import MegasolveError
    from megasolve.report.diff.json import diff_json
    from megasolve.report.diff.text import diff_text
    from megasolve.solver import read_plan
    from megasolve.solver.compare.difference import difference

    try:
        found = difference(read_plan(before), read_plan(after))
    except MegasolveError as error:
        raise Refusal(str(error)) from None
    is_json = chosen_form(form, output) == "json"
    text = diff_json(found, tolerance, version()) if is_json else diff_text(found, tolerance, paint_for(output))
    write_text(text, "json" if is_json else "text", output)
    if tolerance is not None and any(batch.is_worse(tolerance) for batch in found.batches):
        raise click.exceptions.Exit(1)
