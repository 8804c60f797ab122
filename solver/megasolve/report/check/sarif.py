"""Findings as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from megasolve.contracts import JsonObject

from ..solve.json import json_text
from .locations import relative_uri
from .text import further_line

if TYPE_CHECKING:
    from megasolve.contracts import CheckReport, Finding, Rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def check_sarif(report: CheckReport, version: str) -> str:
    """Return the report as SARIF text; *version* is that of megasolve."""
    rules = sorted({finding.rule for finding in report.findings})
    driver: JsonObject = {"name": "megasolve", "version": version, "rules": [_rule(one) for one in rules]}
    run: JsonObject = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": list(_results(report.findings, rules)),
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _invocation(report: CheckReport) -> JsonObject:
    unreadable = report.unreadable
    notifications: list[JsonObject] = [
        {
            "level": "error",
            "message": {"text": error.reason},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": relative_uri(error.path)}}}],
        }
        for error in unreadable
    ]
    if report.further:
        notifications.append({"level": "note", "message": {"text": further_line(report.further)}})
    return {"executionSuccessful": not unreadable, "toolExecutionNotifications": notifications}


def _rule(rule: Rule) -> JsonObject:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": f"{rule.summary} Its page is {rule.page} in the sources of megasolve."},
    }


def _results(findings: Sequence[Finding], rules: Sequence[Rule]) -> Iterator[JsonObject]:
    seen: Counter[str] = Counter()
    for finding in findings:
        fingerprint = _fingerprint(finding)
        seen[fingerprint] += 1
        yield {
            "ruleId": finding.rule.code,
            "ruleIndex": rules.index(finding.rule),
            "level": finding.severity.value,
            "message": {"text": f"{finding.message} [{finding.path}]"},
            "locations": [{"physicalLocation": _physical_location(finding)}],
            "partialFingerprints": {"primaryLocationLineHash": f"{fingerprint}:{seen[fingerprint]}"},
        }


def _physical_location(finding: Finding) -> JsonObject:
    region = {"startLine": finding.place.line, "startColumn": finding.place.column}
    if finding.end_column is not None:
        region["endColumn"] = finding.end_column
    return {"artifactLocation": {"uri": relative_uri(finding.place.file)}, "region": region}


def _fingerprint(finding: Finding) -> str:
    # Without line numbers, so that a finding keeps its identity when lines above it come or go.
    identity = "\0".join((finding.rule.code, relative_uri(finding.place.file), finding.path, finding.message))
    return hashlib.sha256(identity.encode("utf-8", "backslashreplace")).hexdigest()[:16]
