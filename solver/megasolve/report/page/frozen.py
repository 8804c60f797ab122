"""What the page shows of a result file of `solve`: the answer, the ranking, what was measured, what is excluded. It holds no schedule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..solve.variants import over
from ..text.entry_names import entries_text
from ..text.numbers import TimeUnit, exact_ps, percent, unit_of
from ..text.short_ids import short_id
from ..text.tables import one_line
from .backing import MOST_EXCLUDED, ExcludedView
from .blocks import design_of_id, groups_of_id
from .view import MOST_ROWS, BatchView, RowView, StudyView, answer_words, margin_words, measured_views, study_answer

if TYPE_CHECKING:
    from megasolve.solver import FrozenPlan
    from megasolve.solver.evaluate.forecasts.frozen_plan import FrozenBatch, FrozenRow


@dataclass(frozen=True, slots=True)
class ResultFile:
    """A *plan*, and the *file* that holds it."""

    file: str
    plan: FrozenPlan


def frozen_view(result: ResultFile, key: str, version: str) -> StudyView:
    """Return what the page, which megasolve *version* writes, shows of one result file; *key* begins the names of its places."""
    plan = result.plan
    ids = [row.id for batch in plan.results for row in batch.ranking[:1]]
    groups = tuple(one_line(name) for name in dict.fromkeys(group for one in ids for group in groups_of_id(one)))
    keys = _keys(plan, key)
    batches = tuple(_batch(one, name, groups) for one, name in zip(plan.results, keys, strict=True))
    return StudyView(
        key=key,
        name=one_line(plan.spec),
        title="",
        device=one_line(plan.device),
        groups=groups,
        answer=study_answer([(one.batch, one.best) for one in plan.results]),
        batches=batches,
        notes=tuple(_notes(result, version)),
    )


def _keys(plan: FrozenPlan, key: str) -> list[str]:
    """Return a name for the place of each batch: a file may have several results of one."""
    return [f"{key}-batch-{one.batch}-{number}" for number, one in enumerate(plan.results, start=1)]


def _notes(result: ResultFile, version: str) -> Iterator[str]:
    by = result.plan.version
    yield one_line(
        f"This is what the result file {result.file} says: it holds no schedule, no evidence and nothing that would change it. "
        f"megasolve report SPEC shows these."
    )
    if by is not None and by != version:
        yield one_line(f"The result was written by megasolve {by}, this page by {version}.")


def _batch(batch: FrozenBatch, key: str, groups: tuple[str, ...]) -> BatchView:
    ranking = batch.ranking
    unit = unit_of(ranking[0].score_ps) if ranking else unit_of(0)
    rows = tuple(_rows(batch, unit, groups))
    best, behind = next(iter(ranking), None), next((row for row in ranking if row.score_ps > ranking[0].score_ps), None)
    best_ps = best.score_ps if best else None
    among = batch.candidates or len(ranking) + len(batch.excluded)
    return BatchView(
        key=key,
        batch=batch.batch,
        answer=answer_words(batch.batch, among, best_ps, batch.objective),
        margin=margin_words(best_ps, (behind.id, behind.score_ps) if behind else None),
        kinds=tuple(map(one_line, best.evidence)) if best else (),
        sure=_accuracy(best) if best else "",
        best=one_line(best.id) if best else "",
        score=unit.text(best.score_ps) if best else "",
        design=design_of_id(best.id, groups) if best else None,
        rows=rows[:MOST_ROWS],
        more_rows=max(0, len(rows) - MOST_ROWS),
        excluded=tuple(_excluded(batch)),
        notes=tuple(map(one_line, (*batch.notes, *batch.unshown))),
        measured=measured_views((row.id, [run.shown for run in row.measured]) for row in ranking[:MOST_ROWS]),
    )


def _accuracy(row: FrozenRow) -> str:
    return "Accuracy not stated by the evidence." if row.accuracy is None else f"Accuracy ±{percent(row.accuracy)} as the evidence states."


def _rows(batch: FrozenBatch, unit: TimeUnit, groups: tuple[str, ...]) -> Iterator[RowView]:
    place = 0
    for index, row in enumerate(batch.ranking):
        first = batch.ranking[0].score_ps
        place = index + 1 if index == 0 or row.score_ps != batch.ranking[index - 1].score_ps else place
        difference = row.score_ps / first - 1 if first else Fraction(0)
        yield RowView(
            place=place,
            id=one_line(row.id),
            score=unit.text(row.score_ps),
            score_ps=exact_ps(row.score_ps),
            over=over(difference) if difference else "best",
            over_value=float(difference),
            evidence=", ".join(map(one_line, row.evidence)),
            entries=one_line(entries_text(row.entries)),
            design=design_of_id(row.id, groups),
        )


def _excluded(batch: FrozenBatch) -> Iterator[ExcludedView]:
    for one in batch.excluded_by:
        yield ExcludedView(one_line(one.rule), "", one.candidates, one_line(short_id(one.example)), one_line(one.because))
    if not batch.excluded_by:
        yield from _by_rule(batch)


def _by_rule(batch: FrozenBatch) -> Iterator[ExcludedView]:
    """Yield the rules that exclude something, the one that excludes most first; a candidate counts for each of its causes."""
    counts = Counter(rule for one in batch.excluded for rule in {cause.rule for cause in one.causes})
    first: dict[str, tuple[str, str]] = {}
    for one in batch.excluded:
        for cause in one.causes:
            first.setdefault(cause.rule, (one.id, cause.because))
    for rule, candidates in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:MOST_EXCLUDED]:
        example, because = first[rule]
        yield ExcludedView(one_line(rule), "", candidates, one_line(short_id(example)), one_line(because))
