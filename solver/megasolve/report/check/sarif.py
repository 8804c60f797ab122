"""Findings as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from megasolve.contracts import Json, JsonObject

from ..solve.json import json_text
from .locations import relative_uri
from .text import further_line

if TYPE_CHECKING:
    from megasolve.contracts import CheckReport, Finding, Place, Rule

SHOWN_REPEATS = 100
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def check_sarif(report: CheckReport, version: str) -> str:
    """Return the report as SARIF text; *version* is that of megasolve."""
    ignored = [one.finding for one in report.ignored]
    rules = sorted({finding.rule for finding in (*report.findings, *ignored)})
    driver: JsonObject = {"name": "megasolve", "version": version, "rules": [_rule(one) for one in rules]}
    run: JsonObject = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": list(_results(report, rules)),
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


def _results(report: CheckReport, rules: Sequence[Rule]) -> Iterator[JsonObject]:
    seen: Counter[str] = Counter()
    suppressed = [(one.finding, one.because) for one in report.ignored]
    for finding, because in (*((finding, None) for finding in report.findings), *suppressed):
        fingerprint = _fingerprint(finding)
        seen[fingerprint] += 1
        yield {
            "ruleId": finding.rule.code,
            "ruleIndex": rules.index(finding.rule),
            "level": finding.severity.value,
            "message": {"text": f"{finding.message} [{finding.path}]"},
            "locations": [{"physicalLocation": _physical_location(finding.place.file, finding.place, finding.end_column)}],
            "partialFingerprints": {"primaryLocationLineHash": f"{fingerprint}:{seen[fingerprint]}"},
            **_repeats(finding),
            **({} if because is None else {"suppressions": [{"kind": "inSource", "justification": because}]}),
        }


def _repeats(finding: Finding) -> JsonObject:
    """Return what a result says where it stands for several: how many, and where the first of the others are."""
    if finding.count == 1:
        return {}
    file = finding.place.file
    also: list[Json] = [
        {"id": number, "message": {"text": one.path}, "physicalLocation": _physical_location(file, one.place, one.end_column)}
        for number, one in enumerate(finding.also[:SHOWN_REPEATS], start=1)
    ]
    return {"occurrenceCount": finding.count, "relatedLocations": also}


def _physical_location(file: str, place: Place, end_column: int | None) -> JsonObject:
    region = {"startLine": place.line, "startColumn": place.column}
    if end_column is not None:
        region["endColumn"] = end_column
    return {"artifactLocation": {"uri": relative_uri(file)}, "region": region}


def _fingerprint(finding: Finding) -> str:
    # Without line numbers, so that a finding keeps its identity when lines above it come or go.
    identity = "\0".join((finding.rule.code, relative_uri(finding.place.file), finding.path, finding.message))
    return hashlib.sha256(identity.encode("utf-8", "backslashreplace")).hexdigest()[:16]
