"""The command `schema`."""

from __future__ import annotations

import click

from .outputs.output import write_result
from .words.options import color_option, debug_option, output_option

KINDS = ("assume", "spec", "contract", "device", "records", "compiled", "measured")
RESULTS = (
    *("check", "diff", "evaluation", "explanation", "failure", "headroom"),
    *("measurement", "profiles", "result", "runs", "sweep", "table", "tasks"),
)
# The results of these commands have names of their own.
COMMANDS = {"evaluate": "evaluation", "explain": "explanation", "import": "profiles", "measure": "measurement", "solve": "result"}


@click.command(short_help="Print the JSON Schema of a kind of file.", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("kind", metavar="KIND", type=click.Choice((*KINDS, *RESULTS, *COMMANDS)))
@output_option
@color_option
@debug_option
def schema(kind: str, output: str | None) -> None:
    """Print the JSON Schema (draft 2020-12) of the files of one KIND, for an editor to check and complete them, or of a result.

    KINDS of files: assume, spec, contract, device, records, compiled, measured. KINDS of results: check, diff, evaluation, explanation,
    failure, headroom, measurement, profiles, result, runs, sweep, table, tasks; the command that prints one may be said instead.
    """
    from megasolve.report import schema_json

    write_result(schema_json(COMMANDS.get(kind, kind)), output)
