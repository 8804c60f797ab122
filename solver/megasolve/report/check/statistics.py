"""How often each rule is broken, in how many files."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..text.paint import PLAIN, Paint
from ..text.tables import Column, titled
from .text import is_error, summary

if TYPE_CHECKING:
    from megasolve.contracts import CheckReport, Rule


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many findings of *rule* there are, listed or not, and in how many *files* the listed ones stand."""

    rule: Rule
    errors: int
    warnings: int
    files: int


def statistics(report: CheckReport) -> tuple[RuleCount, ...]:
    """Return the counts of every rule that is broken, the most frequent first, then by code."""
    numbers: Counter[tuple[Rule, bool]] = Counter()
    files: defaultdict[Rule, set[str]] = defaultdict(set)
    for finding in report.findings:
        numbers[finding.rule, is_error(finding)] += finding.count
        files[finding.rule].add(finding.place.file)
    for (rule, severity), number in report.further.items():
        numbers[rule, severity.value == "error"] += number
    rules = sorted({rule for rule, _ in numbers}, key=lambda rule: (-numbers[rule, True] - numbers[rule, False], rule.code))
    return tuple(RuleCount(rule, numbers[rule, True], numbers[rule, False], len(files[rule])) for rule in rules)


def check_statistics(report: CheckReport, *, paint: Paint = PLAIN) -> str:
    """Return a row per rule that is broken, and the summary line."""
    columns = [Column("errors", is_number=True), Column("warnings", is_number=True), Column("files", is_number=True), Column("rule")]
    rows = [
        [f"{one.errors:,}", f"{one.warnings:,}", f"{one.files:,}", f"{one.rule.code} {one.rule.name}: {one.rule.summary}"]
        for one in statistics(report)
    ]
    return "".join(f"{line}\n" for line in (*titled(columns, rows, paint), summary(report)))
