"""Refusals: input or usage that a command cannot work with. They end with exit code 2 and say why on stderr."""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING, Any

import click

from .options import wants_color

if TYPE_CHECKING:
    from collections.abc import Sequence

    from megasolve.contracts import Finding


class Refusal(click.ClickException):
    """One line that says why."""

    exit_code = 2

    def format_message(self) -> str:
        """Return the message on one line, with nothing that a terminal would obey."""
        from megasolve.report import one_line

        return one_line(self.message)


class FindingsRefusal(Refusal):
    """Files with findings: all of them, as `check` prints them."""

    def __init__(self, spec: str, findings: Sequence[Finding]) -> None:
        super().__init__(f"{spec} cannot be used until these findings are repaired; megasolve check {spec} shows them again")
        self.findings = findings

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the findings, then the message."""
        from megasolve.report import Paint, finding_lines

        ctx = click.get_current_context(silent=True)
        paint = Paint(ctx is not None and wants_color(ctx, is_terminal=sys.stderr.isatty()))
        for line in finding_lines(self.findings, paint=paint):
            click.echo(line, file=file, err=True, color=True)
        super().show(file)
