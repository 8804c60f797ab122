"""What stands behind an answer: the critical path, the records that it rests on, and what is excluded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..explain.breakdown import path_parts
from ..text.numbers import TimeUnit, percent, unit_of
from ..text.short_ids import short_id
from ..text.tables import one_line

if TYPE_CHECKING:
    from megasolve.solver import BatchResult, Explanation

MOST_EXCLUDED = 40


@dataclass(frozen=True, slots=True)
class PathView:
    """A segment of the critical path: where it begins and how long it is, in percent of the whole."""

    label: str
    time: str
    share: str
    left: float
    width: float
    is_contention: bool


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """A record that the winner rests on."""

    group: str
    entry: str
    budget: int
    calls: str
    time: str
    kind: str
    place: str


@dataclass(frozen=True, slots=True)
class ExcludedView:
    """A rule, how many candidates it excludes, and one of them with what was found."""

    rule: str
    name: str
    candidates: int
    example: str
    message: str


def path_view(explained: Explanation, unit: TimeUnit) -> Iterator[PathView]:
    """Yield the segments of the critical path in order; together they are the score."""
    whole, begun = Fraction(explained.row.score_ps), Fraction(0)
    for segment in path_parts(explained.segments):
        elapsed = Fraction(segment.elapsed_ps)
        share = elapsed / whole if whole else Fraction(0)
        left = float(begun / whole * 100) if whole else 0.0
        label = one_line(segment.words)
        yield PathView(label, unit.text(segment.elapsed_ps), percent(share), left, float(share * 100), segment.is_contention)
        begun += elapsed


def evidence_view(explained: Explanation) -> Iterator[EvidenceView]:
    """Yield the records that the winner rests on."""
    for usage in explained.usages:
        record = usage.use.record
        unit = unit_of(record.time_ps)
        yield EvidenceView(
            group=one_line(record.group),
            entry=one_line(usage.contract.entry),
            budget=record.budget_ctas,
            calls=f"{usage.calls:,}",
            time=unit.text(record.time_ps),
            kind=record.provenance.kind,
            place=one_line(str(usage.use.place)),
        )


def excluded_view(result: BatchResult) -> Iterator[ExcludedView]:
    """Yield what is excluded by rule, the one that excludes most first, each with an example."""
    counts: Counter[str] = Counter()
    first: dict[str, tuple[str, str, str]] = {}
    for row in result.excluded:
        for rule in {cause.rule for cause in row.causes}:
            counts[rule.code] += 1
        for cause in row.causes:
            first.setdefault(cause.rule.code, (cause.rule.name, row.id, cause.because))
    for code, candidates in counts.most_common(MOST_EXCLUDED):
        name, example, message = first[code]
        yield ExcludedView(code, name, candidates, one_line(short_id(example)), one_line(message))
    if result.searched:
        for one in result.searched.excluded_by:
            yield ExcludedView(one.rule.code, one.rule.name, one.candidates, one_line(short_id(str(one.example))), one_line(one.because))
