"""Findings for a person: one line each, then a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from megasolve.contracts.model.wording import counted

from ..text.paint import PLAIN, Paint
from ..text.tables import one_line, place_line
from .unmeasured import unmeasured_lines

if TYPE_CHECKING:
    from megasolve.contracts import CheckReport, Finding, Rule, Severity

Further: TypeAlias = "Mapping[tuple[Rule, Severity], int]"


def check_text(report: CheckReport, *, commands: Mapping[str, str] | None = None, paint: Paint = PLAIN) -> str:
    """Return every finding as ``file:line:column: CODE message  [path]``, which times nobody measured, and a summary line.

    *commands* measures those of a spec, by its file. Where no file could be read there is nothing to sum up: what is unreadable is said
    elsewhere, one line each.
    """
    if report.unreadable and not report.files_checked:
        return ""
    lacking = unmeasured_lines(report.unmeasured, commands or {})
    return "".join(f"{line}\n" for line in (*finding_lines(report.findings, report.further, paint=paint), *lacking, summary(report)))


def finding_lines(findings: Sequence[Finding], further: Further | None = None, *, paint: Paint = PLAIN) -> list[str]:
    """Return one line per finding, equal ones of a file as one, and one about the *further* ones that are not listed."""
    more = [further_line(further)] if further else []
    return [*(_line(finding, paint) for finding in findings), *more]


def further_line(further: Further) -> str:
    """Return how many findings are not listed, by rule: ``... and 49,000 more findings, not listed: 49,000 of SCH-03``."""
    numbers: Counter[Rule] = Counter()
    for (rule, _), number in further.items():
        numbers[rule] += number
    by_rule = ", ".join(f"{number:,} of {rule.code}" for rule, number in sorted(numbers.items()))
    return f"... and {counted(numbers.total(), 'more finding')}, not listed: {by_rule}"


def _line(finding: Finding, paint: Paint) -> str:
    code = paint.red(finding.rule.code) if is_error(finding) else paint.yellow(finding.rule.code)
    mark = "" if is_error(finding) else "warning: "
    return f"{place_line(str(finding.place))}: {code} {mark}{one_line(finding.message)}  [{one_line(finding.path)}]{finding.times}"


def is_error(finding: Finding) -> bool:
    """Whether the finding is an error, and not a warning."""
    return finding.severity.value == "error"


def counts(report: CheckReport) -> tuple[int, int]:
    """Return the number of errors and of warnings, listed or not."""
    listed = Counter[bool]()
    for finding in report.findings:
        listed[is_error(finding)] += finding.count
    for (_, severity), number in report.further.items():
        listed[severity.value == "error"] += number
    return listed[True], listed[False]


def summary(report: CheckReport) -> str:
    """Return how many errors and warnings there are in how many files, and how many files could not be read."""
    errors, warnings = counts(report)
    found = f"{counted(errors, 'error')}, {counted(warnings, 'warning')}" if report.findings else "no findings"
    left_out = sum(one.finding.count for one in report.ignored)
    found += f", {left_out:,} ignored" if left_out else ""
    unreadable = f", {counted(len(report.unreadable), 'path')} unreadable" if report.unreadable else ""
    return f"{found} in {counted(report.files_checked, 'file')}{unreadable}"
