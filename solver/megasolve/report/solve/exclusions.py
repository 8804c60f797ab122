"""Exclusions, grouped by the rule that causes them, so that a reader sees at once what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.paint import PLAIN, Paint
from ..text.short_ids import short_id
from ..text.tables import one_line

if TYPE_CHECKING:
    from megasolve.contracts import Rule
    from megasolve.solver import BatchResult, Excluded


@dataclass(frozen=True, slots=True)
class CauseGroup:
    """One rule with the facts that break it; each fact with the ids of the candidates that it excludes."""

    rule: Rule
    facts: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The candidates that the rule excludes, each once."""
        return tuple(dict.fromkeys(id_ for _, ids in self.facts for id_ in ids))


def by_cause(excluded: Sequence[Excluded]) -> tuple[CauseGroup, ...]:
    """Return the causes of all *excluded* candidates by rule code; a candidate stands under each of its causes."""
    facts: dict[Rule, dict[str, list[str]]] = {}
    for row in excluded:
        for cause in row.causes:
            ids = facts.setdefault(cause.rule, {}).setdefault(cause.because, [])
            ids += [row.id] if row.id not in ids else []
    return tuple(CauseGroup(rule, tuple((fact, tuple(ids)) for fact, ids in facts[rule].items())) for rule in sorted(facts))


def exclusion_lines(result: BatchResult, *, show_all: bool, paint: Paint = PLAIN) -> list[str]:
    """Return what was excluded, by cause: one example each, or every fact with its candidates.

    Where nothing is left to rank every fact is shown in any case.
    """
    if not result.excluded:
        return []
    is_infeasible = not result.ranking
    lines = [f"excluded: {len(result.excluded)} of {result.candidates} candidates, by cause (one may have several)"]
    for group in by_cause(result.excluded):
        lines.append(f"  {paint.red(group.rule.code)} {group.rule.name}: {counted(len(group.ids), 'candidate')}")
        lines += _fact_lines(group, show_facts=show_all or is_infeasible, show_ids=show_all)
    return lines


def _fact_lines(group: CauseGroup, *, show_facts: bool, show_ids: bool) -> list[str]:
    if not show_facts:
        fact, ids = group.facts[0]
        more = f"  (and {counted(len(group.facts) - 1, 'more fact')})" if len(group.facts) > 1 else ""
        return [f"    for example {short_id(ids[0])}: {one_line(fact)}{more}"]
    lines = []
    for fact, ids in group.facts:
        lines.append(f"    {one_line(fact)}  [{counted(len(ids), 'candidate')}]")
        lines += [f"      {id_}" for id_ in ids if show_ids]
    return lines
