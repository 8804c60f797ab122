"""Findings as workflow commands of GitHub Actions, which shows at most ten errors and ten warnings of a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.tables import Column, markdown
from .locations import relative_path
from .text import check_text, counts, further_line, is_error, summary

if TYPE_CHECKING:
    from megasolve.contracts import CheckReport, Finding, UnreadableFile

SHOWN_PER_SEVERITY = 10


def check_github(report: CheckReport) -> str:
    """Return annotations, unreadable files and errors first, and then every finding as plain text for the log."""
    errors = [finding for finding in report.findings if is_error(finding)]
    warnings = [finding for finding in report.findings if not is_error(finding)]
    unreadable = list(map(_unreadable, report.unreadable))
    shown = [*[*unreadable, *map(_command, errors)][:SHOWN_PER_SEVERITY], *map(_command, warnings[:SHOWN_PER_SEVERITY])]
    told = len(unreadable) + sum(
        one.count for one in (*errors[: max(0, SHOWN_PER_SEVERITY - len(unreadable))], *warnings[:SHOWN_PER_SEVERITY])
    )
    hidden = len(unreadable) + sum(counts(report)) - told
    more = [f"… and {counted(hidden, 'more finding')}, {'the first 1,000' if report.further else 'all'} in the log below"] if hidden else []
    return "".join(f"{line}\n" for line in (*shown, *more)) + check_text(report)


def _unreadable(error: UnreadableFile) -> str:
    return f"::error file={_escaped_property(relative_path(error.path))},title=unreadable::{_escaped(error.reason)}"


def _command(finding: Finding) -> str:
    place = finding.place
    properties = {"file": relative_path(place.file), "line": place.line, "col": place.column}
    if finding.end_column is not None:
        # GitHub's end column is the last one that belongs to the finding.
        properties["endColumn"] = max(place.column, finding.end_column - 1)
    properties["title"] = f"{finding.rule.code} {finding.rule.name}"
    listed = ",".join(f"{name}={_escaped_property(str(value))}" for name, value in properties.items())
    return f"::{finding.severity.value} {listed}::{_escaped(f'{finding.message} [{finding.path}]{finding.times}')}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def github_summary(report: CheckReport) -> str:
    """Return a Markdown page for the summary of the step."""
    columns = [Column("place"), Column("severity"), Column("rule"), Column("message")]
    more = ["", further_line(report.further)] if report.further else []
    table = ["", *markdown(columns, rows)] if (rows := [*_unreadable_rows(report), *_rows(report.findings)]) else []
    return "".join(f"{line}\n" for line in ("### megasolve check", "", summary(report), *more, *table))


def _unreadable_rows(report: CheckReport) -> list[list[str]]:
    return [[f"`{error.path}`", "error", "unreadable", error.reason] for error in report.unreadable]


def _rows(findings: Sequence[Finding]) -> list[list[str]]:
    return [[f"`{one.place}`", one.severity.value, f"{one.rule.code} {one.rule.name}", f"{one.message}{one.times}"] for one in findings]
