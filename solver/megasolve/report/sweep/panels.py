"""A sweep as panels, each a table with lines around it: what text and Markdown show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..solve.standings import runner_up, standings
from ..solve.variants import over
from ..solve.wording import objective_words
from ..text.numbers import Ps, TimeUnit, unit_of
from ..text.tables import Column
from .categories import category_lines
from .panel import Panel
from .robust import robust_panel
from .values import change_line, value_text
from .wins import best_text

if TYPE_CHECKING:
    from megasolve.solver import BatchResult, BatchSweep, FieldSweep, RegionSaving, Sweep

MECHANISMS = ("launches", "service", "traffic", "waves", "waits", "overlap", "contention")
ABOUT_SAVINGS = (
    "S: what the megakernel saves over the same design with its groups on conventional kernels; F: what launching it costs. Mechanisms in",
    "this order, each by what the score falls when it is added to all before it; S - F is exactly the difference of the two scores.",
)


def panels(sweep: Sweep, *, show_all: bool) -> Iterator[Panel]:
    """Yield the panels of *sweep*; *show_all* has the savings of megakernels that are in no winner, too."""
    for batches in sweep.batches:
        yield _batches(batches)
        yield Panel("category", before=category_lines(batches))
        if batches.savings:
            yield _savings(batches, show_all=show_all)
    for robust in sweep.robustness:
        yield robust_panel(robust, show_all=show_all)
    for field in sweep.fields:
        yield _field(field)


def _batches(batches: BatchSweep) -> Panel:
    unit = _unit([result.ranking[0].score_ps for result in batches.results if result.ranking])
    columns = [Column("batch", is_number=True), *_plan_columns(unit), Column("megakernels ahead by", is_number=True)]
    margins = {one.batch: one.margin for one in batches.category.extents}
    rows = [[str(result.batch), *_plan_cells(result, unit), _ahead(margins.get(result.batch))] for result in batches.results]
    changes = [
        f"between batch {one.last} and {one.first} the best design changes: {best_text(one.before)} -> {best_text(one.after)}"
        for one in batches.changes
    ]
    same = _no_change(batches.results, "batch")
    return Panel(f"by batch: {objective_words(batches.objective)}", columns, rows, after=changes or same)


def _field(field: FieldSweep) -> Panel:
    unit = _unit([point.result.ranking[0].score_ps for point in field.points if point.result.ranking])
    columns = [Column("value", is_number=True), *_plan_columns(unit)]
    rows = [[value_text(point.value), *_plan_cells(point.result, unit)] for point in field.points]
    now = f"the files have {value_text(field.now)}" if field.now is not None else "the files have no value, or several"
    title = f"{field.path} at batch {field.batch} ({now}): {objective_words(field.objective)}"
    changes = [change_line(one) for one in field.changes]
    return Panel(title, columns, rows, after=changes or _no_change([point.result for point in field.points], "value"))


def _no_change(results: Sequence[BatchResult], noun: str) -> list[str]:
    if len(results) <= 1:
        return []
    is_feasible = any(result.ranking for result in results)
    return [f"the best design is the same at every {noun}" if is_feasible else f"nothing is feasible at any {noun}"]


def _plan_columns(unit: TimeUnit) -> list[Column]:
    score = Column(f"score ({unit.name})", is_number=True)
    return [score, Column("best"), Column("next"), Column("behind by", is_number=True), Column("notes")]


def _plan_cells(result: BatchResult, unit: TimeUnit) -> list[str]:
    ranked = standings(result)
    if not ranked:
        return ["-", "nothing is feasible", "", "", ""]
    behind = runner_up(ranked)
    following = [behind.row.id, over(behind.difference)] if behind else ["", ""]
    return [unit.number(ranked[0].row.score_ps), best_text(result.best), *following, "; ".join(_notes(result))]


def _notes(result: BatchResult) -> Iterator[str]:
    if result.too_close:
        yield f"too close to call ({counted(len(result.too_close), 'design')} within the stated accuracy)"
    yield from (f"{one.rule.code} {one.rule.name}" for one in result.findings)
    if result.searched and not result.searched.is_proven:
        yield "not proven"


def _ahead(margin: Fraction | None) -> str:
    return "-" if margin is None else over(margin) if margin >= 0 else f"-{over(-margin).lstrip('+')}"


def _savings(batches: BatchSweep, *, show_all: bool) -> Panel:
    won = {region for one in batches.category.extents for region in one.regions}
    shown = [one for one in batches.savings if show_all or one.region in won]
    unit = _unit([max(part, -part) for one in shown if one.saving for _, part in one.saving.parts])
    known = [name for name in MECHANISMS if any(one.saving and name in dict(one.saving.parts) for one in shown)]
    columns = [
        Column("region"),
        Column("batch", is_number=True),
        *(Column(name, is_number=True) for name in known),
        *(Column(f"{name} ({unit.name})", is_number=True) for name in ("S", "F", "S - F")),
        Column("pays"),
        Column("with it"),
        Column("without it"),
    ]
    ordered = sorted(shown, key=lambda one: [each.region for each in shown].index(one.region))
    hidden = len({one.region for one in batches.savings} - won) if not show_all else 0
    after = [f"... {counted(hidden, 'more region')} that no winner has, all of them with --all"] if hidden else []
    return Panel("what each megakernel saves", columns, [_saving_cells(one, known, unit) for one in ordered], ABOUT_SAVINGS, after)


def _saving_cells(one: RegionSaving, known: Sequence[str], unit: TimeUnit) -> list[str]:
    saving = one.saving
    if saving is None:
        return [one.region, str(one.batch), *[""] * (len(known) + 3), "?", one.because, ""]
    parts = dict(saving.parts)
    times = [unit.number(parts[name]) if name in parts else "" for name in known]
    totals = [unit.number(ps) for ps in (saving.saving_ps, saving.fixed_ps, saving.difference_ps)]
    return [one.region, str(one.batch), *times, *totals, "yes" if saving.pays else "no", saving.with_id, saving.without_id]


def _unit(times: Sequence[Ps]) -> TimeUnit:
    return unit_of(max(times, default=0))
