"""The result of `solve` as Markdown: a table per batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.entry_names import entries_text
from ..text.numbers import TimeUnit, unit_of
from ..text.outside import beyond_plan_lines
from ..text.settings import setting_lines
from ..text.shown import Shown
from ..text.tables import Column, markdown, markdown_text
from .capacity import capacity_line, served_lines
from .exclusions import CauseGroup, by_cause
from .goals import FurtherColumns, beside_score, conflict_lines, pareto_lines, then_words
from .left_out import COLUMNS, entry_table, hidden_lines
from .searching import excluded_by_lines, space_lines
from .standings import Standing, landmarks, short, standings
from .steps import steps_line
from .variants import VARIANTS_HEAD, variant_columns, variant_rows
from .wording import ablation_words, objective_words, over_best, row_notes, winner_lines, without_words

if TYPE_CHECKING:
    from megasolve.solver import BatchResult, Result


def solve_markdown(result: Result, *, show_all: bool = False, show_variants: bool = False, show_entries: bool = False) -> str:
    """Return *result* as Markdown; what is shown beyond the best is as for `solve_table`."""
    shown = Shown(all=show_all, variants=show_variants, entries=show_entries)
    lines = [f"# {result.spec} on {result.device}{without_words(result.without)}", ""]
    for line in setting_lines(result.settings):
        lines += [f"> **{markdown_text(line)}**", ""]
    lines += [f"- {markdown_text(line)}" for line in beyond_plan_lines(result.outside)] + [""] * bool(result.outside)
    for batch in result.results:
        lines += _batch_lines(batch, shown)
    if served := served_lines(result):
        lines += ["", "```", *served, "```"]
    if capacity := capacity_line(result):
        lines += ["", markdown_text(capacity), ""]
    return "\n".join(lines)


def _batch_lines(batch: BatchResult, shown: Shown) -> list[str]:
    ranked = standings(batch)
    unit = unit_of(batch.ranking[0].score_ps) if batch.ranking else unit_of(0)
    lines = [f"## Batch {batch.batch}: {objective_words(batch.objective)}{then_words(batch)}, {ablation_words(batch.ablation)}", ""]
    lines += [markdown_text(steps_line(batch.steps)), ""]
    wrong = set(map(str, batch.findings))
    for note in (*batch.notes, *batch.unshown):
        lines += [f"> **{'Finding' if note in wrong else 'Note'}:** {markdown_text(note)}", ""]
    lines += [f"- {markdown_text(line)}" for line in (*space_lines(batch), *winner_lines(batch, ranked, unit))]
    for goal in (conflict_lines(batch), pareto_lines(batch)):
        lines += ["", "```", *goal, "```"] if goal else []
    lines += ["", *_ranking_lines(ranked, beside_score(batch, unit), unit, show_all=shown.all or batch.searched is not None)]
    if shown.variants:
        lines += _variant_lines(ranked, unit, show_all=shown.all)
    lines += _entry_lines(batch) if shown.entries and batch.entries else _hidden_lines(batch)
    if batch.searched:
        head, *facts = excluded_by_lines(batch) or [""]
        return [*lines, *([markdown_text(head), "", *(f"- {markdown_text(line.strip())}" for line in facts), ""] if head else [])]
    return [*lines, *_exclusion_lines(batch, show_all=shown.all)]


def _variant_lines(ranked: Sequence[Standing], unit: TimeUnit, *, show_all: bool) -> list[str]:
    rows = variant_rows([standing.row for standing in (ranked if show_all else short(ranked))], unit)
    cells = [[f"`{id_}`", *cells, "; ".join(map(str, causes))] for (id_, *cells), causes in rows]
    return [VARIANTS_HEAD, "", *markdown([*variant_columns(unit), Column("because")], cells), ""] if cells else []


def _entry_lines(batch: BatchResult) -> list[str]:
    rows, legend = entry_table(batch)
    return [*markdown(COLUMNS, rows), "", *(f"- [{number}] {markdown_text(cause)}" for cause, number in legend.items()), ""]


def _hidden_lines(batch: BatchResult) -> list[str]:
    head, *facts = hidden_lines(batch) or [""]
    return [markdown_text(head), "", *(f"- {markdown_text(line.strip())}" for line in facts), ""] if head else []


def _ranking_lines(ranked: Sequence[Standing], beside: FurtherColumns, unit: TimeUnit, *, show_all: bool) -> list[str]:
    if not ranked:
        return []
    shown = ranked if show_all else short(ranked)
    known = landmarks(ranked)
    columns = [
        Column("place", is_number=True),
        Column(f"score ({unit.name})", is_number=True),
        Column("over best", is_number=True),
        *beside.columns,
        *(Column(title) for title in ("cover", "policy", "entries", "evidence", "notes")),
    ]
    hidden = len(ranked) - len(shown)
    more = ["", f"{counted(hidden, 'more candidate')} with `--all`."] if hidden else []
    return [*markdown(columns, [_cells(standing, unit, beside, known.get(standing.row.id)) for standing in shown]), *more, ""]


def _cells(standing: Standing, unit: TimeUnit, beside: FurtherColumns, landmark: str | None) -> list[str]:
    row = standing.row
    names = [f"`{row.candidate.cover}`", f"`{row.candidate.policy}`", entries_text(row.entries), ", ".join(row.evidence)]
    times = [unit.number(row.score_ps), over_best(standing), *beside.cells(row)]
    return [str(standing.place), *times, *names, "; ".join(row_notes(row, landmark))]


def _exclusion_lines(batch: BatchResult, *, show_all: bool) -> list[str]:
    if not batch.excluded:
        return []
    show_facts = show_all or not batch.ranking
    columns = [Column("rule"), Column("candidates", is_number=True), Column("because"), Column("excludes" if show_all else "for example")]
    rows = [row for group in by_cause(batch.excluded) for row in _cause_rows(group, show_facts=show_facts, shown=None if show_all else 1)]
    return [f"{len(batch.excluded)} of {batch.candidates} candidates are excluded:", "", *markdown(columns, rows), ""]


def _cause_rows(group: CauseGroup, *, show_facts: bool, shown: int | None) -> Iterator[list[str]]:
    """Yield a row for each fact, or one for all of them; *shown* limits how many ids stand in a row."""
    for fact, ids in group.facts if show_facts else group.facts[:1]:
        number = len(ids if show_facts else group.ids)
        yield [f"{group.rule.code} {group.rule.name}", str(number), fact, ", ".join(f"`{one}`" for one in ids[:shown])]
