"""An explanation for a person: the place, the critical path, the groups and the records behind a score."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..solve.fitting import fitting_lines
from ..solve.left_out import cause_numbers, numbered
from ..solve.steps import steps_line
from ..solve.variants import next_variant_lines, too_close_variant_lines, variant_columns, variant_rows
from ..solve.wording import accuracy_words, objective_words, row_notes, without_words
from ..text.entry_names import entries_text
from ..text.findings import note_lines
from ..text.numbers import TimeUnit, exact_ps, percent, unit_of
from ..text.paint import PLAIN, Paint
from ..text.short_ids import short_id
from ..text.tables import Column, aligned, indented, one_line
from .breakdown import evidence_warnings, group_parts, path_parts
from .graph import graph_lines
from .kernels import kernel_lines
from .sides import sides_lines

if TYPE_CHECKING:
    from megasolve.simulate import Branches
    from megasolve.solver import Explanation, UnknownCandidate, WhyNot

_NUMBER = {"is_number": True}


def explanation_text(
    explained: Explanation, *, spec: str, device: str, show_variants: bool = False, show_entries: bool = False, paint: Paint = PLAIN
) -> str:
    """Return why a ranked candidate of *spec* stands where it does on *device*.

    *show_variants* lists every choice of entries with its score, *show_entries* every kernel and every entry that fits a region.
    """
    unit = unit_of(explained.row.score_ps)
    sections = [
        [_question(explained, spec, device), steps_line(explained.steps), *_head_lines(explained, unit, paint)],
        graph_lines(explained.picture, explained.row.score_ps, unit, paint) if explained.picture else [],
        ["critical path, first to last:", *_path_lines(explained, unit, paint)],
        [_branch_line(explained, explained.branches, unit)] if explained.branches else [],
        sides_lines(explained.paid_by_sides),
        ["groups, as their records state them and on the critical path:", *_group_lines(explained, unit, paint)],
        fitting_lines(explained, show_all=show_entries),
        _variant_lines(explained, unit, paint) if show_variants else [],
        ["records, by region and time:", *indented(kernel_lines(explained.regions, show_all=show_entries))],
    ]
    return "".join("\n".join([*lines, "", ""]) for lines in sections if lines)[:-1]


def _question(answer: Explanation | WhyNot, spec: str, device: str) -> str:
    return f"{spec} on {device}, batch {answer.batch}: {objective_words(answer.objective)}{without_words(answer.without)}"


def _head_lines(explained: Explanation, unit: TimeUnit, paint: Paint) -> list[str]:
    row = explained.row
    over = "the best score" if not explained.difference else f"{percent(explained.difference)} over the best"
    return [
        paint.bold(f"{short_id(row.id)}: {_place(explained)}, {unit.text(row.score_ps)}, {over}"),
        *note_lines((*evidence_warnings(row.evidence), *explained.continuity), explained.findings, paint),
        f"entries: {entries_text(row.entries)}",
        *next_variant_lines(row, unit),
        f"evidence: {', '.join(row.evidence)}; accuracy: {accuracy_words(row)}",
        *(paint.yellow(line) for line in too_close_variant_lines(row)),
        *(f"note: {one_line(note)}" for note in row_notes(row)),
        *map(one_line, explained.to_measure),
    ]


def _variant_lines(explained: Explanation, unit: TimeUnit, paint: Paint) -> list[str]:
    rows = list(variant_rows([explained.row], unit))
    if not rows:
        return ["variants: there is one choice of entries"]
    legend: dict[str, int] = {}
    cells = [[*cells, cause_numbers(causes, legend)] for (_, *cells), causes in rows]
    columns = [*variant_columns(unit)[1:], Column("because")]
    return ["variants, best first:", *indented(aligned(columns, cells, paint)), *numbered(legend)]


def _path_lines(explained: Explanation, unit: TimeUnit, paint: Paint) -> list[str]:
    score = Fraction(explained.row.score_ps)
    columns = [Column(unit.name, **_NUMBER), Column("share", **_NUMBER), Column("what")]
    rows = [[unit.number(one.elapsed_ps), percent(one.elapsed_ps / score), one.words] for one in path_parts(explained.segments)]
    total = sum((Fraction(one.elapsed_ps) for one in explained.segments), start=Fraction(0))
    # The segments are exact; the sum is compared before it is called the score.
    verdict = "exactly the score" if total == score else f"but the score is {exact_ps(score)} ps"
    rows.append([unit.number(total), percent(total / score), f"sum: {exact_ps(total)} ps, {verdict}"])
    return indented(aligned(columns, rows, paint))


def _branch_line(explained: Explanation, branches: Branches, unit: TimeUnit) -> str:
    if branches.in_sequence:
        return _sequence_line(explained, branches, unit)
    slack = unit.text(branches.slack_ps)
    return {
        "both": "bound by both: the first chunk and the last awaited step end at the same time",
        "consumer": f"consumer-bound: the producers have {slack} of slack after step r = {explained.steps.ready_step}",
        "producer": f"producer-bound: the consumer has {slack} of slack",
    }[branches.bound_by]


def _sequence_line(explained: Explanation, branches: Branches, unit: TimeUnit) -> str:
    """Say what comes before the chunk and what the chunk adds: where one waits for the other, neither has slack."""
    score = Fraction(explained.row.score_ps)
    chunk_ps = branches.chunk_ps - branches.horizon_ps
    before = f"{unit.text(branches.horizon_ps)} up to step h ({percent(branches.horizon_ps / score)})"
    return f"one after the other, neither has slack: {before}, then {unit.text(chunk_ps)} for the chunk ({percent(chunk_ps / score)})"


def _group_lines(explained: Explanation, unit: TimeUnit, paint: Paint) -> list[str]:
    columns = [
        Column("group"),
        Column(f"given ({unit.name})", **_NUMBER),
        Column("of all service", **_NUMBER),
        Column(f"on the path ({unit.name})", **_NUMBER),
        Column("of the score", **_NUMBER),
    ]
    rows = [
        [part.group, unit.number(part.given_ps), percent(part.service_share), unit.number(part.path_ps), percent(part.path_share)]
        for part in group_parts(explained)
    ]
    largest = explained.largest_group
    return [*indented(aligned(columns, rows, paint)), f"largest group: {largest.group}, {percent(largest.share)} of all service"]


def why_not_text(excluded: WhyNot, *, spec: str, device: str, paint: Paint = PLAIN) -> str:
    """Return every cause that excludes a candidate of *spec* on *device*."""
    causes = [f"  {paint.red(cause.rule.code)} {cause.rule.name}: {one_line(cause.because)}" for cause in excluded.causes]
    verdict = f"{short_id(excluded.row.id)}: excluded for {counted(len(excluded.causes), 'cause')}"
    return "\n".join([_question(excluded, spec, device), steps_line(excluded.steps), paint.bold(verdict), *causes, ""])


def unknown_text(unknown: UnknownCandidate) -> str:
    """Return the ids that look like an unknown one."""
    return "\n".join([f"no candidate has the id '{one_line(unknown.id)}'; the nearest are:", *indented(unknown.nearest), ""])


def _place(explained: Explanation) -> str:
    if explained.place is None:
        return f"behind the best designs that a search finds among {explained.of:,} candidates"
    return f"place {explained.place} of {explained.of}"
