"""Entries that other entries hide: what keeps each of them out of candidates that are ranked, and where every entry stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.paint import PLAIN, Paint
from ..text.short_ids import short_id
from ..text.tables import Column, aligned, indented, one_line
from .folding import entries_phrase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from megasolve.contracts import Rule
    from megasolve.solver import BatchResult, Cause, EntryStanding, LeftOut

COLUMNS = (
    *(Column("entry"), Column("backend"), Column("groups"), Column("best in"), Column("candidates", is_number=True)),
    *(Column("slower in", is_number=True), Column("left out of", is_number=True), Column("because")),
)


def hidden_lines(batch: BatchResult, *, paint: Paint = PLAIN) -> list[str]:
    """Return which entries fell out of ranked candidates, by cause with one example each; nothing where none did.

    Their candidates are ranked with other entries, so that no exclusion names them.
    """
    if not batch.ranking:
        return []
    by_rule: dict[Rule, list[tuple[EntryStanding, LeftOut]]] = {}
    for standing in batch.entries:
        for one in standing.hidden:
            by_rule.setdefault(one.cause.rule, []).append((standing, one))
    entries = {standing.entry for found in by_rule.values() for standing, _ in found}
    if not entries:
        return []
    head = f"left out: {counted(len(entries), 'entry', 'entries')} of ranked candidates, by cause (--entries lists all)"
    return [head, *(line for rule in sorted(by_rule) for line in _rule_lines(by_rule[rule], paint))]


def _rule_lines(found: Sequence[tuple[EntryStanding, LeftOut]], paint: Paint) -> list[str]:
    standing, one = found[0]
    names = list(dict.fromkeys(each.entry for each, _ in found))
    facts = {each.cause.because for _, each in found}
    more = f"  (and {counted(len(facts) - 1, 'more fact')})" if len(facts) > 1 else ""
    rule = one.cause.rule
    return [
        f"  {paint.red(rule.code)} {rule.name}: {entries_phrase(names)}",
        f"    for example '{standing.entry}' in {counted(one.ranked, 'candidate')}: {one_line(one.cause.because)}{more}",
    ]


def entry_lines(batch: BatchResult, *, paint: Paint = PLAIN) -> list[str]:
    """Return a table of every entry: where it is the best, where it loses, and every cause that keeps it out."""
    rows, legend = entry_table(batch)
    return [*aligned(COLUMNS, rows, paint), *(f"[{number}] {one_line(cause)}" for cause, number in legend.items())]


def entry_table(batch: BatchResult) -> tuple[list[list[str]], dict[str, int]]:
    """Return the cells of every entry, and the causes that they refer to by number."""
    legend: dict[str, int] = {}
    return [_cells(standing, legend) for standing in batch.entries], legend


def _cells(standing: EntryStanding, legend: dict[str, int]) -> list[str]:
    numbers = [legend.setdefault(str(one.cause), len(legend) + 1) for one in standing.left_out]
    about = [standing.entry, standing.contract.backend, "+".join(standing.contract.members)]
    counts = [str(len(standing.stands_in)), str(standing.slower_in), str(standing.left_out_of)]
    return [*about, short_id(standing.stands_in[0]) if standing.stands_in else "-", *counts, _because(standing, numbers)]


def _because(standing: EntryStanding, numbers: Sequence[int]) -> str:
    if numbers:
        return " ".join(f"[{number}]" for number in numbers)
    return "" if standing.stands_in or standing.slower_in else "its candidates are excluded for other regions"


def cause_numbers(causes: Sequence[Cause], legend: dict[str, int]) -> str:
    """Return references to *causes*, which *legend* numbers."""
    return " ".join(f"[{legend.setdefault(str(cause), len(legend) + 1)}]" for cause in causes)


def numbered(legend: dict[str, int]) -> list[str]:
    """Return the causes behind references, one a line."""
    return indented([f"[{number}] {one_line(cause)}" for cause, number in legend.items()])
