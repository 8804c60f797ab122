"""What the page shows of a study: words, numbers and places, ready to be laid out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..solve.standings import Standing, runner_up, standings
from ..solve.wording import accuracy_words, objective_words
from ..text.entry_names import entries_text
from ..text.numbers import TimeUnit, counted, exact_ps, percent, unit_of
from ..text.tables import one_line
from .blocks import DrawnDesign, design
from .curves import CurvesView, curves_view
from .schedule import ScheduleView, schedule_view

if TYPE_CHECKING:
    from megasolve.solver import BatchResult, Explanation, UnknownCandidate, WhyNot
    from megasolve.solver.reported.reported import Reported, ReportedBatch

MOST_ROWS = 300
MOST_EXCLUDED = 40


@dataclass(frozen=True, slots=True)
class RowView:
    """A row of the ranking."""

    place: int
    id: str
    score: str
    score_ps: int | str
    over: str
    over_value: float
    policy: str
    evidence: str
    entries: str
    design: DrawnDesign


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


@dataclass(frozen=True, slots=True)
class BatchView:
    """One batch: the answer in two sentences, then everything behind it."""

    key: str
    batch: int
    answer: str
    margin: str
    sure: str
    best: str
    score: str
    design: DrawnDesign | None
    rows: tuple[RowView, ...]
    more_rows: int
    schedule: ScheduleView | None
    path: tuple[PathView, ...]
    path_total: str
    evidence: tuple[EvidenceView, ...]
    excluded: tuple[ExcludedView, ...]
    notes: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StudyView:
    """A study: its name, what is planned, and its batches."""

    key: str
    name: str
    title: str
    device: str
    groups: tuple[str, ...]
    answer: str
    batches: tuple[BatchView, ...]
    curves: CurvesView | None


def study_view(reported: Reported, key: str) -> StudyView:
    """Return what the page shows of one study; *key* begins the names of its places on the page."""
    spec = reported.study.spec.value
    groups = tuple(one_line(group.name) for group in spec.groups)
    device = f"{one_line(reported.study.device.value.title)} ({one_line(reported.study.device.value.name)})"
    batches = tuple(batch_view(one, f"{key}-batch-{one.result.batch}", groups) for one in reported.batches)
    results = [one.result for one in reported.batches]
    answer = _study_answer(results) if len(results) > 1 else ""
    return StudyView(key, one_line(spec.name), one_line(spec.title or ""), device, groups, answer, batches, curves_view(results))


def _study_answer(results: Sequence[BatchResult]) -> str:
    """Say which design is the best at which of several batches."""
    at: dict[str, list[str]] = {}
    for result in results:
        at.setdefault(one_line(result.ranking[0].id) if result.ranking else "nothing", []).append(str(result.batch))
    if len(at) == 1:
        return f"At every batch {next(iter(at))} is the best."
    designs = [f"{name} at {', '.join(batches)}" for name, batches in at.items()]
    return f"The best design changes with the batch: {'; '.join(designs)}."


def batch_view(reported: ReportedBatch, key: str, groups: Sequence[str]) -> BatchView:
    """Return what the page shows of one batch."""
    result, explained = reported.result, reported.explained
    ranked = standings(result)
    unit = unit_of(result.ranking[0].score_ps) if result.ranking else unit_of(0)
    best = ranked[0].row if ranked else None
    return BatchView(
        key=key,
        batch=result.batch,
        answer=_answer(result, ranked, unit),
        margin=_margin(ranked, unit),
        sure=f"Evidence: {', '.join(best.evidence)}; accuracy {accuracy_words(best)}." if best else "",
        best=best.id if best else "",
        score=unit.text(best.score_ps) if best else "",
        design=design(best.candidate, groups) if best else None,
        rows=tuple(_row(one, unit, groups) for one in ranked[:MOST_ROWS]),
        more_rows=max(0, len(ranked) - MOST_ROWS),
        schedule=schedule_view(reported.timelines, groups) if reported.timelines else None,
        path=tuple(_path(explained, unit)) if explained else (),
        path_total=unit.text(explained.row.score_ps) if explained else "",
        evidence=tuple(_evidence(explained)) if explained else (),
        excluded=tuple(_excluded(result)),
        notes=tuple(map(one_line, result.notes)),
        missing=tuple(map(_missing, reported.missing)),
    )


def _answer(result: BatchResult, ranked: Sequence[Standing], unit: TimeUnit) -> str:
    among = counted(result.candidates, "candidate")
    if not ranked:
        return f"At batch {result.batch} nothing is feasible: each of {among} is excluded."
    best = ranked[0].row
    words = objective_words(result.objective).partition(" (")[0]
    return f"At batch {result.batch} the best of {among} takes {unit.text(best.score_ps)}, {words}."


def _margin(ranked: Sequence[Standing], unit: TimeUnit) -> str:
    behind = runner_up(ranked)
    if not ranked:
        return ""
    if behind is None:
        return "Nothing is slower: all that is feasible has this score."
    return f"The next design, {behind.row.id}, takes {unit.text(behind.row.score_ps)}: {percent(behind.difference)} more."


def _row(standing: Standing, unit: TimeUnit, groups: Sequence[str]) -> RowView:
    row = standing.row
    return RowView(
        place=standing.place,
        id=one_line(row.id),
        score=unit.text(row.score_ps),
        score_ps=exact_ps(row.score_ps),
        over="best" if not standing.difference else f"+{percent(standing.difference)}",
        over_value=float(standing.difference),
        policy=str(row.candidate.policy),
        evidence=", ".join(row.evidence),
        entries=one_line(entries_text(row.entries)),
        design=design(row.candidate, groups),
    )


def _path(explained: Explanation, unit: TimeUnit) -> Iterator[PathView]:
    whole, begun = Fraction(explained.row.score_ps), Fraction(0)
    for segment in explained.segments:
        elapsed = Fraction(segment.elapsed_ps)
        share = elapsed / whole if whole else Fraction(0)
        left = float(begun / whole * 100) if whole else 0.0
        yield PathView(
            one_line(segment.label), unit.text(segment.elapsed_ps), percent(share), left, float(share * 100), segment.is_contention
        )
        begun += elapsed


def _evidence(explained: Explanation) -> Iterator[EvidenceView]:
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


def _excluded(result: BatchResult) -> Iterator[ExcludedView]:
    counts: Counter[str] = Counter()
    first: dict[str, tuple[str, str, str]] = {}
    for row in result.excluded:
        for rule in {cause.rule for cause in row.causes}:
            counts[rule.code] += 1
        for cause in row.causes:
            first.setdefault(cause.rule.code, (cause.rule.name, row.id, cause.because))
    for code, candidates in counts.most_common(MOST_EXCLUDED):
        name, example, message = first[code]
        yield ExcludedView(code, name, candidates, one_line(example), one_line(message))
    if result.searched:
        for one in result.searched.excluded_by:
            yield ExcludedView(one.rule.code, one.rule.name, one.candidates, one_line(str(one.example)), "")


def _missing(answer: WhyNot | UnknownCandidate) -> str:
    from megasolve.solver import WhyNot

    if isinstance(answer, WhyNot):
        return one_line(f"{answer.row.id} is excluded: {answer.causes[0]}")
    return one_line(f"no candidate has the id {answer.id!r}")
