"""The program `megasolve` with its commands."""

from __future__ import annotations

import click

from .check import check
from .diff import diff
from .evaluate import evaluate
from .example import example
from .explain import explain
from .group import SpecGroup
from .headroom import headroom
from .import_ import import_
from .measure import measure
from .new import new
from .report import report
from .rule import rule
from .schema import schema
from .solve import solve
from .sweep import sweep
from .table import table
from .trace import trace
from .words.options import color_option, debug_option, version_option

_EPILOG = (
    "Exit codes: 0 all is well; 1 findings, or nothing is feasible; 2 wrong usage or unusable input; 3 internal error; "
    "130 interrupted. The result goes to stdout, everything else to stderr."
)


@click.group("megasolve", cls=SpecGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EPILOG)
@color_option
@debug_option
@version_option
def program() -> None:
    """Find where to cut a streaming model into persistent megakernels, and how the pieces share the GPU.

    `megasolve SPEC` is short for `megasolve solve SPEC`.
    """


for _command in (
    solve,
    headroom,
    evaluate,
    diff,
    check,
    explain,
    report,
    trace,
    table,
    sweep,
    import_,
    new,
    measure,
    schema,
    rule,
    example,
):
    program.add_command(_command)
