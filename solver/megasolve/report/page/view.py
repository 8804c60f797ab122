"""What the page shows of a study: words, numbers and places, ready to be laid out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..solve.standings import Standing, runner_up, standings
from ..solve.variants import over
from ..solve.wording import accuracy_words, objective_name
from ..text.entry_names import entries_text
from ..text.measured import measured_lines
from ..text.numbers import Ps, TimeUnit, exact_ps, percent, unit_of
from ..text.short_ids import short_id
from ..text.tables import one_line
from .backing import EvidenceView, ExcludedView, PathView, evidence_view, excluded_view, path_view
from .blocks import DrawnDesign, color_of, design
from .curves import CurvesView, curves_view
from .headroom import HeadroomView, headroom_view
from .robust import RobustView, robust_view
from .savings import SavingsView, savings_view
from .schedule import ScheduleView, schedule_view, tiles_view

if TYPE_CHECKING:
    from megasolve.solver import UnknownCandidate, WhyNot
    from megasolve.solver.reported.reported import Reported, ReportedBatch
    from megasolve.solver.select.told.shown import RunBeside

MOST_ROWS = 300


@dataclass(frozen=True, slots=True)
class RowView:
    """A row of the ranking."""

    place: int
    id: str
    score: str
    score_ps: int | str
    over: str
    over_value: float
    evidence: str
    entries: str
    design: DrawnDesign

    @property
    def short_id(self) -> str:
        """The id for a line."""
        return short_id(self.id)


@dataclass(frozen=True, slots=True)
class MeasuredView:
    """What was measured, with what is predicted of the same, and the candidates beside whose scores it stands."""

    line: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BatchView:
    """One batch: the answer in two sentences, then everything behind it."""

    key: str
    batch: int
    answer: str
    margin: str
    kinds: tuple[str, ...]
    sure: str
    best: str
    score: str
    design: DrawnDesign | None
    rows: tuple[RowView, ...]
    more_rows: int
    excluded: tuple[ExcludedView, ...]
    notes: tuple[str, ...]
    measured: tuple[MeasuredView, ...] = ()
    missing: tuple[str, ...] = ()
    schedule: ScheduleView | None = None
    path: tuple[PathView, ...] = ()
    path_total: str = ""
    evidence: tuple[EvidenceView, ...] = ()
    tiles: tuple[ScheduleView, ...] = ()
    hidden_tiles: tuple[str, ...] = ()
    robust: RobustView | None = None
    headroom: HeadroomView | None = None

    @property
    def short_best(self) -> str:
        """The id of the best for a line."""
        return short_id(self.best)

    @property
    def tied(self) -> str:
        """How many other candidates have exactly the score of the best, in a word or two."""
        others = sum(row.place == 1 for row in self.rows) - 1
        return f"= {counted(others, 'other candidate')}" if others > 0 else ""

    @property
    def over_next(self) -> str:
        """How much slower the next design is, in a word or two."""
        behind = next((row for row in self.rows if row.place > 1), None)
        return behind.over if behind else ""


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
    curves: CurvesView | None = None
    savings: SavingsView | None = None
    notes: tuple[str, ...] = ()

    @property
    def colors(self) -> tuple[tuple[str, int], ...]:
        """Each group with the number of its colour."""
        return tuple((name, color_of(name, self.groups)) for name in self.groups)


def study_view(reported: Reported, key: str) -> StudyView:
    """Return what the page shows of one study; *key* begins the names of its places on the page."""
    spec = reported.study.spec.value
    groups = tuple(one_line(group.name) for group in spec.groups)
    device = f"{one_line(reported.study.device.value.title)} ({one_line(reported.study.device.value.name)})"
    limits = {"HBM demand": reported.study.device.value.hbm_sustained_bytes_per_s}
    batches = tuple(batch_view(one, f"{key}-batch-{one.result.batch}", groups, limits) for one in reported.batches)
    results = [one.result for one in reported.batches]
    swept = reported.sweep
    return StudyView(
        key=key,
        name=one_line(spec.name),
        title=one_line(spec.title or ""),
        device=device,
        groups=groups,
        answer=study_answer([(result.batch, result.best) for result in results]),
        batches=batches,
        curves=curves_view(results, swept.changes if swept else ()),
        savings=savings_view(swept) if swept else None,
    )


def study_answer(best: Sequence[tuple[int, Sequence[str]]]) -> str:
    """Say which design is the best at which of several batches, each with its *best*; nothing of one batch."""
    at: dict[str, list[str]] = {}
    for batch, ids in best:
        at.setdefault(one_line(short_id(ids[0])) if ids else "nothing", []).append(str(batch))
    if len(best) < 2:
        return ""
    if len(at) == 1:
        return f"At every batch {next(iter(at))} is the best."
    designs = [f"{name} at {', '.join(batches)}" for name, batches in at.items()]
    return f"The best design changes with the batch: {'; '.join(designs)}."


def batch_view(reported: ReportedBatch, key: str, groups: Sequence[str], limits: Mapping[str, int]) -> BatchView:
    """Return what the page shows of one batch; *limits* has what the device has of what curves show."""
    result, explained, beyond = reported.result, reported.explained, reported.beyond
    ranked = standings(result)
    unit = unit_of(result.ranking[0].score_ps) if result.ranking else unit_of(0)
    best, behind = ranked[0].row if ranked else None, runner_up(ranked)
    return BatchView(
        key=key,
        batch=result.batch,
        answer=answer_words(result.batch, result.candidates, best.score_ps if best else None, result.objective.value),
        margin=margin_words(best.score_ps if best else None, (behind.row.id, behind.row.score_ps) if behind else None),
        kinds=best.evidence if best else (),
        sure=f"Accuracy {accuracy_words(best)}." if best else "",
        best=one_line(best.id) if best else "",
        score=unit.text(best.score_ps) if best else "",
        design=design(best.candidate, groups) if best else None,
        rows=tuple(_row(one, unit, groups) for one in ranked[:MOST_ROWS]),
        more_rows=max(0, len(ranked) - MOST_ROWS),
        excluded=tuple(excluded_view(result)),
        notes=tuple(map(one_line, (*result.notes, *result.unshown))),
        measured=measured_views((one.row.id, one.row.measured) for one in ranked[:MOST_ROWS]),
        missing=tuple(map(_missing, reported.missing)),
        schedule=schedule_view(reported.timelines, groups, limits) if reported.timelines else None,
        path=tuple(path_view(explained, unit)) if explained else (),
        path_total=unit.text(explained.row.score_ps) if explained else "",
        evidence=tuple(evidence_view(explained)) if explained else (),
        tiles=tuple(map(tiles_view, reported.tiles)),
        hidden_tiles=tuple(map(one_line, reported.hidden_tiles)),
        robust=robust_view(beyond.robust) if beyond else None,
        headroom=headroom_view(beyond.headroom, beyond.order) if beyond else None,
    )


def answer_words(batch: int, candidates: int, score_ps: Ps | None, objective: str) -> str:
    """Return the answer at *batch* in a sentence; without a score nothing is feasible."""
    among = counted(candidates, "candidate")
    if score_ps is None:
        return f"At batch {batch} nothing is feasible: each of {among} is excluded."
    words = one_line(objective_name(objective))
    return f"At batch {batch} the best of {among} takes {unit_of(score_ps).text(score_ps)}, {words}."


def margin_words(best_ps: Ps | None, behind: tuple[str, Ps] | None) -> str:
    """Return how far *behind*, an id with its score, is; nothing where there is no best."""
    if best_ps is None:
        return ""
    if behind is None:
        return "Nothing is slower: all that is feasible has this score."
    name, score_ps = behind
    more = percent(Fraction(score_ps) / Fraction(best_ps) - 1) if best_ps else "any time"
    return f"The next design, {one_line(short_id(name))}, takes {unit_of(best_ps).text(score_ps)}: {more} more."


def _row(standing: Standing, unit: TimeUnit, groups: Sequence[str]) -> RowView:
    row = standing.row
    return RowView(
        place=standing.place,
        id=one_line(row.id),
        score=unit.text(row.score_ps),
        score_ps=exact_ps(row.score_ps),
        over=over(standing.difference) if standing.difference else "best",
        over_value=float(standing.difference),
        evidence=", ".join(row.evidence),
        entries=one_line(entries_text(row.entries)),
        design=design(row.candidate, groups),
    )


def measured_views(rows: Iterable[tuple[str, Sequence[RunBeside]]]) -> tuple[MeasuredView, ...]:
    """Return what was measured beside *rows*, each an id with its runs; the same beside several of them once."""
    beside: dict[str, list[str]] = {}
    for id_, runs in rows:
        for line in measured_lines(runs):
            beside.setdefault(one_line(line), []).append(one_line(short_id(id_)))
    return tuple(MeasuredView(line, tuple(names)) for line, names in beside.items())


def _missing(answer: WhyNot | UnknownCandidate) -> str:
    from megasolve.solver import WhyNot

    if isinstance(answer, WhyNot):
        return one_line(f"{answer.row.id} is excluded: {answer.causes[0]}")
    return one_line(f"no candidate has the id {answer.id!r}")
