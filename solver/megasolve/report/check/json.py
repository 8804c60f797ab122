"""Findings as JSON, `check/v1`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from megasolve.contracts import JsonObject

from ..solve.json import json_text
from .statistics import statistics
from .text import counts
from .unmeasured import unmeasured_rows

if TYPE_CHECKING:
    from megasolve.contracts import CheckReport, Finding


def check_json(report: CheckReport, *, commands: Mapping[str, str] | None = None) -> str:
    """Return the report as JSON text; *end_column* is exclusive, or null where only the start is known.

    At most 1,000 findings are listed, equal ones of a file as one with a *count*; *further* counts the others. *errors* and *warnings*
    count all, and *statistics* does so by rule.
    *commands* measures the times of a spec that are derived, by its file.
    """
    errors, warnings = counts(report)
    return json_text(
        {
            "megasolve": "check/v1",
            "files_checked": report.files_checked,
            "errors": errors,
            "warnings": warnings,
            "findings": [finding_facts(finding) for finding in report.findings],
            "ignored": [{**finding_facts(one.finding), "because": one.because} for one in report.ignored],
            "further": [
                {"rule": rule.code, "severity": severity.value, "findings": number} for (rule, severity), number in report.further.items()
            ],
            "statistics": [
                {"rule": one.rule.code, "name": one.rule.name, "errors": one.errors, "warnings": one.warnings, "files": one.files}
                for one in statistics(report)
            ],
            "unreadable": [{"file": error.path, "reason": error.reason} for error in report.unreadable],
            "unmeasured": unmeasured_rows(report.unmeasured, commands or {}),
        }
    )


def finding_facts(finding: Finding) -> JsonObject:
    """Return one finding, for any kind of result."""
    return {
        "file": finding.place.file,
        "line": finding.place.line,
        "column": finding.place.column,
        "end_column": finding.end_column,
        "severity": finding.severity.value,
        "rule": finding.rule.code,
        "name": finding.rule.name,
        "path": finding.path,
        "message": finding.message,
        "count": finding.count,
        "also": [
            {"line": one.place.line, "column": one.place.column, "end_column": one.end_column, "path": one.path} for one in finding.also
        ],
    }
