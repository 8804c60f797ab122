"""The result of `solve` for a person: per batch the winner with its margin, the ranking, and what was excluded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.entry_names import entries_text
from ..text.findings import note_lines
from ..text.numbers import TimeUnit, unit_of
from ..text.outside import beyond_plan_lines
from ..text.paint import PLAIN, Paint
from ..text.settings import setting_lines
from ..text.short_ids import SHORTENED, short_id
from ..text.shown import Shown
from ..text.tables import Column, aligned, indented, one_line
from .capacity import capacity_line, served_lines
from .exclusions import exclusion_lines
from .folding import folded_notes
from .goals import FurtherColumns, beside_score, conflict_lines, pareto_lines, then_words
from .left_out import cause_numbers, entry_lines, hidden_lines, numbered
from .searching import excluded_by_lines, space_lines
from .standings import Standing, landmarks, short, standings
from .steps import steps_line
from .variants import VARIANTS_HEAD, variant_columns, variant_rows
from .wording import ablation_words, objective_words, over_best, row_notes, winner_lines, without_words

if TYPE_CHECKING:
    from megasolve.solver import BatchResult, Result


def solve_table(
    result: Result, *, show_all: bool = False, show_variants: bool = False, show_entries: bool = False, paint: Paint = PLAIN
) -> str:
    """Return *result* as text of 100 to 120 columns.

    *show_all* shows every row and every excluded candidate, *show_variants* every choice of entries of the rows, *show_entries* where
    each entry stands.
    """
    shown = Shown(all=show_all, variants=show_variants, entries=show_entries)
    batches = [_batch_lines(result, batch, shown, paint) for batch in result.results]
    for first in batches[:1]:
        first[2 + len(result.settings) : 2 + len(result.settings)] = beyond_plan_lines(result.outside)
    served = _spaced([*served_lines(result, paint), *filter(None, [capacity_line(result)])])
    return "\n".join([*(line for lines in batches for line in lines), *served])


def _batch_lines(result: Result, batch: BatchResult, shown: Shown, paint: Paint) -> list[str]:
    ranked = standings(batch)
    unit = unit_of(batch.ranking[0].score_ps) if batch.ranking else unit_of(0)
    counts = f"{len(batch.ranking)} of {counted(batch.candidates, 'candidate')} ranked, from {counted(batch.covers, 'cover')}"
    return [
        f"{result.spec} on {result.device}, batch {batch.batch}: {_question(batch)}{without_words(result.without)}",
        *(paint.yellow(one_line(line)) for line in setting_lines(result.settings)),
        steps_line(batch.steps),
        *note_lines((*batch.notes, *batch.unshown), batch.findings, paint),
        *(space_lines(batch) or [counts]),
        *_painted(winner_lines(batch, ranked, unit), paint),
        *conflict_lines(batch),
        "",
        *_spaced(pareto_lines(batch, paint)),
        *_ranking_lines(ranked, beside_score(batch, unit), unit, show_all=shown.all or batch.searched is not None, paint=paint),
        *(_spaced(_variant_lines(ranked, unit, paint, show_all=shown.all)) if shown.variants else []),
        *_spaced(_entry_lines(batch, paint) if shown.entries and batch.entries else hidden_lines(batch, paint=paint)),
        *_spaced(excluded_by_lines(batch, paint) or exclusion_lines(batch, show_all=shown.all, paint=paint)),
    ]


def _entry_lines(batch: BatchResult, paint: Paint) -> list[str]:
    return ["entries:", *indented(entry_lines(batch, paint=paint))]


def _variant_lines(ranked: Sequence[Standing], unit: TimeUnit, paint: Paint, *, show_all: bool) -> list[str]:
    """Return every variant of the candidates that the ranking shows."""
    rows = list(variant_rows([standing.row for standing in (ranked if show_all else short(ranked))], unit))
    if not rows:
        return ["variants: every candidate above has one choice of entries"]
    legend: dict[str, int] = {}
    cells = [[*cells, cause_numbers(causes, legend)] for cells, causes in rows]
    return [VARIANTS_HEAD, *indented(aligned([*variant_columns(unit), Column("because")], cells, paint)), *numbered(legend)]


def _question(batch: BatchResult) -> str:
    return f"{objective_words(batch.objective)}{then_words(batch)}, {ablation_words(batch.ablation)}"


def _painted(lines: Sequence[str], paint: Paint) -> list[str]:
    first, *others = lines
    decorate = paint.bold if first.startswith("best") else paint.red
    return [decorate(first), *(paint.yellow(line) if line.startswith("too close") else line for line in others)]


def _spaced(lines: Sequence[str]) -> list[str]:
    return [*lines, ""] if lines else []


def _ranking_lines(ranked: Sequence[Standing], beside: FurtherColumns, unit: TimeUnit, *, show_all: bool, paint: Paint) -> list[str]:
    if not ranked:
        return []
    shown = ranked if show_all else short(ranked)
    known = landmarks(ranked)
    texts = folded_notes([standing.row for standing in shown])
    notes = [row_notes(standing.row, known.get(standing.row.id), texts) for standing in shown]
    numbers = {note: number for number, note in enumerate(dict.fromkeys(note for each in notes for note in each), 1)}
    rows = [_cells(standing, unit, beside, [numbers[note] for note in each]) for standing, each in zip(shown, notes, strict=True)]
    table = aligned(_columns(unit, beside), rows, paint, bold=[index for index, standing in enumerate(shown) if standing.place == 1])
    hidden = len(ranked) - len(shown)
    more = [f"... {counted(hidden, 'more candidate')}, all of them with --all"] if hidden else []
    more += [SHORTENED] if any(short_id(standing.row.id) != standing.row.id for standing in shown) else []
    return [*indented([*table, *more, *(f"[{number}] {one_line(note)}" for note, number in numbers.items())]), ""]


def _columns(unit: TimeUnit, beside: FurtherColumns) -> list[Column]:
    return [
        Column("place", is_number=True),
        Column(f"score ({unit.name})", is_number=True),
        Column("over best", is_number=True),
        *beside.columns,
        Column("candidate (cover@policy)"),
        Column("evidence"),
        Column("entries"),
    ]


def _cells(standing: Standing, unit: TimeUnit, beside: FurtherColumns, notes: Sequence[int]) -> list[str]:
    row = standing.row
    entries = entries_text(row.entries) + (f" [{_ranges(notes)}]" if notes else "")
    times = [unit.number(row.score_ps), over_best(standing), *beside.cells(row)]
    return [str(standing.place), *times, short_id(row.id), ", ".join(row.evidence), entries]


def _ranges(numbers: Sequence[int]) -> str:
    """Return the numbers in order, consecutive ones as ``3-6``."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return " ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
