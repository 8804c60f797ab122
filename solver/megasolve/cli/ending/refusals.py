"""Refusals: input or usage that a command cannot work with. They end with exit code 2 and say why on stderr."""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING, Any

import click

from ..words.options import wants_color

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from megasolve.contracts import CheckFailed, CheckReport, Finding, Rule, Severity


class Refusal(click.ClickException):
    """One line that says why."""

    exit_code = 2

    def format_message(self) -> str:
        """Return the message on one line, with nothing that a terminal would obey."""
        from megasolve.report import one_line

        return one_line(self.message)


class FindingsRefusal(Refusal):
    """Files with findings: all of them, as `check` prints them; *again* is the command that does so, where there is one.

    *may_allow* says that the command takes such records with --allow-simulated-hardware.
    """

    def __init__(self, spec: str, failed: CheckFailed, again: str | None, *, may_allow: bool = False) -> None:
        hint = f"; {again} shows them again" if again else ""
        hint += "; --allow-simulated-hardware plans with them all the same, and says so" if may_allow else ""
        super().__init__(f"{spec} cannot be used until these findings are repaired{hint}")
        self.findings = failed.findings
        self.further = failed.further

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the findings, then the message."""
        show_findings(self.findings, self.further, file)
        super().show(file)


class UnreadableRefusal(Refusal):
    """Files that cannot be read, one line for each; *findings* are those of the other files, where nothing printed them yet."""

    def __init__(self, report: CheckReport, *, has_shown_findings: bool = False) -> None:
        super().__init__("; ".join(map(str, report.unreadable)))
        self.unreadable = report.unreadable
        self.findings = () if has_shown_findings else report.findings
        self.further = {} if has_shown_findings else report.further

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the findings, then a line for each file."""
        show_findings(self.findings, self.further, file)
        for error in self.unreadable:
            Refusal(str(error)).show(file)


class RowsRefusal(Refusal):
    """Rows of files that cannot be used, a line for each, then what that means."""

    def __init__(self, rows: Sequence[str], message: str) -> None:
        super().__init__(message)
        self.rows = rows

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the rows, then the message."""
        from megasolve.report.text.tables import place_line

        for row in self.rows:
            click.echo(place_line(row), file=file, err=True)
        super().show(file)


def show_findings(
    findings: Sequence[Finding], further: Mapping[tuple[Rule, Severity], int] | None = None, file: IO[Any] | None = None
) -> None:
    """Print *findings*, and how many *further* ones there are, to stderr as `check` prints them."""
    from megasolve.report import Paint, finding_lines

    ctx = click.get_current_context(silent=True)
    paint = Paint(ctx is not None and wants_color(ctx, is_terminal=sys.stderr.isatty()))
    for line in finding_lines(findings, further, paint=paint):
        click.echo(line, file=file, err=True, color=True)
