"""An evaluation as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..text.tables import markdown, markdown_text
from .tables import CASE_COLUMNS, case_rows, group_columns, group_rows, pool_columns, pool_rows, pool_unit
from .wording import REGRESSION_LINE, cancelled_lines, doubt_lines, heading, plan_lines, summary_lines

if TYPE_CHECKING:
    from megasolve.solver import Case, Evaluation


def evaluation_markdown(evaluation: Evaluation) -> str:
    """Return *evaluation* as Markdown text."""
    return "\n".join(_lines(evaluation)).rstrip("\n") + "\n"


def _lines(evaluation: Evaluation) -> Iterator[str]:
    yield f"## {markdown_text(heading(evaluation))}"
    yield ""
    if evaluation.is_regression:
        yield f"**{REGRESSION_LINE}**\n"
    listed = (*plan_lines(evaluation), *evaluation.notes, *summary_lines(evaluation))
    yield from (f"- {markdown_text(line)}" for line in listed)
    yield ""
    if not evaluation.cases:
        yield "Nothing to judge: no batch of the plan has a run."
        return
    yield from markdown(CASE_COLUMNS, list(case_rows(evaluation)))
    for case in evaluation.leading:
        yield ""
        yield from _case(case)


def _case(case: Case) -> Iterator[str]:
    yield f"### Batch {case.batch}"
    yield ""
    told = [f"- {markdown_text(line)}" for line in (*doubt_lines(case), *cancelled_lines(case))]
    yield from [*told, ""] if told else []
    yield from markdown(pool_columns(pool_unit(case)), list(pool_rows(case)))
    for one in case.pool:
        if one.groups:
            yield ""
            yield f"{markdown_text(one.contender.name)} by groups:"
            yield ""
            yield from markdown(group_columns(pool_unit(case)), list(group_rows(one, pool_unit(case))))
